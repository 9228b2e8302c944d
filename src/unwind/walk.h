/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - position of a walk from the innermost frame outwards, and the steps
 * of other files for the frames outside of unwind.c's fast loop.
 */
#ifndef SYC_UNWIND_WALK_H
#define SYC_UNWIND_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/machine.h"
#include "unwind/memory.h"
#include "unwind/rule_cache.h"
#include "unwind/unwind.h"

/* Limit of code addresses.  Higher caller addresses are garbage, and some of
 * them would look like a runtime's names in a capture. */
#define SYC_CODE_LAST (UINTPTR_MAX >> 8)

/** Kind of a frame's pc. */
enum syc_walk_pc {
	SYC_PC_CALLED, /* the pc is behind a call */
	SYC_PC_EXACT,  /* the pc is of the next instruction: the code was
	                * interrupted */
	SYC_PC_MOVED   /* like SYC_PC_EXACT, but the handler continued
	                * elsewhere */
};

struct syc_walk {
	struct syc_unwind *unwind;
	struct syc_memory stacks;
	struct syc_regs regs;
	struct syc_rule_cache_entry *cache;
	uint64_t salt; /* salt of the keys in cache */
	/* The frame's address: regs.r[SYC_REG_PC] if the pc is exact, else the
	 * last byte of the call before the pc. */
	uintptr_t at;
	enum syc_walk_pc exact;
	bool full;       /* all kept registers are followed, not only fp */
	bool doubted;    /* restarted, with all rules dropped */
	unsigned skip;   /* frames still to omit */
	unsigned n;      /* frames found, stored or not */
	unsigned left;   /* steps that may still be taken */
	unsigned n_back; /* number of times that the stack pointer went down */
};

/** Result of a step. */
enum syc_step {
	SYC_STEP_DONE,      /* the walk is at the caller */
	SYC_STEP_OUTERMOST, /* the frame has no caller */
	SYC_STEP_STOPPED,   /* the frame may have a caller */
	SYC_STEP_FULL       /* the step needs a register that was not
	                     * followed */
};

/**
 * Report a frame whose return address no call has pushed.  The frame is
 * reported by the return address itself, because the byte before this address
 * belongs to another function.
 *
 * Context: any-thread, signal-safe.
 */
void syc_walk_report_begin(struct syc_walk *walk);

/**
 * Check the caller's registers @regs, and move the walk to the caller.  @exact:
 * the caller was interrupted, and made no call.
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
 * Whether @pc follows a call, in a function that has tables.  A random word on
 * a stack rarely meets this test.  Context: any-thread, signal-safe.
 */
bool syc_cfi_is_return(uintptr_t pc);

/** Whether the bytes before @pc may be a call.  Context: any-thread,
 * signal-safe. */
bool syc_cfi_follows_call(uintptr_t pc);

/** Begin of the function at @pc; 0: the tables have no such function.  Context:
 * any-thread, signal-safe. */
uintptr_t syc_cfi_find_function(uintptr_t pc);

/**
 * The rule for the current frame from its tables, never SYC_RULE_NONE.  Also
 * stores the rule in the cache.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_cfi_learn_rule(struct syc_walk *walk);

/**
 * Step to the caller of code without tables.  Context: any-thread, signal-safe.
 */
enum syc_step syc_no_cfi_step(struct syc_walk *walk);

#endif
