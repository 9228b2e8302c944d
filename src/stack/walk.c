/* SPDX-License-Identifier: BSD-2-Clause */
/* walk.c - position of a walk, and whether it may continue.  Signal-safe. */
#define _GNU_SOURCE
#include "stack/walk.h"

/* Stacks are left for a lower address through signal frames, and by functions
 * that run another on a stack of its own.  Chains of that are short. */
#define BACK_MOST 32u

void syc_walk_tell_begin(struct syc_walk *walk)
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
		return syc_regs_has(regs, SYC_REG_FP) &&
		                       regs->r[SYC_REG_FP] == 0
		               ? SYC_STEP_OUTERMOST
		               : SYC_STEP_STOPPED;
	if (pc > SYC_CODE_LAST)
		return SYC_STEP_STOPPED;
	/*
	 * If calls do not touch the stack, a leaf need not either.  Otherwise a
	 * leaf may have popped the return address, as vfork() does
	 */
	const bool stays =
		sp == was && walk->exact && pc != walk->regs.r[SYC_REG_PC];

	if (sp <= was && !stays && !exact) {
		/* back to the thread's own stack, from another */
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
