/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocation.h - ALLOCATION frames.  Run inside of malloc(): nothing here may
 * allocate, nor call what does.
 *
 * For public functions to have inlined, as sample.h.
 */
#ifndef SYC_EMIT_ALLOCATION_H
#define SYC_EMIT_ALLOCATION_H

#include <string.h>

#include <syscap.h>

#include "emit/event.h"
#include "emit/jitmap.h"
#include "emit/own.h"
#include "emit/stack.h"

SYC_EMITS_ADDRESSES;

/** It was at @now, by @addrs, whose names are published; @flags:
 * SYSCAP_STACK_*. */
static inline __attribute__((always_inline)) void
syc_allocation_of(int64_t now, uint64_t address, int64_t size,
                  const uint64_t *addrs, unsigned n_addrs, unsigned flags)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_ALLOCATION);
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_allocation) +
	                                n_addrs * sizeof(uint64_t));
	volatile uintptr_t token;
	struct syc_event event;

	if (st == NULL || !syc_event_begin(&event, st, &token, len,
	                                   SYSCAP_FRAME_ALLOCATION, now))
		return;
	struct syscap_wire_allocation *const allocation = (void *)event.frame;
	allocation->addr = address;
	allocation->size = size;
	allocation->tid = syc_event_tid(&event);
	allocation->n_addrs = (uint16_t)n_addrs;
	allocation->padding = (uint16_t)flags;
	if (n_addrs > 0) /* else there need be none */
		memcpy(allocation + 1, addrs, n_addrs * sizeof(uint64_t));
	syc_event_end(&event, st, &token, SYSCAP_FRAME_ALLOCATION);
}

/** It was at @now.  @flags: SYSCAP_STACK_*, which @backtrace writes; NULL: it
 * can't tell. */
static inline __attribute__((always_inline)) void syc_allocation_at(
	int64_t now, uint64_t address, int64_t size,
	int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
	void *user, const unsigned *flags)
{
	struct syc_stack stack;

	syc_stack_take(&stack, backtrace, user);
	syc_jitmap_publish(syc_stack_addrs(&stack), stack.n);
	/* The state is not asked for earlier: the callback may have forked, or
	 * stopped recording.  What is cut did not come to an end either. */
	syc_allocation_of(now, address, size, syc_stack_addrs(&stack), stack.n,
	                  stack.flags != 0 || flags == NULL ? stack.flags
	                                                    : *flags);
}

static inline __attribute__((always_inline)) void
syc_allocation(uint64_t address, int64_t size,
               int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
               void *user)
{
	if (syscap_is_active())
		syc_allocation_at(syscap_clock(), address, size, backtrace,
		                  user, NULL);
}

#endif
