/* SPDX-License-Identifier: BSD-2-Clause */
/* told.c - what the roles "io" and "stalls" find out and write. */
#define _GNU_SOURCE
#include "preload/told.h"

#include <signal.h>
#include <sys/syscall.h>

#include "os/raw_syscall.h"

#define ROOM \
	((uintptr_t)24 * 1024) /* a walk, a frame, a thread's first event */

/* By the linker: where this library begins, and where its code ends */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

void syc_told_own_code(uintptr_t *ret_low, uintptr_t *ret_high)
{
	*ret_low = (uintptr_t)__ehdr_start;
	*ret_high = (uintptr_t)etext;
}

unsigned syc_told_leave_out_ours(uint64_t *addrs, unsigned n)
{
	const uintptr_t low = (uintptr_t)__ehdr_start;
	const uintptr_t size = (uintptr_t)etext - low;
	unsigned n_kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (addrs[i] - low >= size)
			addrs[n_kept++] = addrs[i];
	return n_kept;
}

bool syc_told_is_main(void)
{
	return syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0) ==
	       syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool query_signal_stack(stack_t *ret_stack)
{
	return syc_raw_syscall(SYS_sigaltstack, 0, (long)(intptr_t)ret_stack, 0,
	                       0, 0, 0) == 0;
}

bool syc_told_is_on_signal_stack(void)
{
	stack_t stack;

	return !query_signal_stack(&stack) ||
	       (stack.ss_flags & SS_ONSTACK) != 0;
}

bool syc_told_has_room(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	stack_t stack;

	if (!query_signal_stack(&stack))
		return false;
	return (stack.ss_flags & SS_ONSTACK) == 0 ||
	       here - (uintptr_t)stack.ss_sp > ROOM;
}

uint32_t syc_told_wait(uint32_t tag, int64_t ns)
{
	uint64_t us = ns > 1000 ? (uint64_t)ns / 1000 : 1;
	uint32_t shift = 0;

	while (us > 0xFFFFF && shift < 15) {
		us >>= 1;
		shift++;
	}
	return tag | shift << 20 | (uint32_t)(us < 0xFFFFF ? us : 0xFFFFF);
}
