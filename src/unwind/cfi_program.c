/* SPDX-License-Identifier: BSD-2-Clause */
/* cfi_program.c - interpreter of .eh_frame's instructions.  All functions are
 * signal-safe. */
#define _GNU_SOURCE
#include <errno.h>

#include "unwind/cfi.h"

#define REMEMBERED_MOST 3u
#define STEPS_MOST      16384u

struct row_machine {
	struct syc_cursor cursor;
	const struct syc_fde *fde;
	uintptr_t at, pc; /* pc of the present row, and pc of the search */
	struct syc_row row;
	struct syc_row first; /* the row after the common entry */
	struct syc_row remembered[REMEMBERED_MOST];
	unsigned n_remembered;
	bool bad;
};

static void set_rule(struct row_machine *m, uint64_t reg,
                     enum syc_row_kind kind, int64_t value)
{
	reg = syc_machine_column(reg);
	/* ignore the rules of vector registers */
	if (reg - SYC_ROW_FIRST < SYC_ROW_SLOTS)
		m->row.slots[reg - SYC_ROW_FIRST] = syc_row_rule(kind, value);
}

static void restore_register(struct row_machine *m, uint64_t reg)
{
	reg = syc_machine_column(reg);
	if (reg - SYC_ROW_FIRST < SYC_ROW_SLOTS)
		m->row.slots[reg - SYC_ROW_FIRST] =
			m->first.slots[reg - SYC_ROW_FIRST];
}

static int64_t factor_offset(struct row_machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->fde->data_align);
}

/* Skip a block with the cursor.  Returns the block's address. */
static uintptr_t take_block(struct row_machine *m)
{
	const uintptr_t at = m->cursor.at;

	syc_cursor_skip(&m->cursor, syc_cursor_uleb(&m->cursor));
	return at;
}

static void define_cfa(struct row_machine *m, uint64_t reg, int64_t offset)
{
	reg = syc_machine_column(reg);
	m->bad |= reg >= SYC_MACHINE_REGS;
	m->row.cfa_reg = (unsigned)reg;
	m->row.cfa_offset = offset;
	m->row.cfa_expr = 0;
}

static void remember_row(struct row_machine *m)
{
	if (m->n_remembered == REMEMBERED_MOST)
		m->bad = true;
	else
		m->remembered[m->n_remembered++] = m->row;
}

static void recall_row(struct row_machine *m)
{
	if (m->n_remembered == 0)
		m->bad = true;
	else
		m->row = m->remembered[--m->n_remembered];
}

/* Run an instruction about the CFA or the location.  Returns false if op is
 * another instruction. */
static bool run_cfa(struct row_machine *m, unsigned op)
{
	struct syc_cursor *const c = &m->cursor;
	uint64_t reg;

	switch (op) {
	case 0x01: /* set_loc */
		m->at = syc_cursor_pointer(c, m->fde->encoding, 0);
		return true;
	case 0x02: /* advance_loc1, 2, 4 */
		m->at += (uintptr_t)syc_cursor_fixed(c, 1) * m->fde->code_align;
		return true;
	case 0x03:
		m->at += (uintptr_t)syc_cursor_fixed(c, 2) * m->fde->code_align;
		return true;
	case 0x04:
		m->at += (uintptr_t)syc_cursor_fixed(c, 4) * m->fde->code_align;
		return true;
	case 0x0c: /* def_cfa */
		reg = syc_cursor_uleb(c);
		define_cfa(m, reg, (int64_t)syc_cursor_uleb(c));
		return true;
	case 0x0d: /* def_cfa_register */
		m->bad |= m->row.cfa_expr != 0;
		define_cfa(m, syc_cursor_uleb(c), m->row.cfa_offset);
		return true;
	case 0x0e: /* def_cfa_offset */
		m->bad |= m->row.cfa_expr != 0;
		m->row.cfa_offset = (int64_t)syc_cursor_uleb(c);
		return true;
	case 0x0f: /* def_cfa_expression */
		m->row.cfa_expr = take_block(m);
		return true;
	case 0x12: /* def_cfa_sf */
		reg = syc_cursor_uleb(c);
		define_cfa(m, reg,
		           factor_offset(m, (uint64_t)syc_cursor_sleb(c)));
		return true;
	case 0x13: /* def_cfa_offset_sf */
		m->bad |= m->row.cfa_expr != 0;
		m->row.cfa_offset =
			factor_offset(m, (uint64_t)syc_cursor_sleb(c));
		return true;
	default:
		return false;
	}
}

/* Run an instruction about one register.  Returns false if op is another
 * instruction. */
static bool run_register(struct row_machine *m, unsigned op)
{
	struct syc_cursor *const c = &m->cursor;
	const uint64_t reg = syc_cursor_uleb(c);

	switch (op) {
	case 0x05: /* offset_extended */
		set_rule(m, reg, SYC_ROW_AT,
		         factor_offset(m, syc_cursor_uleb(c)));
		return true;
	case 0x06: /* restore_extended */
		restore_register(m, reg);
		return true;
	case 0x07: /* undefined */
		set_rule(m, reg, SYC_ROW_UNDEFINED, 0);
		return true;
	case 0x08: /* same_value */
		set_rule(m, reg, SYC_ROW_SAME, 0);
		return true;
	case 0x09: /* register */
		set_rule(m, reg, SYC_ROW_REGISTER,
		         (int64_t)syc_machine_column(syc_cursor_uleb(c)));
		return true;
	case 0x10: /* expression */
		set_rule(m, reg, SYC_ROW_AT_EXPR, (int64_t)take_block(m));
		return true;
	case 0x11: /* offset_extended_sf */
		set_rule(m, reg, SYC_ROW_AT,
		         factor_offset(m, (uint64_t)syc_cursor_sleb(c)));
		return true;
	case 0x14: /* val_offset */
		set_rule(m, reg, SYC_ROW_IS,
		         factor_offset(m, syc_cursor_uleb(c)));
		return true;
	case 0x15: /* val_offset_sf */
		set_rule(m, reg, SYC_ROW_IS,
		         factor_offset(m, (uint64_t)syc_cursor_sleb(c)));
		return true;
	case 0x16: /* val_expression */
		set_rule(m, reg, SYC_ROW_IS_EXPR, (int64_t)take_block(m));
		return true;
	case 0x2f: /* GNU_negative_offset_extended */
		set_rule(m, reg, SYC_ROW_AT,
		         -factor_offset(m, syc_cursor_uleb(c)));
		return true;
	default:
		return false;
	}
}

static void run_instruction(struct row_machine *m)
{
	struct syc_cursor *const c = &m->cursor;
	const unsigned op = syc_cursor_u8(c);

	switch (op & 0xc0) {
	case 0x40: /* advance_loc */
		m->at += (op & 0x3f) * m->fde->code_align;
		return;
	case 0x80: /* offset */
		set_rule(m, op & 0x3f, SYC_ROW_AT,
		         factor_offset(m, syc_cursor_uleb(c)));
		return;
	case 0xc0: /* restore */
		restore_register(m, op & 0x3f);
		return;
	default:
		break;
	}
	switch (op) {
	case 0x00: /* nop */
		return;
	case 0x0a:
		remember_row(m);
		return;
	case 0x0b:
		recall_row(m);
		return;
	case 0x2c: /* AARCH64_negate_ra_state_with_pc */
	case 0x2d: /* AARCH64_negate_ra_state, which toggles signing of return
		    * addresses, whose signatures are always stripped */
		return;
	case 0x2e: /* GNU_args_size: for landing pads */
		syc_cursor_uleb(c);
		return;
	default:
		if (!run_cfa(m, op) && !run_register(m, op))
			m->bad = true;
	}
}

static void run_instructions(struct row_machine *m, struct syc_bytes *bytes,
                             uintptr_t from, uintptr_t to)
{
	unsigned steps = 0;

	syc_cursor_init(&m->cursor, bytes, from, to);
	while (!m->bad && !m->cursor.bad && m->cursor.at < m->cursor.end &&
	       m->at <= m->pc) {
		run_instruction(m);
		m->bad |= ++steps > STEPS_MOST;
	}
	m->bad |= m->cursor.bad;
}

int syc_row_find(struct syc_bytes *bytes, const struct syc_fde *fde,
                 uintptr_t pc, struct syc_row *ret_row)
{
	struct row_machine m;

	m.fde = fde;
	m.at = fde->begin;
	m.pc = pc;
	m.n_remembered = 0;
	m.bad = false;
	m.row.cfa_expr = 0;
	m.row.cfa_offset = 0;
	m.row.cfa_reg = SYC_REG_SP;
	for (unsigned i = 0; i < SYC_ROW_SLOTS; i++) {
		m.row.slots[i] = syc_row_rule(SYC_ROW_SAME, 0);
		m.first.slots[i] = m.row.slots[i];
	}
	run_instructions(&m, bytes, fde->common, fde->common_end);
	m.at = fde->begin;
	m.first = m.row;
	if (!m.bad)
		run_instructions(&m, bytes, fde->program, fde->program_end);
	if (m.bad)
		return -EINVAL;
	*ret_row = m.row;
	return 0;
}
