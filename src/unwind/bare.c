/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare.c - steps out of code that has no tables: a JIT's, by the runtime's
 * own word or by frame pointers.  What can be checked is.  Signal-safe.
 */
#define _GNU_SOURCE
#include <syscap/runtime.h>

#include "unwind/modules.h"
#include "unwind/walk.h"

/* On stacks whose bounds are not known: how far up a frame pointer points. */
#define FRAME_MOST ((uintptr_t)1 << 20)

/* Words from the stack pointer on that are looked at for a return address. */
#define SCAN_MOST 16u

/* Something that can be returned to is at @pc, as far as can be told. */
static bool is_code(const struct sc_walk *walk, uintptr_t pc)
{
	struct sc_loaded_module module;

	return sc_cache_find(walk->cache, walk->salt, pc - 1) != SC_RULE_NONE ||
	       sc_modules_find(pc, &module) || sc_memory_readable(pc - 1, 2);
}

static enum sc_step go(struct sc_walk *walk, struct sc_regs *regs)
{
	regs->r[SC_REG_PC] = sc_machine_strip(regs->r[SC_REG_PC]);
	if (regs->r[SC_REG_PC] != 0 && !is_code(walk, regs->r[SC_REG_PC]))
		return SC_STEP_STOPPED;
	regs->known = SC_REG_BIT(SC_REG_PC) | SC_REG_BIT(SC_REG_SP) |
	              SC_REG_BIT(SC_REG_FP);
	return sc_walk_accept(walk, regs, false);
}

/* The return address, and above it nothing of the function's. */
static bool pop_return(struct sc_walk *walk, struct sc_regs *regs)
{
#if SC_RA_IN_REGISTER
	(void)walk;
	regs->r[SC_REG_PC] = regs->r[SC_REG_RA];
	return sc_regs_has(regs, SC_REG_RA);
#else
	if (!sc_memory_load(&walk->stacks, regs->r[SC_REG_SP],
	                    &regs->r[SC_REG_PC]))
		return false;
	regs->r[SC_REG_SP] += sizeof(uintptr_t);
	return true;
#endif
}

/* The caller's frame pointer and the return address, one above the other. */
static bool pop_frame(struct sc_walk *walk, uintptr_t at, struct sc_regs *regs)
{
	if (!sc_memory_load(&walk->stacks, at, &regs->r[SC_REG_FP]) ||
	    !sc_memory_load(&walk->stacks, at + sizeof(uintptr_t),
	                    &regs->r[SC_REG_PC]))
		return false;
	regs->r[SC_REG_SP] = at + 2 * sizeof(uintptr_t);
	return true;
}

/*
 * An interrupted function that is about to make its frame, or has just taken
 * it down; or none at all, after a call through a pointer to nowhere.
 * Returns SC_STEP_FULL if it is neither.
 */
static enum sc_step step_at_edge(struct sc_walk *walk)
{
	const uintptr_t pc = walk->regs.r[SC_REG_PC];
	unsigned char code[SC_MACHINE_CODE] = { 0 };
	enum sc_machine_entry entry = SC_ENTRY_BARE;
	struct sc_regs regs = walk->regs;
	unsigned char before = 0;

	if (sc_memory_copy(code, pc, sizeof(code)) > 0) {
		sc_memory_copy(&before, pc - 1, 1);
		entry = sc_machine_entry(code, before);
	}
	if (entry == SC_ENTRY_UNKNOWN)
		return SC_STEP_FULL;
	if (entry == SC_ENTRY_BARE ? !pop_return(walk, &regs)
	                           : !pop_frame(walk, regs.r[SC_REG_SP], &regs))
		return SC_STEP_STOPPED;
	return go(walk, &regs);
}

/*
 * An interrupted function of a library, written by hand without tables: such
 * use a frame pointer in ways of their own, if any, but little of the stack.  The first word that
 * looks like a return address is believed to be its.
 */
static enum sc_step step_by_scan(struct sc_walk *walk)
{
	const uintptr_t sp = walk->regs.r[SC_REG_SP];
	struct sc_regs regs = walk->regs;
	struct sc_loaded_module module;

	if (!sc_modules_find(regs.r[SC_REG_PC], &module) || module.header == 0)
		return SC_STEP_FULL;
	if (SC_RA_IN_REGISTER && sc_regs_has(&regs, SC_REG_RA)) {
		regs.r[SC_REG_PC] = sc_machine_strip(regs.r[SC_REG_RA]);
		if (sc_walk_is_return(regs.r[SC_REG_PC]))
			return go(walk, &regs);
	}
	for (unsigned i = 0; i < SCAN_MOST; i++) {
		const uintptr_t at = sp + i * sizeof(uintptr_t);

		if (!sc_memory_load(&walk->stacks, at, &regs.r[SC_REG_PC]))
			break;
		regs.r[SC_REG_PC] = sc_machine_strip(regs.r[SC_REG_PC]);
		if (!sc_walk_is_return(regs.r[SC_REG_PC]))
			continue;
		/* A frame pointer into its own frame is not the caller's, which
		 * it pushed first, then. */
		if (regs.r[SC_REG_FP] >= sp && regs.r[SC_REG_FP] < at &&
		    !sc_memory_load(&walk->stacks, at - sizeof(uintptr_t),
		                    &regs.r[SC_REG_FP]))
			break;
		regs.r[SC_REG_SP] = at + sizeof(uintptr_t);
		return go(walk, &regs);
	}
	return SC_STEP_FULL;
}

static enum sc_step step_by_fp(struct sc_walk *walk)
{
	const struct sc_memory *const stacks = &walk->stacks;
	struct sc_regs regs = walk->regs;
	const uintptr_t sp = regs.r[SC_REG_SP], fp = regs.r[SC_REG_FP];

	if (!sc_regs_has(&regs, SC_REG_FP) || fp < sp ||
	    fp % sizeof(uintptr_t) != 0)
		return SC_STEP_STOPPED;
	const uintptr_t end = sp >= stacks->low && sp < stacks->high
	                              ? stacks->high
	                              : sp + FRAME_MOST;

	if (fp >= end || end - fp < 2 * sizeof(uintptr_t) ||
	    !pop_frame(walk, fp, &regs))
		return SC_STEP_STOPPED;
	return go(walk, &regs);
}

/* 0 or less than 0, and whatever it did: the runtime's answer. */
static bool step_out(struct sc_walk *walk, enum sc_step *ret_step)
{
	struct sc_unwind *const unwind = walk->unwind;
	struct sc_regs regs = walk->regs;
	struct sc_unwind_regs out = { .pc = regs.r[SC_REG_PC],
		                      .sp = regs.r[SC_REG_SP],
		                      .fp = regs.r[SC_REG_FP] };

#if SC_RA_IN_REGISTER
	if (sc_regs_has(&regs, SC_REG_RA))
		out.lr = regs.r[SC_REG_RA];
#endif
	const int r = unwind->step_out != NULL
	                      ? unwind->step_out(unwind->context, &out)
	                      : -1;
	if (r < 0)
		return false;
	/* The frame is told of in another way */
	if (r == SYSCAP_STEP_TOLD && walk->n > 0)
		walk->n--;
	regs.r[SC_REG_PC] = out.pc;
	regs.r[SC_REG_SP] = out.sp;
	regs.r[SC_REG_FP] = out.fp;
	*ret_step = go(walk, &regs);
	return true;
}

enum sc_step sc_walk_bare(struct sc_walk *walk)
{
	enum sc_step step;

	if (step_out(walk, &step))
		return step;
	if (walk->exact) {
		step = step_at_edge(walk);
		if (step == SC_STEP_FULL)
			step = step_by_scan(walk);
		if (step != SC_STEP_FULL)
			return step;
	}
	return step_by_fp(walk);
}
