/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * no_cfi.c - steps out of code without call frame information, such as a JIT's
 * code, by the runtime's own step or by frame pointers.  Each step checks all
 * that can be checked.  All functions are signal-safe.
 */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include <syscap/runtime.h>

#include "unwind/memory.h"
#include "unwind/walk.h"

#define HEADERS_MOST 64u /* limit; libraries have about 12 */

static bool segment_holds(const ElfW(Phdr) * segment, uintptr_t bias,
                          uintptr_t pc)
{
	return pc - (bias + segment->p_vaddr) < segment->p_filesz;
}

/*
 * Return whether @pc is in an executable segment of @module and can be read.
 * The function reads the headers each time, because the module may already be
 * unmapped.  If the headers are unmapped, the code is unknown.
 */
static bool module_has_code(const struct syc_loaded_module *module,
                            uintptr_t pc)
{
	const uintptr_t mask = ~(uintptr_t)(SYC_MEMORY_PAGE - 1);
	const uintptr_t low = module->low & mask;
	bool first = true;
	uintptr_t bias = 0;
	ElfW(Ehdr) file;

	if (syc_memory_copy(&file, low, sizeof(file)) != sizeof(file) ||
	    memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	for (unsigned i = 0; i < file.e_phnum && i < HEADERS_MOST; i++) {
		const uintptr_t at =
			low + file.e_phoff + i * sizeof(ElfW(Phdr));
		ElfW(Phdr) segment;

		if (syc_memory_copy(&segment, at, sizeof(segment)) !=
		    sizeof(segment))
			return false;
		if (segment.p_type != PT_LOAD)
			continue;
		if (first)
			bias = low - (segment.p_vaddr & mask);
		first = false;
		if ((segment.p_flags & PF_X) != 0 &&
		    segment_holds(&segment, bias, pc))
			return syc_memory_readable(pc, 1);
	}
	return false;
}

/* Greatest size of a frame on stacks of unknown bounds. */
#define FRAME_MOST ((uintptr_t)1 << 20)

/* Number of words from the stack pointer on that may be the return address. */
#define SCAN_MOST 16u

/* Known contents of an address. */
enum place {
	PLACE_DATA,
	PLACE_CODE,
	/*
	 * Code that no call precedes.  A signal handler moved the pc away, and
	 * stored this address as a return address, as Go's runtime does.
	 */
	PLACE_MOVED
};

/*
 * Classify a return address.  A function's first byte may be the start of a
 * stack that some code made without a call.  A module's code without tables is
 * accepted only in the walk's current module.
 */
static enum place return_place(const struct syc_walk *walk, uintptr_t pc)
{
	struct syc_loaded_module module;

	if (syc_rule_kind(syc_rule_cache_find(walk->cache, walk->salt,
	                                      pc - 1)) == SYC_RULE_NO_CFI)
		return PLACE_CODE;
	if (!syc_modules_find(pc, &module))
		return syc_memory_readable(pc - 1, 2) ? PLACE_CODE : PLACE_DATA;
	if (syc_cfi_follows_call(pc))
		return PLACE_CODE;
	const uintptr_t begin = syc_cfi_find_function(pc);

	if (begin == pc)
		return PLACE_CODE;
	return begin != 0 || (walk->at - module.low <
	                              module.high - module.low &&
	                      module_has_code(&module, pc))
	               ? PLACE_MOVED
	               : PLACE_DATA;
}

static enum syc_step accept_step(struct syc_walk *walk, struct syc_regs *regs)
{
	const uintptr_t pc = syc_machine_strip(regs->r[SYC_REG_PC]);
	const enum place place = pc != 0 ? return_place(walk, pc) : PLACE_CODE;

	if (place == PLACE_DATA)
		return SYC_STEP_STOPPED;
	regs->r[SYC_REG_PC] = pc;
	regs->known = SYC_REG_BIT(SYC_REG_PC) | SYC_REG_BIT(SYC_REG_SP) |
	              SYC_REG_BIT(SYC_REG_FP);
	regs->left = 0;
	const enum syc_step step = syc_walk_accept(walk, regs, false);

	if (step == SYC_STEP_DONE && place == PLACE_MOVED) {
		walk->at = pc;
		walk->exact = SYC_PC_MOVED;
	}
	return step;
}

/* Pop a return address that is the last word of its frame. */
static bool pop_return(struct syc_walk *walk, struct syc_regs *regs)
{
#if SYC_RA_IN_REGISTER
	(void)walk;
	regs->r[SYC_REG_PC] = regs->r[SYC_REG_RA];
	return syc_regs_has(regs, SYC_REG_RA);
#else
	if (!syc_memory_load(&walk->stacks, regs->r[SYC_REG_SP],
	                     &regs->r[SYC_REG_PC]))
		return false;
	regs->r[SYC_REG_SP] += sizeof(uintptr_t);
	return true;
#endif
}

/* Pop the caller's frame pointer, and the return address above the frame
 * pointer. */
static bool pop_frame(struct syc_walk *walk, uintptr_t at,
                      struct syc_regs *regs)
{
	if (!syc_memory_load(&walk->stacks, at, &regs->r[SYC_REG_FP]) ||
	    !syc_memory_load(&walk->stacks, at + sizeof(uintptr_t),
	                     &regs->r[SYC_REG_PC]))
		return false;
	regs->r[SYC_REG_SP] = at + 2 * sizeof(uintptr_t);
	return true;
}

/*
 * Step out of an interrupted function that is about to create its frame, or has
 * just removed its frame.  After a call through a wild pointer, the step starts
 * outside of any function.  Returns SYC_STEP_FULL in all other cases.
 */
static enum syc_step step_at_edge(struct syc_walk *walk, struct syc_regs *regs)
{
	const uintptr_t pc = walk->regs.r[SYC_REG_PC];
	unsigned char code[SYC_MACHINE_CODE] = { 0 };
	enum syc_machine_entry entry = SYC_ENTRY_BARE;
	unsigned char before = 0;

	if (syc_memory_copy(code, pc, sizeof(code)) > 0) {
		syc_memory_copy(&before, pc - 1, 1);
		entry = syc_machine_entry(code, before);
	}
	if (entry == SYC_ENTRY_UNKNOWN)
		return SYC_STEP_FULL;
	if (entry == SYC_ENTRY_PUSHED
	            ? !pop_frame(walk, regs->r[SYC_REG_SP], regs)
	            : !pop_return(walk, regs))
		return SYC_STEP_STOPPED;
	const enum syc_step step = accept_step(walk, regs);

	/* The new pc has not run, so the sample belongs to the old pc */
	if (entry == SYC_ENTRY_FIRST && step == SYC_STEP_DONE &&
	    walk->exact == SYC_PC_MOVED && walk->n > 0)
		walk->n--;
	return step;
}

/*
 * Step out of an interrupted library function in assembler without tables.
 * Handwritten functions rarely keep a usual frame pointer, but use little of
 * the stack.  So the step uses the first word that may be a return address.
 */
static enum syc_step step_by_scan(struct syc_walk *walk, struct syc_regs *regs)
{
	const uintptr_t sp = walk->regs.r[SYC_REG_SP];
	struct syc_loaded_module module;

	if (!syc_modules_find(regs->r[SYC_REG_PC], &module) ||
	    module.header == 0)
		return SYC_STEP_FULL;
	if (SYC_RA_IN_REGISTER && syc_regs_has(regs, SYC_REG_RA)) {
		regs->r[SYC_REG_PC] = syc_machine_strip(regs->r[SYC_REG_RA]);
		if (syc_cfi_is_return(regs->r[SYC_REG_PC]))
			return accept_step(walk, regs);
	}
	if (!SYC_HAS_FP_RECORD)
		return SYC_STEP_FULL;
	for (unsigned i = 0; i < SCAN_MOST; i++) {
		const uintptr_t at = sp + i * sizeof(uintptr_t);

		if (!syc_memory_load(&walk->stacks, at, &regs->r[SYC_REG_PC]))
			break;
		regs->r[SYC_REG_PC] = syc_machine_strip(regs->r[SYC_REG_PC]);
		if (!syc_cfi_is_return(regs->r[SYC_REG_PC]))
			continue;
		/*
		 * A frame pointer into the function's own frame is not the
		 * caller's frame pointer, which the function has pushed first.
		 */
		if (regs->r[SYC_REG_FP] >= sp && regs->r[SYC_REG_FP] < at &&
		    !syc_memory_load(&walk->stacks, at - sizeof(uintptr_t),
		                     &regs->r[SYC_REG_FP]))
			break;
		regs->r[SYC_REG_SP] = at + sizeof(uintptr_t);
		return accept_step(walk, regs);
	}
	return SYC_STEP_FULL;
}

#if SYC_HAS_FP_RECORD
static enum syc_step step_by_fp(struct syc_walk *walk, struct syc_regs *regs)
{
	const struct syc_memory *const stacks = &walk->stacks;
	const uintptr_t sp = regs->r[SYC_REG_SP];
	const uintptr_t fp = regs->r[SYC_REG_FP] + (uintptr_t)SYC_FP_RECORD;

	if (!syc_regs_has(regs, SYC_REG_FP) || fp < sp ||
	    fp % sizeof(uintptr_t) != 0)
		return SYC_STEP_STOPPED;
	const uintptr_t end = sp >= stacks->low && sp < stacks->high
	                              ? stacks->high
	                              : sp + FRAME_MOST;

	if (fp >= end || end - fp < 2 * sizeof(uintptr_t) ||
	    !pop_frame(walk, fp, regs))
		return SYC_STEP_STOPPED;
	return accept_step(walk, regs);
}
#elif defined(SYC_BACK_CHAIN)
/* Step by the back chain.  The chain does not contain the frame pointer, which
 * is an ordinary register. */
static enum syc_step step_by_fp(struct syc_walk *walk, struct syc_regs *regs)
{
	struct syc_memory *const stacks = &walk->stacks;
	const uintptr_t sp = regs->r[SYC_REG_SP];
	const uintptr_t end = sp >= stacks->low && sp < stacks->high
	                              ? stacks->high
	                              : sp + FRAME_MOST;
	uintptr_t caller;

	if (sp % 16 != 0 || !syc_memory_load(stacks, sp, &caller) ||
	    caller <= sp || caller >= end || caller % 16 != 0 ||
	    !syc_memory_load(stacks, caller + SYC_BACK_CHAIN,
	                     &regs->r[SYC_REG_PC]))
		return SYC_STEP_STOPPED;
	regs->r[SYC_REG_SP] = caller;
	regs->r[SYC_REG_FP] = 0;
	const enum syc_step step = accept_step(walk, regs);

	walk->regs.known &= ~SYC_REG_BIT(SYC_REG_FP);
	return step;
}
#else
static enum syc_step step_by_fp(struct syc_walk *walk, struct syc_regs *regs)
{
	(void)walk;
	(void)regs;
	return SYC_STEP_STOPPED;
}
#endif

/*
 * Return whether the frame is outermost, if no step leads out of a library's
 * code without tables.  A frame is outermost if its frame pointer (or back
 * chain) is 0, as in the loader's start.  A frame is also outermost if no call
 * precedes its return address.  For example, a fibre library stores the address
 * of its end function on a new stack.  A return address that points to data is
 * the result of a wrong step.
 */
static bool has_begun(struct syc_walk *walk)
{
	struct syc_loaded_module module;

	if (walk->exact == SYC_PC_EXACT ||
	    !syc_modules_find(walk->regs.r[SYC_REG_PC], &module) ||
	    module.header == 0 ||
	    !module_has_code(&module, walk->regs.r[SYC_REG_PC]))
		return false;
	if (walk->exact == SYC_PC_CALLED &&
	    !syc_cfi_follows_call(walk->regs.r[SYC_REG_PC])) {
		syc_walk_report_begin(walk);
		return true;
	}
	return syc_walk_ends_at(walk, &walk->regs);
}

/* Request a step from the runtime.  Returns false if the code does not belong
 * to the runtime. */
static bool step_out(struct syc_walk *walk, struct syc_regs *regs,
                     enum syc_step *ret_step)
{
	struct syc_unwind *const unwind = walk->unwind;
	struct syc_unwind_regs out = { .pc = regs->r[SYC_REG_PC],
		                       .sp = regs->r[SYC_REG_SP],
		                       .fp = regs->r[SYC_REG_FP] };

#if SYC_RA_IN_REGISTER
	if (syc_regs_has(regs, SYC_REG_RA))
		out.lr = regs->r[SYC_REG_RA];
#endif
	const int r = unwind->step_out != NULL
	                      ? unwind->step_out(unwind->context, &out)
	                      : -1;
	if (r < 0)
		return false;
	/* Omit the frame, which the runtime itself reports */
	if (r == SYSCAP_STEP_TOLD && walk->n > 0)
		walk->n--;
	regs->r[SYC_REG_PC] = out.pc;
	regs->r[SYC_REG_SP] = out.sp;
	regs->r[SYC_REG_FP] = out.fp;
	*ret_step = accept_step(walk, regs);
	return true;
}

enum syc_step syc_no_cfi_step(struct syc_walk *walk)
{
	struct syc_regs regs = walk->regs;
	enum syc_step step;

	if (step_out(walk, &regs, &step))
		return step;
	if (walk->exact) {
		step = step_at_edge(walk, &regs);
		if (step == SYC_STEP_FULL)
			step = step_by_scan(walk, &regs);
		if (step != SYC_STEP_FULL)
			return step;
	}
	step = step_by_fp(walk, &regs);
	return step == SYC_STEP_STOPPED && has_begun(walk) ? SYC_STEP_OUTERMOST
	                                                   : step;
}
