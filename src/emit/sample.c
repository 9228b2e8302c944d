/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - SAMPLE frames with a stack that the program provides. */
#define _GNU_SOURCE
#include "emit/sample.h"

#include <string.h>

#include "emit/event.h"
#include "emit/ring_source.h"

SYC_EMITS_ADDRESSES;

void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user)
{
	syc_sample(backtrace, user, false);
}

void syc_sample_emit_tagged(int64_t now, const uint64_t *addrs, unsigned n,
                            unsigned flags, uint32_t tagged, int32_t tid)
{
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_sample) +
	                                n * sizeof(*addrs));
	volatile uintptr_t token;
	struct syc_event event;

	/* A callback may have forked, or stopped recording */
	if (!syscap_is_active())
		return;
	syc_jitmap_publish(addrs, n);
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_SAMPLE);
	if (st == NULL ||
	    !syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_SAMPLE, now))
		return;
	struct syscap_wire_sample *const sample = (void *)event.frame;
	sample->n_addrs = (uint16_t)n;
	sample->flags = (uint16_t)flags;
	sample->tid = tid != 0 ? tid : syc_event_tid(&event);
	memcpy(sample + 1, addrs, n * sizeof(*addrs));
	syc_event_end(&event, st, &token,
	              SYC_WORD(frame, type, SYSCAP_FRAME_SAMPLE) |
	                      SYC_WORD(frame, padding2, tagged));
}

void syc_sample_emit(int64_t now, const uint64_t *addrs, unsigned n,
                     unsigned flags, uint32_t weight)
{
	syc_sample_emit_tagged(now, addrs, n, flags, syc_sample_tag(weight), 0);
}
