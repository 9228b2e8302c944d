/* SPDX-License-Identifier: BSD-2-Clause */
/* all_signals.c - nobody's handler comes between; see all_signals.h. */
#include "os/all_signals.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

void syc_all_signals_fill(sigset_t *set)
{
	uint64_t all;

	sigfillset(set); /* but for the C library's own */
	memcpy(&all, set, sizeof(all));
	all &= ~(UINT64_C(1) << (SIGSYS - 1));
	memcpy(set, &all, sizeof(all));
}

void syc_all_signals_block(sigset_t *ret_before)
{
	sigset_t all;

	syc_all_signals_fill(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

void syc_all_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
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
