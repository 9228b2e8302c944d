/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.c - the walk: frames whose rule is in the cache are left here, in a
 * few nanoseconds each; for all others there is syc_step_outwards().  Signal-safe.
 */
#define _GNU_SOURCE
#include "stack/unwind.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include <syscap/format.h>

#include "stack/modules.h"
#include "stack/step.h"
#include "stack/walk.h"

#define OUTERMOST_KEPT 16u
#define STEPS_MOST     16384u
#define DOUBT_MOST     4096u

/* Walks that stopped since rules were last doubted, after how many they are
 * again, and how many that was the last time.  Counts: nothing hangs on them. */
static _Atomic unsigned n_stopped, doubt_again, doubt_wait;

/* The innermost stay where they are; of what has no room the last few take
 * turns in the last places. */
static inline unsigned frame_slot(const struct syc_unwind *unwind, unsigned n)
{
	if (__builtin_expect(n < unwind->max, 1))
		return n;
	return unwind->max - OUTERMOST_KEPT +
	       (n - unwind->max) % OUTERMOST_KEPT;
}

/* The part of its stack that the fast loop may load without a check. */
static void find_bounds(const struct syc_memory *stacks, uintptr_t sp,
                        uintptr_t *low, uintptr_t *high)
{
	if (sp >= stacks->floor && sp < stacks->high) {
		*low = stacks->floor;
		*high = stacks->high - sizeof(uintptr_t);
	} else if (sp >= stacks->seen_low && sp < stacks->seen_high) {
		*low = stacks->seen_low;
		*high = stacks->seen_high - sizeof(uintptr_t);
	} else {
		*low = 1;
		*high = 0;
	}
}

/*
 * Store the current frame and go to its caller, for as long as that is
 * simple.  Returns the rule that is not, or 0, of the frame that was stored
 * last.
 */
static uint64_t run_fast(struct syc_walk *w)
{
	struct syc_unwind *const unwind = w->unwind;
	const uint64_t mask =
		7 | SYC_RULE_RA_IN_REG | (w->full ? SYC_RULE_OTHERS : 0);
	struct syc_cache_entry *const cache = w->cache;
	const uint64_t salt = w->salt;
	uintptr_t at = w->at, sp = w->regs.r[SYC_REG_SP];
	uintptr_t fp = w->regs.r[SYC_REG_FP], low, high;
	const unsigned limit = unwind->innermost ? unwind->max : UINT_MAX;
	unsigned n = w->n, left = w->left;
	const uintptr_t first = at;
	uint64_t rule;

	find_bounds(&w->stacks, sp, &low, &high);
	for (;;) {
		if (__builtin_expect(w->skip > 0, 0)) {
			w->skip--;
		} else if (__builtin_expect(n >= limit, 0)) {
			n++; /* there are more */
			left = 0;
		} else {
			const unsigned place = frame_slot(unwind, n++);

			unwind->addrs[place] = at;
			if (unwind->sps != NULL)
				unwind->sps[place] = sp;
		}
		rule = syc_cache_find_home(cache, salt, at);
		if ((rule & mask) != SYC_RULE_CALL || left == 0)
			break;
		const uintptr_t cfa = (rule & SYC_RULE_FROM_FP ? fp : sp) +
		                      (uintptr_t)syc_rule_cfa(rule);
		const uintptr_t ra_at =
			SYC_RA_IN_REGISTER ? cfa + (uintptr_t)syc_rule_ra(rule)
					   : cfa - 8;
		const uintptr_t fp_at = cfa + (uintptr_t)syc_rule_fp(rule);

		if (cfa <= sp || ra_at < low || ra_at > high)
			break;
		const uintptr_t ra = syc_machine_strip(syc_machine_load(ra_at));

		if (ra - 1 >= SYC_CODE_LAST)
			break;
		if (rule & SYC_RULE_FP_SAVED) {
			if (fp_at < low || fp_at > high)
				break;
			fp = syc_machine_load(fp_at);
		}
		sp = cfa;
		at = ra - 1;
		left--;
	}
	w->n = n;
	w->left = left;
	if (at == first && left == w->left && sp == w->regs.r[SYC_REG_SP])
		return rule;
	w->at = at;
	w->exact = SYC_PC_CALLED;
	w->regs.r[SYC_REG_PC] = at + 1;
	w->regs.r[SYC_REG_SP] = sp;
	w->regs.r[SYC_REG_FP] = fp;
	w->regs.known &= w->full ? SYC_KEPT : 0;
	w->regs.known |= SYC_REG_BIT(SYC_REG_PC) | SYC_REG_BIT(SYC_REG_SP) |
	                 SYC_REG_BIT(SYC_REG_FP);
	return rule;
}

/* The places that frames took turns in, into their order. */
static void order_outermost(struct syc_unwind *unwind, unsigned n)
{
	uint64_t addrs[OUTERMOST_KEPT];
	uintptr_t sps[OUTERMOST_KEPT];
	const unsigned from = unwind->max - OUTERMOST_KEPT;
	const unsigned turned = n - unwind->max;

	for (unsigned i = 0; i < OUTERMOST_KEPT; i++) {
		const unsigned at = from + (turned + i) % OUTERMOST_KEPT;

		addrs[i] = unwind->addrs[at];
		sps[i] = unwind->sps != NULL ? unwind->sps[at] : 0;
	}
	memcpy(unwind->addrs + from, addrs, sizeof(addrs));
	if (unwind->sps != NULL)
		memcpy(unwind->sps + from, sps, sizeof(sps));
}

static enum syc_step walk_all(struct syc_walk *w, unsigned leave_out)
{
	enum syc_step step = SYC_STEP_DONE;

	w->cache = syc_cache_table();
	w->salt = syc_cache_salt(syc_modules_generation());
	w->exact = SYC_PC_EXACT;
	w->at = w->regs.r[SYC_REG_PC];
	w->skip = leave_out;
	w->n = 0;
	w->left = w->unwind->max > STEPS_MOST ? w->unwind->max : STEPS_MOST;
	w->n_back = 0;
	while (step == SYC_STEP_DONE) {
		const uint64_t rule = run_fast(w);

		if (w->left == 0)
			return SYC_STEP_STOPPED;
		w->left--;
		step = syc_step_outwards(w, rule);
	}
	return step;
}

static void finish_walk(struct syc_walk *w, enum syc_step step)
{
	struct syc_unwind *const unwind = w->unwind;

	unwind->n = w->n;
	unwind->flags = 0;
	if (step != SYC_STEP_OUTERMOST)
		unwind->flags |= SYSCAP_STACK_STOPPED;
	if (w->n > unwind->max) {
		unwind->n = unwind->max;
		unwind->flags |= SYSCAP_STACK_CUT;
		if (!unwind->innermost)
			order_outermost(unwind, w->n);
	}
}

/*
 * A walk that stopped may have gone astray by rules of a library that is no
 * more.  So they are all forgotten and it is tried again; the more seldom the
 * less it helped.
 */
static bool doubts_modules(void)
{
	const unsigned n =
		atomic_fetch_add_explicit(&n_stopped, 1, memory_order_relaxed);

	return n >= atomic_load_explicit(&doubt_again, memory_order_relaxed);
}

static void settle_doubt(bool helped)
{
	const unsigned wait =
		atomic_load_explicit(&doubt_wait, memory_order_relaxed);
	const unsigned next = helped              ? 0
	                      : wait < DOUBT_MOST ? 2 * wait + 1
	                                          : wait;

	atomic_store_explicit(&doubt_wait, next, memory_order_relaxed);
	atomic_store_explicit(&doubt_again, next, memory_order_relaxed);
	atomic_store_explicit(&n_stopped, 0, memory_order_relaxed);
}

/* Whether to begin again, and how. */
static bool begins_again(struct syc_walk *w, enum syc_step step)
{
	if (step == SYC_STEP_FULL && !w->full) {
		w->full = true;
		return true;
	}
	if (w->doubted) {
		settle_doubt(step == SYC_STEP_OUTERMOST);
		return false;
	}
	w->doubted =
		step == SYC_STEP_STOPPED && w->left > 0 && doubts_modules();
	if (w->doubted)
		syc_modules_forget();
	return w->doubted;
}

void syc_unwind_from(struct syc_unwind *unwind, const ucontext_t *context)
{
	struct syc_walk w;
	enum syc_step step;

	w.unwind = unwind;
	w.full = false;
	w.doubted = false;
	do {
		syc_memory_init(&w.stacks, unwind->low, unwind->high,
		                (uintptr_t)__builtin_frame_address(0));
		syc_regs_of_context(&w.regs, context);
		step = walk_all(&w, 0);
	} while (begins_again(&w, step));
	finish_walk(&w, step);
}

__attribute__((noinline)) void syc_unwind_here(struct syc_unwind *unwind,
                                               unsigned leave_out)
{
	struct syc_walk w;
	enum syc_step step;

	w.unwind = unwind;
	w.full = false;
	w.doubted = false;
	do {
		SYC_MACHINE_CAPTURE(&w.regs);
		syc_memory_init(&w.stacks, unwind->low, unwind->high,
		                w.regs.r[SYC_REG_SP]);
		step = walk_all(&w, leave_out + 1);
	} while (begins_again(&w, step));
	finish_walk(&w, step);
}

int syc_unwind_prepare(void)
{
	syc_memory_prepare();
	return syc_modules_prepare();
}

void syc_unwind_refresh(void)
{
	syc_memory_prepare();
	syc_modules_refresh();
}

bool syc_unwind_readable(const void *at, size_t n)
{
	return syc_memory_readable((uintptr_t)at, n);
}
