/* SPDX-License-Identifier: BSD-2-Clause */
/* again.c - the stack of a thread that was just asked for it.  Signal-safe. */
#define _GNU_SOURCE
#include "stack/again.h"

#include <stdbool.h>
#include <stddef.h>

#include "os/stack_bounds.h"
#include "stack/cache.h"
#include "stack/machine.h"
#include "stack/modules.h"
#include "stack/walk.h"

/* After so many walks in a row that were in vain so many are left out. */
#define FAILED_MOST   8u
#define LEFT_OUT_MOST 256u
/* A thread with less than that left on its stack gets the walk that takes
 * less. */
#define ROOM_LEAST 16384u

/* A new walk, until it meets the kept frames. */
struct fresh_walk {
	uintptr_t at, sp, fp;
	uintptr_t high; /* the last word that may be loaded */
	unsigned n;
	uint64_t last_addr; /* 0: the outermost was not met */
	struct syc_again_frame frames[SYC_AGAIN_MOST]; /* the last; in turns */
};

static uint64_t find_rule(struct syc_cache_entry *cache, uint64_t salt,
                          uintptr_t at)
{
	const uint64_t rule = syc_cache_find_home(cache, salt, at);

	return rule != 0 ? rule : syc_cache_find(cache, salt, at);
}

static bool fits_offset(uintptr_t from, uintptr_t to)
{
	return (uintptr_t)(int32_t)(to - from) == to - from;
}

/* To the caller, by a rule that is as simple as those of the fast loop. */
static bool step_fresh(struct fresh_walk *walk, uint64_t rule)
{
	struct syc_again_frame *const frame =
		&walk->frames[walk->n % SYC_AGAIN_MOST];
	const uintptr_t sp = walk->sp;
	const uintptr_t cfa = (rule & SYC_RULE_FROM_FP ? walk->fp : sp) +
	                      (uintptr_t)syc_rule_cfa(rule);
	const uintptr_t ra_at = SYC_RA_IN_REGISTER
	                                ? cfa + (uintptr_t)syc_rule_ra(rule)
	                                : cfa - 8;
	const uintptr_t fp_at = cfa + (uintptr_t)syc_rule_fp(rule);
	const bool is_saved = (rule & SYC_RULE_FP_SAVED) != 0;

	if ((rule & (7 | SYC_RULE_RA_IN_REG)) != SYC_RULE_CALL || cfa <= sp ||
	    ra_at < sp || ra_at > walk->high || !fits_offset(sp, ra_at))
		return false;
	const uintptr_t ra = syc_machine_strip(syc_machine_load(ra_at));

	if (ra - 1 >= SYC_CODE_LAST)
		return false;
	frame->at = walk->at;
	frame->sp = sp;
	frame->fp = walk->fp;
	frame->ra_at = (int32_t)(ra_at - sp);
	frame->fp_at = 0;
	if (is_saved) {
		if (fp_at < sp || fp_at > walk->high ||
		    !fits_offset(sp, fp_at + 1))
			return false;
		frame->fp_at = (int32_t)(fp_at - sp) + 1;
		walk->fp = syc_machine_load(fp_at);
	}
	walk->sp = cfa;
	walk->at = ra - 1;
	walk->n++;
	return true;
}

/* Whether the kept frame @inner would be left for the one after it. */
static inline bool leads_on(const struct syc_again_frame *inner)
{
	const struct syc_again_frame *const outer = inner - 1;
	const uintptr_t ra = syc_machine_strip(
		syc_machine_load(inner->sp + (uintptr_t)inner->ra_at));

	if (ra - 1 != outer->at)
		return false;
	return inner->fp_at == 0 ||
	       syc_machine_load(inner->sp + (uintptr_t)inner->fp_at - 1) ==
	               outer->fp;
}

/* The kept frames from @n - 1 outwards; returns 0, or as many of them as may
 * still hold. */
static unsigned take_kept(const struct syc_last_stack *again, unsigned n,
                          uint64_t *addrs)
{
	for (unsigned i = n - 1; i > 0; i--) {
		addrs[n - 1 - i] = again->frames[i].at;
		if (!leads_on(&again->frames[i]))
			return i;
	}
	addrs[n - 1] = again->last_addr;
	return 0;
}

/* Where the walk is in the kept frames: how many of them are outside of it and
 * it; 0: it is not at one.  @n: as many were outside of the frame before. */
static unsigned find_kept(const struct syc_last_stack *again, unsigned *n,
                          const struct fresh_walk *walk)
{
	while (*n > 0 && again->frames[*n - 1].sp < walk->sp)
		--*n;
	if (*n == 0)
		return 0;
	const struct syc_again_frame *const kept = &again->frames[*n - 1];

	return kept->sp == walk->sp && kept->at == walk->at &&
	                       kept->fp == walk->fp
	               ? *n
	               : 0;
}

/* What was walked comes inside of the @n_kept outermost. */
static void keep_frames(struct syc_last_stack *again, unsigned n_kept,
                        const struct fresh_walk *walk)
{
	unsigned n = n_kept;

	for (unsigned i = walk->n; i > 0 && n < SYC_AGAIN_MOST; i--)
		again->frames[n++] = walk->frames[(i - 1) % SYC_AGAIN_MOST];
	again->n = n;
}

static bool is_outermost(uint64_t rule)
{
	return syc_rule_kind(rule) == SYC_RULE_OUTERMOST ||
	       syc_rule_kind(rule) == SYC_RULE_BEGUN;
}

/* The walk stands at the outermost frame, by whose rule there is no caller. */
static void end_fresh(struct fresh_walk *walk, uint64_t rule)
{
	struct syc_again_frame *const frame =
		&walk->frames[walk->n++ % SYC_AGAIN_MOST];

	frame->at = walk->at;
	frame->sp = walk->sp;
	frame->fp = walk->fp;
	frame->ra_at = frame->fp_at = 0;
	/* A begin is told by its own address (syc_walk_tell_begin()) */
	walk->last_addr =
		syc_rule_kind(rule) == SYC_RULE_BEGUN ? walk->at + 1 : walk->at;
}

static unsigned walk_on(struct syc_last_stack *again, struct fresh_walk *walk,
                        uint64_t *addrs, unsigned max)
{
	struct syc_cache_entry *const cache = syc_cache_table();
	const uint64_t salt = syc_cache_salt(syc_modules_generation());
	unsigned n_outer;

	if (again->salt != salt)
		again->n = 0;
	again->salt = salt;
	n_outer = again->n;
	while (walk->n < max) {
		const unsigned n = find_kept(again, &n_outer, walk);

		if (n > 0) {
			if (walk->n + n > max)
				return 0;
			n_outer = take_kept(again, n, addrs + walk->n);
			if (n_outer == 0) {
				keep_frames(again, n, walk);
				return walk->n + n;
			}
		}
		const uint64_t rule = find_rule(cache, salt, walk->at);

		addrs[walk->n] = walk->at;
		if (is_outermost(rule)) {
			end_fresh(walk, rule);
			addrs[walk->n - 1] = again->last_addr = walk->last_addr;
			keep_frames(again, 0, walk);
			return walk->n;
		}
		if (!step_fresh(walk, rule))
			return 0;
	}
	return 0;
}

/* A function of its own, for what it takes of the stack. */
static __attribute__((noinline)) unsigned
walk_again(struct syc_last_stack *again, const struct syc_caller *from,
           uint64_t *addrs, unsigned max)
{
	struct fresh_walk walk;

	walk.at = syc_machine_strip(from->pc) - 1;
	walk.sp = from->sp;
	walk.fp = from->fp;
	walk.high = again->high - sizeof(uintptr_t);
	walk.n = 0;
	return walk_on(again, &walk, addrs, max);
}

/* The thread's own, and there is room on it. */
static bool is_own_stack(struct syc_last_stack *again, uintptr_t sp)
{
	/* Where nobody can tell: a range that holds nothing */
	if (again->high == 0 && !syc_stack_bounds(&again->low, &again->high))
		again->low = again->high = 1;
	return sp >= again->low && sp < again->high &&
	       sp - again->low >= ROOM_LEAST;
}

unsigned syc_again_backtrace(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max)
{
	unsigned n;

	if (again->n_left_out > 0) {
		again->n_left_out--;
		return 0;
	}
	if (!is_own_stack(again, from->sp))
		return 0;
	n = walk_again(again, from, addrs, max);
	again->n_failed = n > 0 ? 0 : again->n_failed + 1;
	if (again->n_failed == FAILED_MOST) {
		again->n_failed = 0;
		again->n_left_out = LEFT_OUT_MOST;
	}
	return n;
}
