/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * step.c - steps that the fast loop does not take: by complex rules, on stacks
 * that must be checked, and through signal frames.
 * Signal-safe.
 */
#define _GNU_SOURCE
#include "stack/step.h"

#include "stack/bare.h"
#include "stack/modules.h"
#include "stack/tables.h"

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
	regs.r[SYC_REG_SP] = cfa;
	/* Its other saved registers are not in the rule */
	regs.known &= rule & SYC_RULE_OTHERS ? SYC_REG_BIT(SYC_REG_FP) |
	                                               SYC_REG_BIT(SYC_REG_SP)
	                                     : SYC_KEPT;
	regs.known |= SYC_REG_BIT(SYC_REG_PC);
	return syc_walk_accept(walk, &regs, false);
}

/* The kernel has stored all registers where the trampoline finds them. */
static enum syc_step step_signal(struct syc_walk *walk)
{
	const uintptr_t sp = walk->regs.r[SYC_REG_SP];
	struct syc_regs regs;

	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++)
		if (!syc_memory_load(&walk->stacks,
		                     syc_machine_signal_slot(sp, reg),
		                     &regs.r[reg]))
			return SYC_STEP_STOPPED;
	regs.known = (SYC_REG_BIT(SYC_MACHINE_REGS - 1) << 1) - 1;
	regs.left = regs.known & ~SYC_KEPT;
	/* The handler did not call: it returns to the trampoline's begin */
	syc_walk_tell_begin(walk);
	return syc_walk_accept(walk, &regs, true);
}

enum syc_step syc_step_outwards(struct syc_walk *walk, uint64_t rule)
{
	if (syc_rule_kind(rule) == SYC_RULE_NONE)
		rule = syc_cache_find(walk->cache, walk->salt, walk->at);
	if (syc_rule_kind(rule) == SYC_RULE_NONE ||
	    (syc_rule_kind(rule) == SYC_RULE_BARE &&
	     rule >> 8 != syc_modules_additions() % (UINT64_C(1) << 56)))
		rule = syc_tables_learn(walk);
	switch (syc_rule_kind(rule)) {
	case SYC_RULE_CALL:
	case SYC_RULE_ALIGNED:
		if (walk->full && (rule & SYC_RULE_OTHERS))
			return syc_tables_step(walk);
		return step_by_rule(walk, rule);
	case SYC_RULE_BEGUN:
		syc_walk_tell_begin(walk);
		return SYC_STEP_OUTERMOST;
	case SYC_RULE_OUTERMOST:
		return SYC_STEP_OUTERMOST;
	case SYC_RULE_SIGNAL:
		return step_signal(walk);
	case SYC_RULE_SLOW:
		return syc_tables_step(walk);
	default:
		return syc_bare_step(walk);
	}
}
