/* SPDX-License-Identifier: BSD-2-Clause */
/* walk.h - position of a walk from the innermost frame outwards. */
#ifndef SYC_STACK_WALK_H
#define SYC_STACK_WALK_H

#include "stack/cache.h"
#include "stack/machine.h"
#include "stack/memory.h"
#include "stack/unwind_request.h"

/* No code is above: callers there are garbage, some of which would look like a
 * runtime's names in a capture. */
#define SYC_CODE_LAST (UINTPTR_MAX >> 8)

/** Kind of a frame's pc. */
enum syc_walk_pc {
	SYC_PC_CALLED, /* behind a call */
	SYC_PC_EXACT,  /* of the next instruction: it was interrupted */
	SYC_PC_MOVED   /* so it is, and the handler went on elsewhere */
};

struct syc_walk {
	struct syc_unwind *unwind;
	struct syc_memory stacks;
	struct syc_regs regs;
	struct syc_cache_entry *cache;
	uint64_t salt; /* of its keys */
	/* The frame's address: regs.r[SYC_REG_PC] where that is exact, else
	 * the last byte of the call before it. */
	uintptr_t at;
	enum syc_walk_pc exact;
	bool full;       /* all kept registers are followed, not only fp */
	bool doubted;    /* begun again, with all rules forgotten */
	unsigned skip;   /* frames still to leave out */
	unsigned n;      /* frames found, the kept and the others */
	unsigned left;   /* steps that may still be taken */
	unsigned n_back; /* times that the stack pointer went down */
};

/** How a step ended. */
enum syc_step {
	SYC_STEP_DONE,      /* the walk is at the caller */
	SYC_STEP_OUTERMOST, /* there is none */
	SYC_STEP_STOPPED,   /* there may be one */
	SYC_STEP_FULL       /* a register is needed that was not followed */
};

/**
 * The return address was not pushed by a call.  So the frame is reported by
 * that address: the byte before it belongs to another function.
 *
 * Context: any-thread, signal-safe.
 */
void syc_walk_tell_begin(struct syc_walk *walk);

/**
 * The caller's registers are in @regs: check, and go there.  @exact: it was
 * interrupted, and did not call.
 *
 * Context: any-thread, signal-safe.
 */
enum syc_step syc_walk_accept(struct syc_walk *walk,
                              const struct syc_regs *regs, bool exact);

#endif
