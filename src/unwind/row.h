/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * row.h - what the tables say of one pc: where the frame's fixed address (the
 * CFA) is, and from it how each register of the caller is found.
 */
#ifndef SC_ROW_H
#define SC_ROW_H

#include "unwind/eh_frame.h"
#include "unwind/machine.h"

enum sc_row_kind {
	SC_ROW_SAME,      /* as in this frame; as good as no rule */
	SC_ROW_UNDEFINED, /* it can't be told */
	SC_ROW_AT,        /* at CFA + value */
	SC_ROW_IS,        /* it is CFA + value */
	SC_ROW_REGISTER,  /* in register value of this frame */
	SC_ROW_AT_EXPR,   /* at what the expression at value says */
	SC_ROW_IS_EXPR    /* it is what the expression at value says */
};

/** A kind and its value in one word: a row is copied, and on small stacks. */
struct sc_row_rule {
	int64_t word;
};

static inline struct sc_row_rule sc_row_rule(enum sc_row_kind kind,
                                             int64_t value)
{
	return (struct sc_row_rule){ (int64_t)((uint64_t)value << 3 |
		                               (unsigned)kind) };
}

static inline enum sc_row_kind sc_row_kind(struct sc_row_rule rule)
{
	return (enum sc_row_kind)(rule.word & 7);
}

static inline int64_t sc_row_value(struct sc_row_rule rule)
{
	return rule.word >> 3;
}

struct sc_row {
	/* The CFA: cfa_expr, the address of an expression; or where that is
	 * 0, register cfa_reg + cfa_offset. */
	uintptr_t cfa_expr;
	int64_t cfa_offset;
	unsigned cfa_reg;
	struct sc_row_rule slots[SC_ROW_SLOTS]; /* from SC_ROW_FIRST on */
};

static inline struct sc_row_rule sc_row_get(const struct sc_row *row,
                                            unsigned reg)
{
	const unsigned slot = reg - SC_ROW_FIRST;

	return slot < SC_ROW_SLOTS ? row->slots[slot]
	                           : sc_row_rule(SC_ROW_SAME, 0);
}

/**
 * Run the instructions of @fde up to @pc.  0 or -EINVAL: they make no sense,
 * or are more, or nested deeper, than any compiler's.
 *
 * Context: signal-safe, any-thread.
 */
int sc_row_find(struct sc_bytes *bytes, const struct sc_fde *fde, uintptr_t pc,
                struct sc_row *ret_row);

#endif
