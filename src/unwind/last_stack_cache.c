/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_stack_cache.c - walks that reuse the frames of the thread's last walk.
 * All functions are signal-safe.
 */
#define _GNU_SOURCE
#include "unwind/last_stack_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "os/signals.h"
#include "os/threads.h"
#include "unwind/machine.h"
#include "unwind/memory.h"
#include "unwind/walk.h"

/* After FAILED_MOST walks in a row without a stack, the thread skips the next
 * LEFT_OUT_MOST walks. */
#define FAILED_MOST   8u
#define LEFT_OUT_MOST 256u

/* Position of a walk: an address inside of a call instruction, and the
 * registers at this call. */
struct place {
	uintptr_t at, sp, fp;
};

static uint64_t find_rule(uint64_t salt, uintptr_t at)
{
	struct syc_rule_cache_entry *const cache = syc_rule_cache_get();
	const uint64_t rule = syc_rule_cache_find_home(cache, salt, at);

	return rule != 0 ? rule : syc_rule_cache_find(cache, salt, at);
}

static bool is_outermost(uint64_t rule)
{
	return syc_rule_kind(rule) == SYC_RULE_OUTERMOST ||
	       syc_rule_kind(rule) == SYC_RULE_BEGUN;
}

/*
 * Find the step from @here to its caller, by a simple rule, as in the fast
 * loop.  @last is the last word that may be loaded.
 */
static bool learn_frame(struct syc_kept_frame *frame, const struct place *here,
                        uint64_t rule, uintptr_t last)
{
	const bool is_from_fp = (rule & SYC_RULE_FROM_FP) != 0;
	const uintptr_t sp = here->sp;
	const uintptr_t cfa =
		(is_from_fp ? here->fp : sp) + (uintptr_t)syc_rule_cfa(rule);
	const uintptr_t ra_at = SYC_RA_IN_REGISTER
	                                ? cfa + (uintptr_t)syc_rule_ra(rule)
	                                : cfa - sizeof(uintptr_t);
	const uintptr_t fp_at = cfa + (uintptr_t)syc_rule_fp(rule);

	frame->at = here->at;
	frame->sp = sp;
	frame->fp = 0;
	frame->fp_at = 0;
	if (is_outermost(rule)) {
		/*
		 * A function's start is reported by its own address
		 * (syc_walk_report_begin()).
 */
		frame->ra_at = syc_rule_kind(rule) == SYC_RULE_BEGUN;
		frame->cfa = 0;
		return true;
	}
	if ((rule & (7 | SYC_RULE_RA_IN_REG)) != SYC_RULE_CALL ||
	    cfa + (uintptr_t)SYC_CALL_SP <= sp || ra_at < sp || ra_at > last)
		return false;
	if (rule & SYC_RULE_FP_SAVED) {
		if (fp_at < sp || fp_at > last)
			return false;
		frame->fp_at = fp_at;
	}
	if (is_from_fp)
		frame->fp = here->fp;
	frame->ra_at = ra_at;
	frame->cfa = cfa + (uintptr_t)SYC_CALL_SP;
	return true;
}

/* Return whether the frame is outermost. */
static inline bool is_last(const struct syc_kept_frame *frame)
{
	return frame->cfa == 0;
}

/* Return whether the kept frame @frame belongs to the position @here. */
static inline bool is_of(const struct syc_kept_frame *frame,
                         const struct place *here)
{
	return frame->at == here->at && frame->sp == here->sp &&
	       (frame->fp == 0 || frame->fp == here->fp);
}

/* Move to the caller. */
static inline void leave_frame(struct place *here,
                               const struct syc_kept_frame *frame)
{
	here->at = syc_machine_strip(syc_machine_load(frame->ra_at)) - 1;
	if (frame->fp_at != 0)
		here->fp = syc_machine_load(frame->fp_at);
	here->sp = frame->cfa;
}

/*
 * Return the end of the kept frames at @sp or further out.  The search starts
 * at @from, the end for another sp.
 */
static inline struct syc_kept_frame *find_inner(struct syc_last_stack *again,
                                                struct syc_kept_frame *from,
                                                uintptr_t sp)
{
	while (from[-1].sp < sp)
		from--;
	while (from < again->end && from->sp >= sp)
		from++;
	return from;
}

/* Like find_inner(), for the start of a walk.  Stacks of similar depths
 * alternate, so the result is remembered by @sp. */
static inline struct syc_kept_frame *find_first(struct syc_last_stack *again,
                                                uintptr_t sp)
{
	uint8_t *const begun = &again->begun[(sp >> 4) % sizeof(again->begun)];
	struct syc_kept_frame *const before = &again->frames[*begun];
	struct syc_kept_frame *inner;

	if (before->sp == sp && before < again->end)
		return before + 1;
	inner = find_inner(again, again->end, sp);
	*begun = (uint8_t)(inner - 1 - again->frames);
	return inner;
}

/* Walk from the kept frame @frame, which contains @here, as long as each kept
 * frame leads to the next.  @here becomes the caller of the returned frame,
 * unless the returned frame is outermost. */
static inline struct syc_kept_frame *
follow_kept(struct syc_kept_frame *frame, struct place *here, uint64_t **next)
{
	struct place place = *here;
	uint64_t *addr = *next;

	for (;; frame--) {
		*addr++ = place.at;
		if (is_last(frame))
			break;
		leave_frame(&place, frame);
		if (!is_of(frame - 1, &place))
			break;
	}
	*here = place;
	*next = addr;
	return frame;
}

/*
 * Keep @new instead of the kept frames in the part of the stack that @new
 * occupies.  @inner is the first frame further in.
 */
static void keep_frame(struct syc_last_stack *again,
                       struct syc_kept_frame *inner,
                       const struct syc_kept_frame *new)
{
	struct syc_kept_frame *at = inner;
	size_t n_inner = (size_t)(again->end - inner), n_most;

	while (at[-1].sp <= new->sp || at[-1].sp < new->cfa)
		at--;
	n_most = (size_t)(again->frames + SYC_KEPT_FRAMES_MOST - at);
	if (n_most == 0)
		return;
	if (n_inner > n_most - 1) /* drop the innermost frames */
		n_inner = n_most - 1;
	memmove(at + 1, inner, n_inner * sizeof(*at));
	*at = *new;
	again->end = at + 1 + n_inner;
}

static void forget_older(struct syc_last_stack *again, uint64_t salt)
{
	if (again->salt == salt)
		return;
	again->frames[0].sp = UINTPTR_MAX;
	again->end = again->frames + 1;
	again->salt = salt;
}

/* Returns the end of the addresses, or @addrs if the walk did not reach the
 * outermost frame. */
static uint64_t *walk_on(struct syc_last_stack *again, struct place here,
                         uint64_t *addrs, const uint64_t *most)
{
	const uint64_t salt = syc_rule_cache_salt(syc_modules_generation());
	struct syc_kept_frame frame, *inner;
	uint64_t *next = addrs;

	forget_older(again, salt);
	inner = find_first(again, here.sp);
	while (most - next > (ptrdiff_t)SYC_KEPT_FRAMES_MOST) {
		if (is_of(inner - 1, &here)) {
			inner = follow_kept(inner - 1, &here, &next);
			if (is_last(inner)) {
				next[-1] += inner->ra_at;
				return next;
			}
			inner = find_inner(again, inner, here.sp);
			continue;
		}
		const uint64_t rule = find_rule(salt, here.at);

		if (!learn_frame(&frame, &here, rule,
		                 again->high - sizeof(uintptr_t)))
			return addrs;
		/* Do not keep the innermost frame, which changes most often */
		if (next > addrs)
			keep_frame(again, inner, &frame);
		*next++ = here.at;
		if (is_last(&frame)) {
			next[-1] += frame.ra_at;
			return next;
		}
		leave_frame(&here, &frame);
		inner = find_inner(again, inner, here.sp);
	}
	return addrs;
}

/* Walk with the kept frames.  The function is not inlined, because it needs
 * much stack. */
static __attribute__((noinline)) unsigned
walk_again(struct syc_last_stack *again, const struct syc_caller *from,
           uint64_t *addrs, unsigned max)
{
	const struct place here = { .at = (uintptr_t)syc_caller_address(from),
		                    .sp = from->sp,
		                    .fp = from->fp };

	return (unsigned)(walk_on(again, here, addrs, addrs + max) - addrs);
}

void syc_last_stack_find_bounds(struct syc_last_stack *again)
{
	uintptr_t low, high;
	uint64_t mask;

	/* A handler that jumps would leave an open fd, or half of the bounds */
	syc_all_signals_block(&mask);
	if (!syc_stack_bounds(&low, &high))
		low = high = 1; /* an empty range */
	again->low = low;
	again->high = high;
	syc_all_signals_restore(&mask);
}

unsigned syc_last_stack_walk(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max)
{
	unsigned n;

	if (again->n_left_out > 0) {
		again->n_left_out--;
		return 0;
	}
	n = walk_again(again, from, addrs, max);
	again->n_failed = n > 0 ? 0 : again->n_failed + 1;
	if (again->n_failed == FAILED_MOST) {
		again->n_failed = 0;
		again->n_left_out = LEFT_OUT_MOST;
	}
	return n;
}
