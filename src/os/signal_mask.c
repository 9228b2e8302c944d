/* SPDX-License-Identifier: BSD-2-Clause */
/* signal_mask.c - signal masks of the calling thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "os/signals.h"
#include "os/syscalls.h"

uint64_t syc_signal_mask(int how, uint64_t set)
{
	uint64_t before = 0;

	syc_raw_syscall(SYS_rt_sigprocmask, how, (long)(intptr_t)&set,
	                (long)(intptr_t)&before, sizeof(set), SYC_MASK_IS_OURS,
	                0);
#if defined(__x86_64__)
	/* The program's next system call may leave this register unchanged */
	__asm__ volatile("xor %%r8d, %%r8d" ::: "r8", "cc");
#endif
	return before;
}

void syc_all_signals_block(uint64_t *ret_before)
{
	*ret_before = syc_signal_mask(SIG_BLOCK, SYC_ALL_SIGNALS);
}

void syc_all_signals_restore(const uint64_t *before)
{
	syc_signal_mask(SIG_SETMASK, *before);
}

void syc_undisturbed_begin(struct syc_undisturbed *ret_before)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
	                       &ret_before->cancel_state);
	syc_all_signals_block(&ret_before->mask);
}

void syc_undisturbed_end(const struct syc_undisturbed *before)
{
	int ignored;

	syc_all_signals_restore(&before->mask);
	pthread_setcancelstate(before->cancel_state, &ignored);
}
