/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.c - the steps that the fast loop does not take: by rules that are not
 * simple, on stacks that must be asked about, through signal frames.
 * Signal-safe.
 */
#define _GNU_SOURCE
#include "unwind/walk.h"

#include "unwind/modules.h"

/* Stacks are left for a lower address through signal frames, and by functions
 * that run another on a stack of its own.  Chains of that are short. */
#define BACK_MOST 32u

enum sc_step sc_walk_accept(struct sc_walk *walk, const struct sc_regs *regs,
                            bool exact)
{
	const uintptr_t sp = regs->r[SC_REG_SP];
	const uintptr_t pc = regs->r[SC_REG_PC];
	const uintptr_t was = walk->regs.r[SC_REG_SP];
	const struct sc_memory *const stacks = &walk->stacks;

	if (pc == 0)
		return sc_regs_has(regs, SC_REG_FP) && regs->r[SC_REG_FP] == 0
		               ? SC_STEP_OUTERMOST
		               : SC_STEP_STOPPED;
	if (pc > SC_CODE_LAST)
		return SC_STEP_STOPPED;
	/* A leaf need not have touched the stack */
	const bool stays = sp == was && SC_RA_IN_REGISTER && walk->exact &&
	                   pc != walk->regs.r[SC_REG_PC];

	if (sp <= was && !stays && !exact) {
		/* back to the thread's own stack, from another */
		const bool home = sp >= stacks->low && sp < stacks->high &&
		                  !(was >= stacks->low && was < stacks->high);

		if (!home || walk->n_back++ == BACK_MOST)
			return SC_STEP_STOPPED;
	}
	if (exact && walk->n_back++ == BACK_MOST)
		return SC_STEP_STOPPED;
	if (regs != &walk->regs)
		walk->regs = *regs;
	walk->exact = exact;
	walk->at = exact ? pc : pc - 1;
	return SC_STEP_DONE;
}

static enum sc_step step_by_rule(struct sc_walk *walk, uint64_t rule)
{
	struct sc_memory *const stacks = &walk->stacks;
	struct sc_regs regs = walk->regs;
	uintptr_t cfa, fp_at;

	if (sc_rule_kind(rule) == SC_RULE_ALIGNED) {
		const uintptr_t fp = regs.r[SC_REG_FP];

		if (!sc_memory_load(stacks, fp + (uintptr_t)sc_rule_cfa(rule),
		                    &cfa))
			return SC_STEP_STOPPED;
		fp_at = fp + (uintptr_t)sc_rule_fp(rule);
	} else {
		cfa = regs.r[rule & SC_RULE_FROM_FP ? SC_REG_FP : SC_REG_SP] +
		      (uintptr_t)sc_rule_cfa(rule);
		fp_at = cfa + (uintptr_t)sc_rule_fp(rule);
	}
	if (rule & SC_RULE_RA_IN_REG) {
		if (!sc_regs_has(&regs, SC_REG_RA))
			return SC_STEP_STOPPED;
		regs.r[SC_REG_PC] = regs.r[SC_REG_RA];
	} else if (!sc_memory_load(stacks, cfa + (uintptr_t)sc_rule_ra(rule),
	                           &regs.r[SC_REG_PC])) {
		return SC_STEP_STOPPED;
	}
	regs.r[SC_REG_PC] = sc_machine_strip(regs.r[SC_REG_PC]);
	if ((rule & SC_RULE_FP_SAVED) &&
	    !sc_memory_load(stacks, fp_at, &regs.r[SC_REG_FP]))
		return SC_STEP_STOPPED;
	regs.r[SC_REG_SP] = cfa;
	/* What it saved of the others is not in the rule */
	regs.known &= rule & SC_RULE_OTHERS
	                      ? SC_REG_BIT(SC_REG_FP) | SC_REG_BIT(SC_REG_SP)
	                      : SC_KEPT;
	regs.known |= SC_REG_BIT(SC_REG_PC);
	return sc_walk_accept(walk, &regs, false);
}

/* The kernel has stored all registers where the trampoline finds them. */
static enum sc_step step_signal(struct sc_walk *walk)
{
	struct sc_unwind *const unwind = walk->unwind;
	const uintptr_t sp = walk->regs.r[SC_REG_SP];
	struct sc_regs regs;

	for (unsigned reg = 0; reg < SC_MACHINE_REGS; reg++)
		if (!sc_memory_load(&walk->stacks,
		                    sc_machine_signal_slot(sp, reg),
		                    &regs.r[reg]))
			return SC_STEP_STOPPED;
	regs.known = (SC_REG_BIT(SC_MACHINE_REGS - 1) << 1) - 1;
	/* The handler did not call: it returns to the trampoline's begin */
	if (!walk->exact && walk->n > 0 && walk->n <= unwind->max)
		unwind->addrs[walk->n - 1] = walk->regs.r[SC_REG_PC];
	return sc_walk_accept(walk, &regs, true);
}

enum sc_step sc_walk_step(struct sc_walk *walk, uint64_t rule)
{
	if (sc_rule_kind(rule) == SC_RULE_NONE)
		rule = sc_cache_find(walk->cache, walk->salt, walk->at);
	if (sc_rule_kind(rule) == SC_RULE_NONE ||
	    (sc_rule_kind(rule) == SC_RULE_BARE &&
	     rule >> 8 != sc_modules_additions() % (UINT64_C(1) << 56)))
		rule = sc_walk_learn(walk);
	switch (sc_rule_kind(rule)) {
	case SC_RULE_CALL:
	case SC_RULE_ALIGNED:
		if (walk->full && (rule & SC_RULE_OTHERS))
			return sc_walk_by_tables(walk);
		return step_by_rule(walk, rule);
	case SC_RULE_OUTERMOST:
		return SC_STEP_OUTERMOST;
	case SC_RULE_SIGNAL:
		return step_signal(walk);
	case SC_RULE_SLOW:
		return sc_walk_by_tables(walk);
	default:
		return sc_walk_bare(walk);
	}
}
