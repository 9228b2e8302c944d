/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * row.h - unwind rules for one pc: the frame's fixed address (the CFA), and
 * relative to it each register of the caller.
 */
#ifndef SYC_STACK_ROW_H
#define SYC_STACK_ROW_H

#include "stack/eh_frame.h"
#include "stack/machine.h"

enum syc_row_kind {
	SYC_ROW_SAME,      /* as in this frame; as good as no rule */
	SYC_ROW_UNDEFINED, /* unknown */
	SYC_ROW_AT,        /* at CFA + value */
	SYC_ROW_IS,        /* it is CFA + value */
	SYC_ROW_REGISTER,  /* in register value of this frame */
	SYC_ROW_AT_EXPR,   /* at what the expression at value says */
	SYC_ROW_IS_EXPR    /* it is what the expression at value says */
};

/** A kind and its value in one word: a row is copied, and on small stacks. */
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
	/* The CFA: cfa_expr, the address of an expression; or where that is
	 * 0, register cfa_reg + cfa_offset. */
	uintptr_t cfa_expr;
	int64_t cfa_offset;
	unsigned cfa_reg;
	struct syc_row_rule slots[SYC_ROW_SLOTS]; /* from SYC_ROW_FIRST on */
};

static inline struct syc_row_rule syc_row_get(const struct syc_row *row,
                                              unsigned reg)
{
	const unsigned slot = reg - SYC_ROW_FIRST;

	return slot < SYC_ROW_SLOTS ? row->slots[slot]
	                            : syc_row_rule(SYC_ROW_SAME, 0);
}

/**
 * Run the instructions of @fde up to @pc.  0 or -EINVAL: they make no sense,
 * or are more, or nested deeper, than any compiler's.
 *
 * Context: signal-safe, any-thread.
 */
int syc_row_find(struct syc_bytes *bytes, const struct syc_fde *fde,
                 uintptr_t pc, struct syc_row *ret_row);

#endif
