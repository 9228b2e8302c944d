/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi.h - call frame information of a module, in .eh_frame: the entry about a
 * pc, the unwind rules that the entry's instructions give, and expressions.
 *
 * All tables are untrusted: the cursor that reads an offset checks it
 * (dwarf_reader.h), and every loop has a limit.
 */
#ifndef SYC_UNWIND_CFI_H
#define SYC_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/dwarf_reader.h"
#include "unwind/machine.h"

/** A frame description entry, with its common entry. */
struct syc_fde {
	uintptr_t begin, end;           /* the code that the entry covers */
	uintptr_t common, common_end;   /* the common entry's instructions */
	uintptr_t program, program_end; /* the entry's own instructions */
	uint64_t code_align;
	int64_t data_align;
	unsigned ra;      /* column of the return address */
	uint8_t encoding; /* encoding of pointers in the instructions */
	bool signal;      /* the frame returns to the instruction that a signal
	                   * interrupted */
};

/**
 * Find the entry about @pc, by the table of PT_GNU_EH_FRAME at @header.
 *
 * Returns 0; -ENOENT if the table has no entry for @pc; -EINVAL if the table is
 * invalid.
 *
 * Context: signal-safe, any-thread.
 */
int syc_eh_frame_find(struct syc_bytes *bytes, uintptr_t header, uintptr_t pc,
                      struct syc_fde *ret_fde);

/**
 * Parse the entry at @at.  Returns 0 or -EINVAL.
 *
 * Context: signal-safe, any-thread.
 */
int syc_eh_frame_parse(struct syc_bytes *bytes, uintptr_t at,
                       struct syc_fde *ret_fde);

/**
 * Make an index of the running program's .eh_frame, for a program without
 * PT_GNU_EH_FRAME.  The program is loaded @bias above the addresses in its
 * file.  Reads the section headers of this file.  Does nothing if the index
 * exists, or if the file can't be opened.  The finished index is never changed.
 *
 * Context: any-thread.
 */
void syc_frame_index_make(uintptr_t bias);

/**
 * Like syc_eh_frame_find(), but searches the index.  Returns -ENOENT if there
 * is no index.  Sets @bytes to the program's .eh_frame.
 *
 * Context: any-thread, signal-safe.
 */
int syc_frame_index_find(struct syc_bytes *bytes, uintptr_t pc,
                         struct syc_fde *ret_fde);

/*
 * A row has the unwind rules for one pc: the frame's fixed address (the CFA),
 * and relative to it each register of the caller.
 */
enum syc_row_kind {
	SYC_ROW_SAME,      /* the register is as in this frame, like a missing
	                    * rule */
	SYC_ROW_UNDEFINED, /* the register is unknown */
	SYC_ROW_AT,        /* the register is stored at CFA + value */
	SYC_ROW_IS,        /* the register is CFA + value */
	SYC_ROW_REGISTER,  /* the register is in this frame's register
	                    * `value` */
	SYC_ROW_AT_EXPR,   /* the register is stored at the result of the
	                    * expression at value */
	SYC_ROW_IS_EXPR    /* the result of the expression at value */
};

/** A kind and its value in one word, because rows are copied on small
 * stacks. */
struct syc_row_rule {
	int64_t word;
};

static inline struct syc_row_rule syc_row_rule(enum syc_row_kind kind,
                                               int64_t value)
{
	return (struct syc_row_rule){ (int64_t)((uint64_t)value << 3 |
		                                (unsigned)kind) };
}

static inline enum syc_row_kind syc_row_kind(struct syc_row_rule rule)
{
	return (enum syc_row_kind)(rule.word & 7);
}

static inline int64_t syc_row_value(struct syc_row_rule rule)
{
	return rule.word >> 3;
}

struct syc_row {
	/* The CFA: cfa_expr is the address of an expression; if cfa_expr is 0,
	 * the CFA is register cfa_reg + cfa_offset. */
	uintptr_t cfa_expr;
	int64_t cfa_offset;
	unsigned cfa_reg;
	struct syc_row_rule slots[SYC_ROW_SLOTS]; /* rules of registers from
	                                           * SYC_ROW_FIRST on */
};

static inline struct syc_row_rule syc_row_get(const struct syc_row *row,
                                              unsigned reg)
{
	const unsigned slot = reg - SYC_ROW_FIRST;

	return slot < SYC_ROW_SLOTS ? row->slots[slot]
	                            : syc_row_rule(SYC_ROW_SAME, 0);
}

/**
 * Run the instructions of @fde up to @pc.  Returns 0; -EINVAL if the
 * instructions are invalid, or exceed the number or depth that any compiler
 * makes.
 *
 * Context: signal-safe, any-thread.
 */
int syc_row_find(struct syc_bytes *bytes, const struct syc_fde *fde,
                 uintptr_t pc, struct syc_row *ret_row);

/** Environment of an expression. */
struct syc_expr_env {
	const struct syc_regs *regs;
	/* Load @size bytes (1, 2, 4, 8) of memory; false: the bytes can't be
	 * read.  NULL: no memory can be read. */
	bool (*load)(void *user, uintptr_t at, unsigned size,
	             uintptr_t *ret_value);
	void *user;
	/* Output: registers that the expression uses, known or not */
	uint64_t used;
};

/**
 * Evaluate the expression at @at: a length and as many bytes.  The stack begins
 * with @first, unless @first is NULL.
 *
 * Returns 0; -EINVAL if the expression is invalid or does not end; -EFAULT if
 * the expression reads unreadable memory; -ENODATA if a register is unknown.
 *
 * Context: signal-safe, any-thread.
 */
int syc_expr_eval(struct syc_bytes *bytes, uintptr_t at,
                  struct syc_expr_env *env, const uintptr_t *first,
                  uintptr_t *ret_value);

#endif
