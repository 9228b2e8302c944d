/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - position of a walk from the innermost frame outwards, and the cache
 * of unwind rules by pc.  Other files step out of the frames that unwind.c's
 * fast loop does not support.
 *
 * A rule is one word with the positions of the caller's registers.  All threads
 * and handlers of the process share the table of rules, and no access waits for
 * another access.
 *
 * An entry is two words, a check and the rule.  The check is computed from the
 * pc, the generation and the rule.  The two words are stored and loaded
 * separately and relaxed.  If a reader finds the check of one entry and the
 * rule of another, check and rule do not match, and the lookup fails.  So the
 * accesses need no order.
 */
#ifndef SYC_UNWIND_WALK_H
#define SYC_UNWIND_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/machine.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

/** Kind of a rule, in its lowest 3 bits.  The other bits depend on the kind. */
enum syc_rule_kind {
	SYC_RULE_NONE,
	SYC_RULE_CALL,      /* a caller by SYC_RULE_CALL's bits, see below */
	SYC_RULE_ALIGNED,   /* for realigned stacks: the CFA is stored at the
	                     * rule's address, and fp at fp + offset */
	SYC_RULE_OUTERMOST, /* the frame has no caller */
	SYC_RULE_NO_CFI,    /* the code has no tables; upper bits:
	                     * syc_modules_additions() */
	SYC_RULE_SIGNAL,    /* returns to the instruction that a signal
	                     * interrupted; upper bits: the kind of
	                     * frame - 1 */
	SYC_RULE_SLOW,      /* the rule does not fit in a word */
	SYC_RULE_BEGUN      /* outermost: returns to the start of a function,
	                     * after no call */
};

/* Bits of SYC_RULE_CALL: bits 40-63 are the offset of the CFA, in bytes.  Bits
 * 24-39 are the offset of fp from the CFA, and bits 8-23 the offset of the
 * return address from the CFA, both in words.  All offsets are signed.  The
 * other bits are: */
#define SYC_RULE_FROM_FP   8u  /* the CFA is relative to fp, not sp */
#define SYC_RULE_FP_SAVED  16u /* fp is saved, or else unchanged */
#define SYC_RULE_OTHERS    32u /* other kept registers are saved, too */
#define SYC_RULE_RA_IN_REG 64u /* the return address is in SYC_REG_RA */

#define SYC_RULE_WORD ((intptr_t)sizeof(uintptr_t))

static inline enum syc_rule_kind syc_rule_kind(uint64_t rule)
{
	return (enum syc_rule_kind)(rule & 7);
}

static inline intptr_t syc_rule_cfa(uint64_t rule)
{
	return (intptr_t)((int64_t)rule >> 40);
}

static inline intptr_t syc_rule_fp(uint64_t rule)
{
	return (intptr_t)((int64_t)(rule << 24) >> 48) * SYC_RULE_WORD;
}

static inline intptr_t syc_rule_ra(uint64_t rule)
{
	return (intptr_t)((int64_t)(rule << 40) >> 48) * SYC_RULE_WORD;
}

/** Return whether the offsets fit, and the offsets in words are multiples of a
 * word. */
static inline bool syc_rule_fits(int64_t cfa, int64_t fp, int64_t ra)
{
	return cfa >= -0x800000 && cfa < 0x800000 &&
	       fp >= -0x8000 * SYC_RULE_WORD && fp < 0x8000 * SYC_RULE_WORD &&
	       fp % SYC_RULE_WORD == 0 && ra >= -0x8000 * SYC_RULE_WORD &&
	       ra < 0x8000 * SYC_RULE_WORD && ra % SYC_RULE_WORD == 0;
}

static inline uint64_t syc_rule_make(unsigned bits, int64_t cfa, int64_t fp,
                                     int64_t ra)
{
	return bits | (uint64_t)cfa << 40 |
	       ((uint64_t)(fp / SYC_RULE_WORD) & 0xffff) << 24 |
	       ((uint64_t)(ra / SYC_RULE_WORD) & 0xffff) << 8;
}

#define SYC_RULE_CACHE_BITS 15u
#define SYC_RULE_CACHE_LINE 4u /* entries that a lookup reads: 64 bytes */

struct syc_rule_cache_entry {
	_Atomic uint64_t check, rule;
};

/**
 * Return the table, or NULL if the table can't be mapped.  Without the table
 * each step reads the tables of the modules.  An entry of zeroes is empty.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_rule_cache_entry *syc_rule_cache_get(void);

/** Return a value that invalidates older entries when @generation changes. */
static inline uint64_t syc_rule_cache_salt(uint64_t generation)
{
	return (generation + 1) * UINT64_C(0xd1342543de82ef95);
}

static inline uint64_t syc_rule_cache_check(uint64_t key, uint64_t rule)
{
	/* Bits of a rule must not overlap bits in which pcs differ */
	return key ^ rule * UINT64_C(0x9e3779b97f4a7c15);
}

/** Return the home of @pc in the table.  Functions spread over the whole table
 * in the order of their addresses. */
static inline unsigned syc_rule_cache_home(uintptr_t pc)
{
	return (unsigned)(pc ^ pc >> (SYC_RULE_CACHE_BITS + 1)) &
	       ((1u << SYC_RULE_CACHE_BITS) - 1);
}

/** Return the rule at the home of @pc, or 0.  Most rules are at their home. */
static inline uint64_t
syc_rule_cache_find_home(struct syc_rule_cache_entry *table, uint64_t salt,
                         uintptr_t pc)
{
	if (__builtin_expect(table == NULL, 0))
		return SYC_RULE_NONE;
	struct syc_rule_cache_entry *const entry =
		&table[syc_rule_cache_home(pc)];
	const uint64_t check =
		atomic_load_explicit(&entry->check, memory_order_relaxed);
	const uint64_t rule =
		atomic_load_explicit(&entry->rule, memory_order_relaxed);

	return check == syc_rule_cache_check(pc ^ salt, rule) ? rule : 0;
}

/** Return the rule for @pc, or 0.  Context: any-thread, signal-safe. */
uint64_t syc_rule_cache_find(struct syc_rule_cache_entry *table, uint64_t salt,
                             uintptr_t pc);

/** Context: any-thread, signal-safe. */
void syc_rule_cache_store(struct syc_rule_cache_entry *table, uint64_t salt,
                          uintptr_t pc, uint64_t rule);

/* Limit of code addresses.  Higher caller addresses are invalid, and some would
 * look like a runtime's names in a capture. */
#define SYC_CODE_LAST (UINTPTR_MAX >> (sizeof(uintptr_t) == 8 ? 8 : 0))

/** Kind of a frame's pc. */
enum syc_walk_pc {
	SYC_PC_CALLED, /* the pc follows a call */
	SYC_PC_EXACT,  /* a signal interrupted the code, and the pc is of the
	                * next instruction */
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
	unsigned n_back; /* steps to a lower stack pointer */
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
 * Report a frame by its return address itself, if no call pushed the address.
 * The byte before the address belongs to another function.
 *
 * Context: any-thread, signal-safe.
 */
void syc_walk_report_begin(struct syc_walk *walk);

/** Return whether the chain of frames ends at @regs: the frame pointer, or the
 * back chain, is 0.  Context: any-thread, signal-safe. */
static inline bool syc_walk_ends_at(struct syc_walk *walk,
                                    const struct syc_regs *regs)
{
#ifdef SYC_BACK_CHAIN
	uintptr_t chain;

	return syc_memory_load(&walk->stacks, regs->r[SYC_REG_SP], &chain) &&
	       chain == 0;
#else
	(void)walk;
	return syc_regs_has(regs, SYC_REG_FP) && regs->r[SYC_REG_FP] == 0;
#endif
}

/**
 * Check the caller's registers @regs, and move the walk to the caller.  If
 * @exact, a signal interrupted the caller, which made no call.
 *
 * Context: any-thread, signal-safe.
 */
enum syc_step syc_walk_accept(struct syc_walk *walk,
                              const struct syc_regs *regs, bool exact);

/**
 * Step to the caller by the module's tables.  Context: any-thread, signal-safe.
 */
enum syc_step syc_cfi_step(struct syc_walk *walk);

/**
 * Return whether @pc follows a call, in a function with tables.  A random word
 * on a stack rarely passes this test.  Context: any-thread, signal-safe.
 */
bool syc_cfi_is_return(uintptr_t pc);

/** Return whether the bytes before @pc may be a call.  Context: any-thread,
 * signal-safe. */
bool syc_cfi_follows_call(uintptr_t pc);

/** Return the start of the function at @pc, or 0 if the tables lack the
 * function.  Context: any-thread, signal-safe. */
uintptr_t syc_cfi_find_function(uintptr_t pc);

/**
 * Return the rule for the current frame from its tables, never SYC_RULE_NONE,
 * and store the rule in the cache.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_cfi_learn_rule(struct syc_walk *walk);

/**
 * Step to the caller of code without tables.  Context: any-thread, signal-safe.
 */
enum syc_step syc_no_cfi_step(struct syc_walk *walk);

#endif
