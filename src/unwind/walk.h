/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - position of a walk from the innermost frame outwards, and the steps
 * that the fast loop of unwind.c leaves to other files.
 */
#ifndef SYC_UNWIND_WALK_H
#define SYC_UNWIND_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/machine.h"
#include "unwind/memory.h"
#include "unwind/rule_cache.h"
#include "unwind/unwind.h"

/* No code is above: callers there are garbage, some of which would look like a
 * runtime's names in a capture. */
#define SYC_CODE_LAST (UINTPTR_MAX >> 8)

/** Kind of a frame's pc. */
enum syc_walk_pc {
	SYC_PC_CALLED, /* behind a call */
	SYC_PC_EXACT,  /* of the next instruction: it was interrupted */
	SYC_PC_MOVED   /* the same, but the handler continued elsewhere */
};

struct syc_walk {
	struct syc_unwind *unwind;
	struct syc_memory stacks;
	struct syc_regs regs;
	struct syc_rule_cache_entry *cache;
	uint64_t salt; /* of its keys */
	/* The frame's address: regs.r[SYC_REG_PC] if that is exact, else the
	 * last byte of the call before it. */
	uintptr_t at;
	enum syc_walk_pc exact;
	bool full;       /* all kept registers are followed, not only fp */
	bool doubted;    /* restarted, with all rules forgotten */
	unsigned skip;   /* frames still to leave out */
	unsigned n;      /* frames found, stored or not */
	unsigned left;   /* steps that may still be taken */
	unsigned n_back; /* times that the stack pointer went down */
};

/** How a step ended. */
enum syc_step {
	SYC_STEP_DONE,      /* the walk is at the caller */
	SYC_STEP_OUTERMOST, /* there is none */
	SYC_STEP_STOPPED,   /* there may be one */
	SYC_STEP_FULL       /* it needs a register that was not followed */
};

/**
 * The return address was not pushed by a call.  So the frame is reported by
 * that address: the byte before it belongs to another function.
 *
 * Context: any-thread, signal-safe.
 */
void syc_walk_report_begin(struct syc_walk *walk);

/**
 * The caller's registers are in @regs: check, and go there.  @exact: it was
 * interrupted, and did not call.
 *
 * Context: any-thread, signal-safe.
 */
enum syc_step syc_walk_accept(struct syc_walk *walk,
                              const struct syc_regs *regs, bool exact);

/**
 * Step to the caller by the tables themselves.  Context: any-thread,
 * signal-safe.
 */
enum syc_step syc_cfi_step(struct syc_walk *walk);

/**
 * @pc is behind a call, in a function that has tables.  Words on a stack rarely
 * are by chance.  Context: any-thread, signal-safe.
 */
bool syc_cfi_is_return(uintptr_t pc);

/** @pc is behind what may be a call.  Context: any-thread, signal-safe. */
bool syc_cfi_follows_call(uintptr_t pc);

/** Begin of the function at @pc; 0: it is not in the tables.
 * Context: any-thread, signal-safe. */
uintptr_t syc_cfi_find_function(uintptr_t pc);

/**
 * The rule for the current frame from its tables, never SYC_RULE_NONE.  Also
 * stores it in the cache.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_cfi_learn_rule(struct syc_walk *walk);

/**
 * Step to the caller of code without tables.  Context: any-thread, signal-safe.
 */
enum syc_step syc_no_cfi_step(struct syc_walk *walk);

#endif
