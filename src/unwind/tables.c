/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.c - from the tables of a module to a rule, or where none can hold
 * what they say, to the caller's registers.  Signal-safe.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "unwind/expr.h"
#include "unwind/frame_index.h"
#include "unwind/modules.h"
#include "unwind/row.h"
#include "unwind/walk.h"

#define LEARN_TRIES 3u

#define OP_DEREF 0x06u
#define OP_BREG  0x70u

/* What of a module is needed for one frame. */
struct tables {
	struct sc_loaded_module module;
	struct sc_bytes bytes;
	struct sc_fde fde;
	struct sc_row row;
};

/* The entry about @at in the module.  0; -ENOENT, there is none; -EINVAL, it
 * makes no sense. */
static int find_entry(struct tables *tables, uintptr_t at, struct sc_fde *fde)
{
	if (tables->module.header == 0)
		return sc_frame_index_find(&tables->bytes, at, fde);
	return sc_eh_frame_find(&tables->bytes, tables->module.header, at, fde);
}

static int find(struct tables *tables, uintptr_t at)
{
	tables->module.header = 0;
	if (!sc_modules_find(at, &tables->module))
		return -ENOENT;
	sc_modules_open(&tables->module, &tables->bytes);
	sc_modules_notice(&tables->module, &tables->bytes);
	return find_entry(tables, at, &tables->fde);
}

static bool code_at(uintptr_t at, unsigned char *code, size_t n)
{
	return sc_memory_copy(code, at, n) == n;
}

bool sc_walk_is_return(uintptr_t pc)
{
	unsigned char code[SC_MACHINE_BEFORE];
	struct tables tables;

	return code_at(pc - sizeof(code), code, sizeof(code)) &&
	       sc_machine_ends_with_call(code) && find(&tables, pc - 1) == 0;
}

/* The code that the frame goes on with is a signal handler's return. */
static bool is_sigreturn(const struct sc_walk *walk)
{
	unsigned char code[SC_MACHINE_CODE];

	return code_at(walk->regs.r[SC_REG_PC], code, sizeof(code)) &&
	       sc_machine_is_sigreturn(code);
}

/*
 * A return address that is a function's first byte and behind no call was not
 * put there by one: whoever made this stack did.
 */
static bool entered_by_hand(const struct sc_walk *walk, struct tables *tables)
{
	const uintptr_t pc = walk->regs.r[SC_REG_PC];
	unsigned char code[SC_MACHINE_BEFORE];
	struct sc_fde fde;

	if (walk->exact || find_entry(tables, pc, &fde) != 0 || fde.begin != pc)
		return false;
	return !code_at(pc - sizeof(code), code, sizeof(code)) ||
	       !sc_machine_ends_with_call(code);
}

/* "At fp + offset", as compilers say it where they realign the stack: a
 * length, one operation, then all is said, or it is the address of it. */
static bool is_fp_plus(struct sc_bytes *bytes, uintptr_t at, bool deref,
                       int64_t *ret_offset)
{
	struct sc_cursor cursor;

	sc_cursor_init(&cursor, bytes, at, bytes->high);
	const uint64_t length = sc_cursor_uleb(&cursor);
	const uintptr_t begin = cursor.at;
	if (sc_cursor_u8(&cursor) != OP_BREG + SC_REG_FP)
		return false;
	*ret_offset = sc_cursor_sleb(&cursor);
	if (deref && sc_cursor_u8(&cursor) != OP_DEREF)
		return false;
	return !cursor.bad && cursor.at - begin == length;
}

static bool no_memory(void *user, uintptr_t at, unsigned size,
                      uintptr_t *ret_value)
{
	(void)user;
	(void)at;
	(void)size;
	(void)ret_value;
	return false;
}

/* Expressions of sp and pc alone, as for the entries of a PLT: for one pc the
 * CFA is sp and a constant.  Tried out: with one sp and another. */
static bool is_sp_plus(const struct sc_walk *walk, struct tables *tables,
                       int64_t *ret_offset)
{
	struct sc_regs regs = walk->regs;
	struct sc_expr_env env = { .regs = &regs, .load = no_memory };
	uintptr_t cfa, moved;

	regs.known &= SC_REG_BIT(SC_REG_SP) | SC_REG_BIT(SC_REG_PC);
	if (sc_expr_eval(&tables->bytes, tables->row.cfa_expr, &env, NULL,
	                 &cfa) != 0)
		return false;
	*ret_offset = (int64_t)(cfa - regs.r[SC_REG_SP]);
	regs.r[SC_REG_SP] += 8;
	return sc_expr_eval(&tables->bytes, tables->row.cfa_expr, &env, NULL,
	                    &moved) == 0 &&
	       moved - cfa == 8;
}

static bool saves_others(const struct sc_row *row, unsigned ra)
{
	for (unsigned i = 0; i < SC_ROW_SLOTS; i++) {
		const unsigned reg = SC_ROW_FIRST + i;

		if (reg != ra && reg != SC_REG_FP && reg != SC_REG_SP &&
		    (SC_KEPT & SC_REG_BIT(reg)) != 0 &&
		    sc_row_kind(row->slots[i]) != SC_ROW_SAME)
			return true;
	}
	return false;
}

/* The CFA as a rule's bits and offset; false: no rule can say it. */
static bool pack_cfa(const struct sc_walk *walk, struct tables *tables,
                     unsigned *bits, int64_t *ret_offset)
{
	const struct sc_row *const row = &tables->row;

	*bits = SC_RULE_CALL;
	*ret_offset = row->cfa_offset;
	if (row->cfa_expr == 0) {
		if (row->cfa_reg == SC_REG_FP)
			*bits |= SC_RULE_FROM_FP;
		return row->cfa_reg == SC_REG_FP || row->cfa_reg == SC_REG_SP;
	}
	if (is_fp_plus(&tables->bytes, row->cfa_expr, true, ret_offset)) {
		*bits = SC_RULE_ALIGNED;
		return true;
	}
	return is_sp_plus(walk, tables, ret_offset);
}

static uint64_t pack(const struct sc_walk *walk, struct tables *tables)
{
	const struct sc_row *const row = &tables->row;
	const struct sc_row_rule ra = sc_row_get(row, tables->fde.ra);
	const struct sc_row_rule fp = sc_row_get(row, SC_REG_FP);
	int64_t cfa_offset, fp_offset = 0, ra_offset = 0;
	unsigned bits;

	if (sc_row_kind(ra) == SC_ROW_UNDEFINED)
		return SC_RULE_OUTERMOST;
	if (tables->fde.signal || tables->fde.ra != SC_REG_RA ||
	    sc_row_kind(sc_row_get(row, SC_REG_SP)) != SC_ROW_SAME ||
	    !pack_cfa(walk, tables, &bits, &cfa_offset))
		return SC_RULE_SLOW;
	if (sc_row_kind(ra) == SC_ROW_AT)
		ra_offset = sc_row_value(ra);
	else if (SC_RA_IN_REGISTER && sc_row_kind(ra) == SC_ROW_SAME)
		bits |= SC_RULE_RA_IN_REG;
	else
		return SC_RULE_SLOW;
	if (!SC_RA_IN_REGISTER && ra_offset != -8)
		return SC_RULE_SLOW; /* the fast loop counts on it */
	if ((bits & 7) == SC_RULE_ALIGNED) {
		if (sc_row_kind(fp) != SC_ROW_AT_EXPR ||
		    !is_fp_plus(&tables->bytes, (uintptr_t)sc_row_value(fp),
		                false, &fp_offset))
			return SC_RULE_SLOW;
		bits |= SC_RULE_FP_SAVED;
	} else if (sc_row_kind(fp) == SC_ROW_AT) {
		fp_offset = sc_row_value(fp);
		bits |= SC_RULE_FP_SAVED;
	} else if (sc_row_kind(fp) != SC_ROW_SAME) {
		return SC_RULE_SLOW;
	}
	if (saves_others(row, tables->fde.ra))
		bits |= SC_RULE_OTHERS;
	return sc_rule_fits(cfa_offset, fp_offset, ra_offset)
	               ? sc_rule_make(bits, cfa_offset, fp_offset, ra_offset)
	               : SC_RULE_SLOW;
}

static uint64_t learn_once(const struct sc_walk *walk)
{
	struct tables tables;
	const int r = find(&tables, walk->at);

	if (r == 0) {
		if (tables.fde.signal && is_sigreturn(walk))
			return SC_RULE_SIGNAL;
		if (walk->at == tables.fde.end - 1 &&
		    entered_by_hand(walk, &tables))
			return SC_RULE_OUTERMOST;
		return sc_row_find(&tables.bytes, &tables.fde, walk->at,
		                   &tables.row) == 0
		               ? pack(walk, &tables)
		               : SC_RULE_SLOW;
	}
	if (is_sigreturn(walk))
		return SC_RULE_SIGNAL;
	if (r == -ENOENT && entered_by_hand(walk, &tables))
		return SC_RULE_OUTERMOST;
	return SC_RULE_BARE | sc_modules_additions() << 8;
}

uint64_t sc_walk_learn(struct sc_walk *walk)
{
	uint64_t generation, rule;
	unsigned tries = 0;

	/* A rule must not be stored for a generation that began while its
	 * tables were read. */
	do {
		generation = sc_modules_generation();
		rule = learn_once(walk);
	} while (sc_modules_generation() != generation &&
	         ++tries < LEARN_TRIES);
	walk->salt = sc_cache_salt(generation);
	sc_cache_store(walk->cache, walk->salt, walk->at, rule);
	return rule;
}

static bool load_for_expr(void *user, uintptr_t at, unsigned size,
                          uintptr_t *ret_value)
{
	struct sc_walk *const walk = user;
	uintptr_t value = 0;

	if (size == sizeof(uintptr_t))
		return sc_memory_load(&walk->stacks, at, ret_value);
	if (sc_memory_copy(&value, at, size) != size)
		return false;
	*ret_value = value;
	return true;
}

/* A register that nothing is known of: begin again and follow all. */
static enum sc_step failed(const struct sc_walk *walk, int error)
{
	return error == -ENODATA && !walk->full ? SC_STEP_FULL
	                                        : SC_STEP_STOPPED;
}

static int find_cfa(struct sc_walk *walk, struct tables *tables,
                    struct sc_expr_env *env, uintptr_t *ret_cfa)
{
	const struct sc_row *const row = &tables->row;

	if (row->cfa_expr != 0)
		return sc_expr_eval(&tables->bytes, row->cfa_expr, env, NULL,
		                    ret_cfa);
	if (!sc_regs_has(&walk->regs, row->cfa_reg))
		return -ENODATA;
	*ret_cfa = walk->regs.r[row->cfa_reg] + (uintptr_t)row->cfa_offset;
	return 0;
}

static int find_register(struct sc_walk *walk, struct tables *tables,
                         struct sc_expr_env *env, uintptr_t cfa, unsigned reg,
                         uintptr_t *ret_value)
{
	const struct sc_row_rule rule = sc_row_get(&tables->row, reg);
	const uintptr_t value = (uintptr_t)sc_row_value(rule);
	uintptr_t at;
	int r;

	switch (sc_row_kind(rule)) {
	case SC_ROW_AT:
		return sc_memory_load(&walk->stacks, cfa + value, ret_value)
		               ? 0
		               : -EFAULT;
	case SC_ROW_IS:
		*ret_value = cfa + value;
		return 0;
	case SC_ROW_AT_EXPR:
		r = sc_expr_eval(&tables->bytes, value, env, &cfa, &at);
		if (r != 0)
			return r;
		return sc_memory_load(&walk->stacks, at, ret_value) ? 0
		                                                    : -EFAULT;
	case SC_ROW_IS_EXPR:
		return sc_expr_eval(&tables->bytes, value, env, &cfa,
		                    ret_value);
	case SC_ROW_UNDEFINED:
		return -ENOENT;
	default:
		break;
	}
	const unsigned from = sc_row_kind(rule) == SC_ROW_REGISTER && value < 64
	                              ? (unsigned)value
	                              : reg;

	if (!sc_regs_has(&walk->regs, from))
		return -ENODATA;
	*ret_value = walk->regs.r[from];
	return 0;
}

/* All that the caller will have in registers. */
static int find_caller(struct sc_walk *walk, struct tables *tables,
                       struct sc_regs *regs)
{
	struct sc_expr_env env = { .regs = &walk->regs,
		                   .load = load_for_expr,
		                   .user = walk };
	const unsigned ra = tables->fde.ra;
	uintptr_t cfa, pc;
	int r = find_cfa(walk, tables, &env, &cfa);

	if (r != 0)
		return r;
	r = find_register(walk, tables, &env, cfa, ra, &pc);
	if (r != 0)
		return r;
	regs->known = 0;
	for (unsigned reg = 0; reg < SC_MACHINE_REGS; reg++) {
		const bool kept =
			(SC_KEPT & SC_REG_BIT(reg)) != 0 || tables->fde.signal;
		const struct sc_row_rule rule = sc_row_get(&tables->row, reg);

		if (reg == SC_REG_SP && sc_row_kind(rule) == SC_ROW_SAME) {
			regs->r[reg] = cfa;
			regs->known |= SC_REG_BIT(reg);
		} else if ((kept || sc_row_kind(rule) != SC_ROW_SAME) &&
		           find_register(walk, tables, &env, cfa, reg,
		                         &regs->r[reg]) == 0) {
			regs->known |= SC_REG_BIT(reg);
		}
	}
	if (!sc_regs_has(regs, SC_REG_SP))
		return -ENOENT;
	if (!sc_regs_has(regs, SC_REG_FP))
		regs->r[SC_REG_FP] = 0;
	regs->r[SC_REG_PC] = sc_machine_strip(pc);
	regs->known |= SC_REG_BIT(SC_REG_PC);
	return 0;
}

enum sc_step sc_walk_by_tables(struct sc_walk *walk)
{
	struct tables tables;
	struct sc_regs regs;

	if (find(&tables, walk->at) != 0 ||
	    sc_row_find(&tables.bytes, &tables.fde, walk->at, &tables.row) != 0)
		return SC_STEP_STOPPED;
	if (sc_row_kind(sc_row_get(&tables.row, tables.fde.ra)) ==
	    SC_ROW_UNDEFINED)
		return SC_STEP_OUTERMOST;
	const int r = find_caller(walk, &tables, &regs);

	if (r != 0)
		return failed(walk, r);
	return sc_walk_accept(walk, &regs, tables.fde.signal);
}
