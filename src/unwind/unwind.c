/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.c - the walk: frames whose rule is in the cache are left here, in a
 * few nanoseconds each; for all others there is sc_walk_step().  Signal-safe.
 */
#define _GNU_SOURCE
#include "unwind/unwind.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include <syscap/format.h>

#include "unwind/modules.h"
#include "unwind/walk.h"

#define OUTERMOST_KEPT 16u
#define STEPS_MOST     16384u
#define DOUBT_MOST     4096u

/* Walks that stopped since rules were last doubted, after how many they are
 * again, and how many that was the last time.  Counts: nothing hangs on them. */
static _Atomic unsigned n_stopped, doubt_again, doubt_wait;

/* The innermost stay where they are; of what has no room the last few take
 * turns in the last places. */
static inline unsigned place_of(const struct sc_unwind *unwind, unsigned n)
{
	if (__builtin_expect(n < unwind->max, 1))
		return n;
	return unwind->max - OUTERMOST_KEPT +
	       (n - unwind->max) % OUTERMOST_KEPT;
}

/* What the fast loop may load without asking: of the stack it is on. */
static void bounds(const struct sc_memory *stacks, uintptr_t sp, uintptr_t *low,
                   uintptr_t *high)
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
static uint64_t run(struct sc_walk *w)
{
	struct sc_unwind *const unwind = w->unwind;
	const uint64_t mask =
		7 | SC_RULE_RA_IN_REG | (w->full ? SC_RULE_OTHERS : 0);
	struct sc_cache_entry *const cache = w->cache;
	const uint64_t salt = w->salt;
	uintptr_t at = w->at, sp = w->regs.r[SC_REG_SP];
	uintptr_t fp = w->regs.r[SC_REG_FP], low, high;
	const unsigned limit = unwind->innermost ? unwind->max : UINT_MAX;
	unsigned n = w->n, left = w->left;
	const uintptr_t first = at;
	uint64_t rule;

	bounds(&w->stacks, sp, &low, &high);
	for (;;) {
		if (__builtin_expect(w->skip > 0, 0)) {
			w->skip--;
		} else if (__builtin_expect(n >= limit, 0)) {
			n++; /* there are more */
			left = 0;
		} else {
			const unsigned place = place_of(unwind, n++);

			unwind->addrs[place] = at;
			if (unwind->sps != NULL)
				unwind->sps[place] = sp;
		}
		rule = sc_cache_find_home(cache, salt, at);
		if ((rule & mask) != SC_RULE_CALL || left == 0)
			break;
		const uintptr_t cfa = (rule & SC_RULE_FROM_FP ? fp : sp) +
		                      (uintptr_t)sc_rule_cfa(rule);
		const uintptr_t ra_at =
			SC_RA_IN_REGISTER ? cfa + (uintptr_t)sc_rule_ra(rule)
					  : cfa - 8;
		const uintptr_t fp_at = cfa + (uintptr_t)sc_rule_fp(rule);

		if (cfa <= sp || ra_at < low || ra_at > high)
			break;
		const uintptr_t ra = sc_machine_strip(sc_machine_load(ra_at));

		if (ra - 1 >= SC_CODE_LAST)
			break;
		if (rule & SC_RULE_FP_SAVED) {
			if (fp_at < low || fp_at > high)
				break;
			fp = sc_machine_load(fp_at);
		}
		sp = cfa;
		at = ra - 1;
		left--;
	}
	w->n = n;
	w->left = left;
	if (at == first && left == w->left && sp == w->regs.r[SC_REG_SP])
		return rule;
	w->at = at;
	w->exact = false;
	w->regs.r[SC_REG_PC] = at + 1;
	w->regs.r[SC_REG_SP] = sp;
	w->regs.r[SC_REG_FP] = fp;
	w->regs.known &= w->full ? SC_KEPT : 0;
	w->regs.known |= SC_REG_BIT(SC_REG_PC) | SC_REG_BIT(SC_REG_SP) |
	                 SC_REG_BIT(SC_REG_FP);
	return rule;
}

/* The places that frames took turns in, into their order. */
static void settle(struct sc_unwind *unwind, unsigned n)
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

static enum sc_step walk_all(struct sc_walk *w, unsigned leave_out)
{
	enum sc_step step = SC_STEP_DONE;

	w->cache = sc_cache_table();
	w->salt = sc_cache_salt(sc_modules_generation());
	w->exact = true;
	w->at = w->regs.r[SC_REG_PC];
	w->skip = leave_out;
	w->n = 0;
	w->left = w->unwind->max > STEPS_MOST ? w->unwind->max : STEPS_MOST;
	w->n_back = 0;
	while (step == SC_STEP_DONE) {
		const uint64_t rule = run(w);

		if (w->left == 0)
			return SC_STEP_STOPPED;
		w->left--;
		step = sc_walk_step(w, rule);
	}
	return step;
}

static void finish(struct sc_walk *w, enum sc_step step)
{
	struct sc_unwind *const unwind = w->unwind;

	unwind->n = w->n;
	unwind->flags = 0;
	if (step != SC_STEP_OUTERMOST)
		unwind->flags |= SYSCAP_STACK_STOPPED;
	if (w->n > unwind->max) {
		unwind->n = unwind->max;
		unwind->flags |= SYSCAP_STACK_CUT;
		if (!unwind->innermost)
			settle(unwind, w->n);
	}
}

/*
 * A walk that stopped may have gone astray by rules of a library that is no
 * more.  So they are all forgotten and it is tried again; the more seldom the
 * less it helped.
 */
static bool doubt(void)
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
static bool again(struct sc_walk *w, enum sc_step step)
{
	if (step == SC_STEP_FULL && !w->full) {
		w->full = true;
		return true;
	}
	if (w->doubted) {
		settle_doubt(step == SC_STEP_OUTERMOST);
		return false;
	}
	w->doubted = step == SC_STEP_STOPPED && w->left > 0 && doubt();
	if (w->doubted)
		sc_modules_forget();
	return w->doubted;
}

void sc_unwind_from(struct sc_unwind *unwind, const ucontext_t *context)
{
	struct sc_walk w;
	enum sc_step step;

	w.unwind = unwind;
	w.full = false;
	w.doubted = false;
	do {
		sc_memory_init(&w.stacks, unwind->low, unwind->high,
		               (uintptr_t)__builtin_frame_address(0));
		sc_regs_of_context(&w.regs, context);
		step = walk_all(&w, 0);
	} while (again(&w, step));
	finish(&w, step);
}

__attribute__((noinline)) void sc_unwind_here(struct sc_unwind *unwind,
                                              unsigned leave_out)
{
	struct sc_walk w;
	enum sc_step step;

	w.unwind = unwind;
	w.full = false;
	w.doubted = false;
	do {
		SC_MACHINE_CAPTURE(&w.regs);
		sc_memory_init(&w.stacks, unwind->low, unwind->high,
		               w.regs.r[SC_REG_SP]);
		step = walk_all(&w, leave_out + 1);
	} while (again(&w, step));
	finish(&w, step);
}

int sc_unwind_prepare(void)
{
	sc_memory_prepare();
	return sc_modules_prepare();
}

void sc_unwind_refresh(void)
{
	sc_memory_prepare();
	sc_modules_refresh();
}

bool sc_unwind_readable(const void *at, size_t n)
{
	return sc_memory_readable((uintptr_t)at, n);
}
