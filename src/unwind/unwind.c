/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.c - the walk through the frames of a stack.  A fast loop steps out of
 * each frame whose rule is in the cache, in a few nanoseconds.  step_outwards()
 * steps out of all other frames.  The cache of rules is here, too.  All
 * functions are signal-safe.
 */
#define _GNU_SOURCE
#include "unwind/unwind.h"

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <syscap/format.h>

#include "os/process.h"
#include "unwind/memory.h"
#include "unwind/walk.h"

/* Greatest number of steps to a lower address in a walk.  Signal frames, and
 * functions that run another function on a separate stack, lead to a lower
 * address. */
#define BACK_MOST 32u

void syc_walk_report_begin(struct syc_walk *walk)
{
	struct syc_unwind *const unwind = walk->unwind;

	if (!walk->exact && walk->n > 0 && walk->n <= unwind->max)
		unwind->addrs[walk->n - 1] = walk->regs.r[SYC_REG_PC];
}

enum syc_step syc_walk_accept(struct syc_walk *walk,
                              const struct syc_regs *regs, bool exact)
{
	const uintptr_t sp = regs->r[SYC_REG_SP];
	const uintptr_t pc = regs->r[SYC_REG_PC];
	const uintptr_t was = walk->regs.r[SYC_REG_SP];
	const struct syc_memory *const stacks = &walk->stacks;

	if (pc == 0)
		return syc_walk_ends_at(walk, regs) ? SYC_STEP_OUTERMOST
		                                    : SYC_STEP_STOPPED;
	if (pc > SYC_CODE_LAST)
		return SYC_STEP_STOPPED;
	/*
	 * If calls do not use the stack, a leaf function need not use the stack
	 * either.  If calls use the stack, a leaf function may have popped the
	 * return address, as vfork() does
	 */
	const bool stays =
		sp == was && walk->exact && pc != walk->regs.r[SYC_REG_PC];

	if (sp <= was && !stays && !exact) {
		/* the step leads back to the thread's own stack */
		const bool home = sp >= stacks->low && sp < stacks->high &&
		                  !(was >= stacks->low && was < stacks->high);

		if (!home || walk->n_back++ == BACK_MOST)
			return SYC_STEP_STOPPED;
	}
	if (exact && walk->n_back++ == BACK_MOST)
		return SYC_STEP_STOPPED;
	if (regs != &walk->regs)
		walk->regs = *regs;
	walk->exact = exact ? SYC_PC_EXACT : SYC_PC_CALLED;
	walk->at = exact ? pc : pc - 1;
	return SYC_STEP_DONE;
}

static enum syc_step step_by_rule(struct syc_walk *walk, uint64_t rule)
{
	struct syc_memory *const stacks = &walk->stacks;
	struct syc_regs regs = walk->regs;
	uintptr_t cfa, fp_at;

	if (syc_rule_kind(rule) == SYC_RULE_ALIGNED) {
		const uintptr_t fp = regs.r[SYC_REG_FP];

		if (!syc_memory_load(stacks, fp + (uintptr_t)syc_rule_cfa(rule),
		                     &cfa))
			return SYC_STEP_STOPPED;
		fp_at = fp + (uintptr_t)syc_rule_fp(rule);
	} else {
		cfa = regs.r[rule & SYC_RULE_FROM_FP ? SYC_REG_FP
		                                     : SYC_REG_SP] +
		      (uintptr_t)syc_rule_cfa(rule);
		fp_at = cfa + (uintptr_t)syc_rule_fp(rule);
	}
	if (rule & SYC_RULE_RA_IN_REG) {
		if (!syc_regs_has(&regs, SYC_REG_RA))
			return SYC_STEP_STOPPED;
		regs.r[SYC_REG_PC] = regs.r[SYC_REG_RA];
	} else if (!syc_memory_load(stacks, cfa + (uintptr_t)syc_rule_ra(rule),
	                            &regs.r[SYC_REG_PC])) {
		return SYC_STEP_STOPPED;
	}
	regs.r[SYC_REG_PC] = syc_machine_strip(regs.r[SYC_REG_PC]);
	if ((rule & SYC_RULE_FP_SAVED) &&
	    !syc_memory_load(stacks, fp_at, &regs.r[SYC_REG_FP]))
		return SYC_STEP_STOPPED;
	regs.r[SYC_REG_SP] = cfa + (uintptr_t)SYC_CALL_SP;
	/* The frame's other saved registers are not in the rule */
	regs.known &= rule & SYC_RULE_OTHERS ? SYC_REG_BIT(SYC_REG_FP) |
	                                               SYC_REG_BIT(SYC_REG_SP)
	                                     : SYC_KEPT;
	regs.known |= SYC_REG_BIT(SYC_REG_PC);
	return syc_walk_accept(walk, &regs, false);
}

/* Step out of a signal frame of @kind.  The kernel has stored all registers
 * above the trampoline's frame. */
static enum syc_step step_signal(struct syc_walk *walk, unsigned kind)
{
	const uintptr_t sp = walk->regs.r[SYC_REG_SP];
	struct syc_regs regs;

	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++)
		if (!syc_memory_load(&walk->stacks,
		                     syc_machine_signal_slot(sp, kind, reg),
		                     &regs.r[reg]))
			return SYC_STEP_STOPPED;
	regs.known = (SYC_REG_BIT(SYC_MACHINE_REGS - 1) << 1) - 1;
	regs.left = regs.known & ~SYC_KEPT;
	/*
	 * The handler returns to the trampoline's start, which made no call.
	 */
	syc_walk_report_begin(walk);
	return syc_walk_accept(walk, &regs, true);
}

/*
 * Go from the current frame to its caller by any rule.  @rule is the cached
 * rule of the frame's address, or 0.  The function is not inlined, because
 * walk_all() would need the stack of both functions.
 */
static __attribute__((noinline)) enum syc_step
step_outwards(struct syc_walk *walk, uint64_t rule)
{
	if (syc_rule_kind(rule) == SYC_RULE_NONE)
		rule = syc_rule_cache_find(walk->cache, walk->salt, walk->at);
	if (syc_rule_kind(rule) == SYC_RULE_NONE ||
	    (syc_rule_kind(rule) == SYC_RULE_NO_CFI &&
	     rule >> 8 != syc_modules_additions() % (UINT64_C(1) << 56)))
		rule = syc_cfi_learn_rule(walk);
	switch (syc_rule_kind(rule)) {
	case SYC_RULE_CALL:
	case SYC_RULE_ALIGNED:
		if (walk->full && (rule & SYC_RULE_OTHERS))
			return syc_cfi_step(walk);
		return step_by_rule(walk, rule);
	case SYC_RULE_BEGUN:
		syc_walk_report_begin(walk);
		return SYC_STEP_OUTERMOST;
	case SYC_RULE_OUTERMOST:
		return SYC_STEP_OUTERMOST;
	case SYC_RULE_SIGNAL:
		return step_signal(walk, (unsigned)(rule >> 8) + 1);
	case SYC_RULE_SLOW:
		return syc_cfi_step(walk);
	default:
		return syc_no_cfi_step(walk);
	}
}

#define OUTERMOST_KEPT 16u
#define STEPS_MOST     16384u
#define DOUBT_MOST     4096u

/*
 * Number of stopped walks since the last drop of all rules, number before the
 * next drop, and the base of the number after that.  No data depends on these
 * numbers.
 */
static _Atomic unsigned n_stopped, doubt_again, doubt_wait;

/*
 * Return the place of frame @n.  Frames beyond the maximum use the last few
 * places cyclically.
 */
static inline unsigned frame_slot(const struct syc_unwind *unwind, unsigned n)
{
	if (__builtin_expect(n < unwind->max, 1))
		return n;
	return unwind->max - OUTERMOST_KEPT +
	       (n - unwind->max) % OUTERMOST_KEPT;
}

/* Return the part of the stack that the fast loop may load without a check. */
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
 * Store frames and go to their callers, as long as rules are simple.  Returns
 * the rule of the frame that was stored last, or 0.
 */
static uint64_t run_fast(struct syc_walk *w)
{
	struct syc_unwind *const unwind = w->unwind;
	const uint64_t mask =
		7 | SYC_RULE_RA_IN_REG | (w->full ? SYC_RULE_OTHERS : 0);
	struct syc_rule_cache_entry *const cache = w->cache;
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
			n++; /* this frame is counted, but not stored */
			left = 0;
		} else {
			const unsigned place = frame_slot(unwind, n++);

			unwind->addrs[place] = at;
			if (unwind->sps != NULL)
				unwind->sps[place] = sp;
		}
		rule = syc_rule_cache_find_home(cache, salt, at);
		if ((rule & mask) != SYC_RULE_CALL || left == 0)
			break;
		const uintptr_t cfa = (rule & SYC_RULE_FROM_FP ? fp : sp) +
		                      (uintptr_t)syc_rule_cfa(rule);
		const uintptr_t ra_at =
			SYC_RA_IN_REGISTER ? cfa + (uintptr_t)syc_rule_ra(rule)
					   : cfa - sizeof(uintptr_t);
		const uintptr_t fp_at = cfa + (uintptr_t)syc_rule_fp(rule);

		if (cfa + (uintptr_t)SYC_CALL_SP <= sp || ra_at < low ||
		    ra_at > high)
			break;
		const uintptr_t ra = syc_machine_strip(syc_machine_load(ra_at));

		if (ra - 1 >= SYC_CODE_LAST)
			break;
		if (rule & SYC_RULE_FP_SAVED) {
			if (fp_at < low || fp_at > high)
				break;
			fp = syc_machine_load(fp_at);
		}
		sp = cfa + (uintptr_t)SYC_CALL_SP;
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

/* Sort the places that excess frames used cyclically. */
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

	w->cache = syc_rule_cache_get();
	w->salt = syc_rule_cache_salt(syc_modules_generation());
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
		step = step_outwards(w, rule);
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
 * Return whether to drop all rules and repeat the walk, which may have stopped
 * because of rules of an unloaded library.  If a repetition did not help, the
 * next repetition follows after more stopped walks.
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

/* Decide whether to restart the walk, and how. */
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

/* The table of unwind rules. */

struct syc_rule_cache_entry *syc_rule_cache_get(void)
{
	static struct syc_rule_cache_entry *table;

	return syc_lazy_map_get(&table, sizeof(*table) << SYC_RULE_CACHE_BITS);
}

uint64_t syc_rule_cache_find(struct syc_rule_cache_entry *table, uint64_t salt,
                             uintptr_t pc)
{
	const unsigned home = syc_rule_cache_home(pc);

	if (table == NULL)
		return SYC_RULE_NONE;

	for (unsigned i = 0; i < SYC_RULE_CACHE_LINE; i++) {
		struct syc_rule_cache_entry *const entry = &table[home ^ i];
		const uint64_t check = atomic_load_explicit(
			&entry->check, memory_order_relaxed);
		const uint64_t rule = atomic_load_explicit(
			&entry->rule, memory_order_relaxed);

		if (check == syc_rule_cache_check(pc ^ salt, rule))
			return rule;
	}
	return SYC_RULE_NONE;
}

/*
 * Store a rule in the first free entry from its hash's entry on, or in an entry
 * with an older rule of @pc.  If no such entry exists, replace the rule at
 * home.
 */
void syc_rule_cache_store(struct syc_rule_cache_entry *table, uint64_t salt,
                          uintptr_t pc, uint64_t rule)
{
	const unsigned home = syc_rule_cache_home(pc);

	if (table == NULL)
		return;
	struct syc_rule_cache_entry *entry = &table[home];

	for (unsigned i = 0; i < SYC_RULE_CACHE_LINE; i++) {
		struct syc_rule_cache_entry *const at = &table[home ^ i];
		const uint64_t check =
			atomic_load_explicit(&at->check, memory_order_relaxed);
		const uint64_t old =
			atomic_load_explicit(&at->rule, memory_order_relaxed);

		if ((check == 0 && old == 0) ||
		    check == syc_rule_cache_check(pc ^ salt, old)) {
			entry = at;
			break;
		}
	}
	atomic_store_explicit(&entry->check,
	                      syc_rule_cache_check(pc ^ salt, rule),
	                      memory_order_relaxed);
	atomic_store_explicit(&entry->rule, rule, memory_order_relaxed);
}
