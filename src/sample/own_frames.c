/* SPDX-License-Identifier: BSD-2-Clause */
/* own_frames.c - frames of ours are left out of a stack; see own_frames.h. */
#include "sample/own_frames.h"

#include <stddef.h>
#include <string.h>

static void leave_out_innermost(struct syc_unwind *unwind, unsigned n)
{
	if (n == 0)
		return;
	unwind->n -= n;
	memmove(unwind->addrs, unwind->addrs + n,
	        unwind->n * sizeof(*unwind->addrs));
	if (unwind->sps != NULL)
		memmove(unwind->sps, unwind->sps + n,
		        unwind->n * sizeof(*unwind->sps));
}

void syc_own_frames_leave_below(struct syc_unwind *unwind, uintptr_t cfa)
{
	unsigned n = 0;

	while (n < unwind->n && unwind->sps[n] < cfa)
		n++;
	if (n == unwind->n) /* the stack is another than where we began */
		n = 0;
	leave_out_innermost(unwind, n);
}

void syc_own_frames_leave_wait(struct syc_unwind *unwind,
                               const struct syc_own_wait *wait)
{
	unsigned n = 0;

	if (wait == NULL)
		return;
	while (n + 1 < unwind->n && unwind->addrs[n + 1] >= wait->low &&
	       unwind->addrs[n + 1] < wait->high)
		n++;
	leave_out_innermost(unwind, n);
	if (n != 0 && wait->called != 0)
		unwind->addrs[0] = wait->called;
}

void syc_own_frames_put_innermost(struct syc_unwind *unwind, uint64_t name)
{
	if (name == 0 || unwind->n == 0)
		return;
	if (unwind->n == unwind->max)
		unwind->n--;
	memmove(unwind->addrs + 1, unwind->addrs,
	        unwind->n * sizeof(*unwind->addrs));
	unwind->addrs[0] = name;
	if (unwind->sps != NULL)
		memmove(unwind->sps + 1, unwind->sps,
		        unwind->n * sizeof(*unwind->sps));
	unwind->n++;
}
