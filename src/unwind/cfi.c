/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi.c - steps by a module's call frame information, to a rule of one word or
 * to the caller's registers.  All functions are signal-safe.
 */
#define _GNU_SOURCE
#include "unwind/cfi.h"

#include <errno.h>

#include "unwind/memory.h"
#include "unwind/walk.h"

#define LEARN_TRIES 3u

#define OP_DEREF 0x06u
#define OP_BREG  0x70u

/* The tables of one frame. */
struct tables {
	struct syc_loaded_module module;
	struct syc_bytes bytes;
	struct syc_fde fde;
	struct syc_row row;
};

/*
 * Find the entry for the pc @at in the module.  Returns 0, -ENOENT if the
 * module has no entry for @at, or -EINVAL if the entry is invalid.
 */
static int find_entry(struct tables *tables, uintptr_t at, struct syc_fde *fde)
{
	if (tables->module.header == 0)
		return syc_frame_index_find(&tables->bytes, at, fde);
	return syc_eh_frame_find(&tables->bytes, tables->module.header, at,
	                         fde);
}

static int find_tables(struct tables *tables, uintptr_t at)
{
	tables->module.header = 0;
	if (!syc_modules_find(at, &tables->module))
		return -ENOENT;
	syc_bytes_init_module(&tables->bytes, &tables->module);
	syc_modules_notice(&tables->module, &tables->bytes);
	return find_entry(tables, at, &tables->fde);
}

static bool code_at(uintptr_t at, unsigned char *code, size_t n)
{
	return syc_memory_copy(code, at, n) == n;
}

bool syc_cfi_follows_call(uintptr_t pc)
{
	unsigned char code[SYC_MACHINE_BEFORE];

	return code_at(pc - sizeof(code), code, sizeof(code)) &&
	       syc_machine_ends_with_call(code);
}

uintptr_t syc_cfi_find_function(uintptr_t pc)
{
	struct tables tables;

	return find_tables(&tables, pc) == 0 ? tables.fde.begin : 0;
}

bool syc_cfi_is_return(uintptr_t pc)
{
	return syc_cfi_follows_call(pc) && syc_cfi_find_function(pc - 1) != 0;
}

/* If the pc is at a trampoline that returns from a signal handler, return the
 * rule, else 0. */
static uint64_t signal_rule(const struct syc_walk *walk)
{
	unsigned char code[SYC_MACHINE_CODE];
	unsigned kind;

	if (!code_at(walk->regs.r[SYC_REG_PC], code, sizeof(code)))
		return 0;
	kind = syc_machine_is_sigreturn(code);
	return kind != 0 ? SYC_RULE_SIGNAL | (uint64_t)(kind - 1) << 8 : 0;
}

/*
 * Return whether the return address is a function's first byte, and follows no
 * call.  No call pushed such an address: the code that made the stack stored
 * the address.
 */
static bool entered_by_hand(const struct syc_walk *walk, struct tables *tables)
{
	const uintptr_t pc = walk->regs.r[SYC_REG_PC];
	struct syc_fde fde;

	return !walk->exact && find_entry(tables, pc, &fde) == 0 &&
	       fde.begin == pc && !syc_cfi_follows_call(pc);
}

/*
 * Recognize "at fp + offset", as compilers encode the rule after a realignment
 * of the stack.  The code is a length and one operation, for the value or its
 * address.
 */
static bool is_fp_plus(struct syc_bytes *bytes, uintptr_t at, bool deref,
                       int64_t *ret_offset)
{
	struct syc_cursor cursor;

	syc_cursor_init(&cursor, bytes, at, bytes->high);
	const uint64_t length = syc_cursor_uleb(&cursor);
	const uintptr_t begin = cursor.at;
	if (syc_cursor_u8(&cursor) != OP_BREG + SYC_REG_FP)
		return false;
	*ret_offset = syc_cursor_sleb(&cursor);
	if (deref && syc_cursor_u8(&cursor) != OP_DEREF)
		return false;
	return !cursor.bad && cursor.at - begin == length;
}

/*
 * If the CFA's expression uses only sp and pc, as in a PLT, the CFA is sp plus
 * a constant for one pc.  Try two values of sp.
 */
static bool is_sp_plus(const struct syc_walk *walk, struct tables *tables,
                       int64_t *ret_offset)
{
	struct syc_regs regs = walk->regs;
	struct syc_expr_env env = { .regs = &regs };
	uintptr_t cfa, moved;

	regs.known &= SYC_REG_BIT(SYC_REG_SP) | SYC_REG_BIT(SYC_REG_PC);
	if (syc_expr_eval(&tables->bytes, tables->row.cfa_expr, &env, NULL,
	                  &cfa) != 0)
		return false;
	*ret_offset = (int64_t)(cfa - regs.r[SYC_REG_SP]);
	regs.r[SYC_REG_SP] += 8;
	return syc_expr_eval(&tables->bytes, tables->row.cfa_expr, &env, NULL,
	                     &moved) == 0 &&
	       moved - cfa == 8;
}

static bool saves_others(const struct syc_row *row, unsigned ra)
{
	for (unsigned i = 0; i < SYC_ROW_SLOTS; i++) {
		const unsigned reg = SYC_ROW_FIRST + i;

		if (reg != ra && reg != SYC_REG_FP && reg != SYC_REG_SP &&
		    (SYC_KEPT & SYC_REG_BIT(reg)) != 0 &&
		    syc_row_kind(row->slots[i]) != SYC_ROW_SAME)
			return true;
	}
	return false;
}

/* Store the CFA as a rule's bits and offset.  Returns false if the CFA fits in
 * no rule. */
static bool pack_cfa(const struct syc_walk *walk, struct tables *tables,
                     unsigned *bits, int64_t *ret_offset)
{
	const struct syc_row *const row = &tables->row;

	*bits = SYC_RULE_CALL;
	*ret_offset = row->cfa_offset;
	if (row->cfa_expr == 0) {
		if (row->cfa_reg == SYC_REG_FP)
			*bits |= SYC_RULE_FROM_FP;
		return row->cfa_reg == SYC_REG_FP || row->cfa_reg == SYC_REG_SP;
	}
	if (is_fp_plus(&tables->bytes, row->cfa_expr, true, ret_offset)) {
		*bits = SYC_RULE_ALIGNED;
		return true;
	}
	return is_sp_plus(walk, tables, ret_offset);
}

static uint64_t pack_rule(const struct syc_walk *walk, struct tables *tables)
{
	const struct syc_row *const row = &tables->row;
	const struct syc_row_rule ra = syc_row_get(row, tables->fde.ra);
	const struct syc_row_rule fp = syc_row_get(row, SYC_REG_FP);
	int64_t cfa_offset, fp_offset = 0, ra_offset = 0;
	unsigned bits;

	if (syc_row_kind(ra) == SYC_ROW_UNDEFINED)
		return SYC_RULE_OUTERMOST;
	if (tables->fde.signal || tables->fde.ra != SYC_REG_RA ||
	    (SYC_CALL_SP == 0 &&
	     syc_row_kind(syc_row_get(row, SYC_REG_SP)) != SYC_ROW_SAME) ||
	    !pack_cfa(walk, tables, &bits, &cfa_offset))
		return SYC_RULE_SLOW;
	if (syc_row_kind(ra) == SYC_ROW_AT)
		ra_offset = syc_row_value(ra);
	else if (SYC_RA_IN_REGISTER && syc_row_kind(ra) == SYC_ROW_SAME)
		bits |= SYC_RULE_RA_IN_REG;
	else
		return SYC_RULE_SLOW;
	if (!SYC_RA_IN_REGISTER && ra_offset != -SYC_RULE_WORD)
		return SYC_RULE_SLOW; /* the fast loop needs this limit */
	if ((bits & 7) == SYC_RULE_ALIGNED) {
		if (syc_row_kind(fp) != SYC_ROW_AT_EXPR ||
		    !is_fp_plus(&tables->bytes, (uintptr_t)syc_row_value(fp),
		                false, &fp_offset))
			return SYC_RULE_SLOW;
		bits |= SYC_RULE_FP_SAVED;
	} else if (syc_row_kind(fp) == SYC_ROW_AT) {
		fp_offset = syc_row_value(fp);
		bits |= SYC_RULE_FP_SAVED;
	} else if (syc_row_kind(fp) != SYC_ROW_SAME) {
		return SYC_RULE_SLOW;
	}
	if (saves_others(row, tables->fde.ra))
		bits |= SYC_RULE_OTHERS;
	return syc_rule_fits(cfa_offset, fp_offset, ra_offset)
	               ? syc_rule_make(bits, cfa_offset, fp_offset, ra_offset)
	               : SYC_RULE_SLOW;
}

static uint64_t learn_rule(const struct syc_walk *walk)
{
	struct tables tables;
	const int r = find_tables(&tables, walk->at);
	uint64_t rule;

	if (r == 0) {
		if (tables.fde.signal) {
			rule = signal_rule(walk);
			if (rule != 0)
				return rule;
		}
		if (walk->at == tables.fde.end - 1 &&
		    entered_by_hand(walk, &tables))
			return SYC_RULE_BEGUN;
		return syc_row_find(&tables.bytes, &tables.fde, walk->at,
		                    &tables.row) == 0
		               ? pack_rule(walk, &tables)
		               : SYC_RULE_SLOW;
	}
	rule = signal_rule(walk);
	if (rule != 0)
		return rule;
	if (r == -ENOENT && entered_by_hand(walk, &tables))
		return SYC_RULE_BEGUN;
	return SYC_RULE_NO_CFI | syc_modules_additions() << 8;
}

uint64_t syc_cfi_learn_rule(struct syc_walk *walk)
{
	uint64_t generation, rule;
	unsigned tries = 0;

	/*
	 * A generation that began while this code read the tables must not get
	 * the rule.
	 */
	do {
		generation = syc_modules_generation();
		rule = learn_rule(walk);
	} while (syc_modules_generation() != generation &&
	         ++tries < LEARN_TRIES);
	walk->salt = syc_rule_cache_salt(generation);
	syc_rule_cache_store(walk->cache, walk->salt, walk->at, rule);
	return rule;
}

static bool load_for_expr(void *user, uintptr_t at, unsigned size,
                          uintptr_t *ret_value)
{
	struct syc_walk *const walk = user;
	uintptr_t value = 0;

	if (size == sizeof(uintptr_t))
		return syc_memory_load(&walk->stacks, at, ret_value);
	if (size > sizeof(value) || syc_memory_copy(&value, at, size) != size)
		return false;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value >>= 8 * (sizeof(value) - size);
#endif
	*ret_value = value;
	return true;
}

/* Return the step after an error.  If a register is unknown, the walk restarts
 * and follows all registers. */
static enum syc_step step_after_error(const struct syc_walk *walk, int error)
{
	return error == -ENODATA && !walk->full ? SYC_STEP_FULL
	                                        : SYC_STEP_STOPPED;
}

/*
 * Return whether the CFA is relative to a register that calls need not keep.
 * Inner functions may have left the register unchanged, which tables do not
 * report.
 */
static bool is_guess(const struct syc_walk *walk, const struct syc_row *row)
{
	return row->cfa_expr == 0 && !syc_regs_has(&walk->regs, row->cfa_reg) &&
	       row->cfa_reg < SYC_MACHINE_REGS &&
	       (walk->regs.left & SYC_REG_BIT(row->cfa_reg)) != 0;
}

static int find_cfa(struct syc_walk *walk, struct tables *tables,
                    struct syc_expr_env *env, uintptr_t *ret_cfa)
{
	const struct syc_row *const row = &tables->row;

	if (row->cfa_expr != 0)
		return syc_expr_eval(&tables->bytes, row->cfa_expr, env, NULL,
		                     ret_cfa);
	if (!syc_regs_has(&walk->regs, row->cfa_reg) && !is_guess(walk, row))
		return -ENODATA;
	*ret_cfa = walk->regs.r[row->cfa_reg] + (uintptr_t)row->cfa_offset;
	return 0;
}

static int find_register(struct syc_walk *walk, struct tables *tables,
                         struct syc_expr_env *env, uintptr_t cfa, unsigned reg,
                         uintptr_t *ret_value)
{
	const struct syc_row_rule rule = syc_row_get(&tables->row, reg);
	const uintptr_t value = (uintptr_t)syc_row_value(rule);
	uintptr_t at = cfa + value;
	int r;

	switch (syc_row_kind(rule)) {
	case SYC_ROW_AT_EXPR:
		r = syc_expr_eval(&tables->bytes, value, env, &cfa, &at);
		if (r != 0)
			return r;
		/* fall through */
	case SYC_ROW_AT:
		return syc_memory_load(&walk->stacks, at, ret_value) ? 0
		                                                     : -EFAULT;
	case SYC_ROW_IS:
		*ret_value = at;
		return 0;
	case SYC_ROW_IS_EXPR:
		return syc_expr_eval(&tables->bytes, value, env, &cfa,
		                     ret_value);
	case SYC_ROW_UNDEFINED:
		return -ENOENT;
	default:
		break;
	}
	const unsigned from =
		syc_row_kind(rule) == SYC_ROW_REGISTER && value < 64
			? (unsigned)value
			: reg;

	if (!syc_regs_has(&walk->regs, from))
		return -ENODATA;
	*ret_value = walk->regs.r[from];
	return 0;
}

/* Find all registers of the caller. */
static int find_caller(struct syc_walk *walk, struct tables *tables,
                       struct syc_regs *regs)
{
	struct syc_expr_env env = { .regs = &walk->regs,
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
	/* Use a guess only if it leads to a valid return address */
	if (is_guess(walk, &tables->row) &&
	    !syc_cfi_is_return(syc_machine_strip(pc)))
		return -ENOENT;
	regs->known = 0;
	regs->left = 0;
	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++) {
		const bool kept = (SYC_KEPT & SYC_REG_BIT(reg)) != 0 ||
		                  tables->fde.signal;
		const struct syc_row_rule rule = syc_row_get(&tables->row, reg);

		if (reg == SYC_REG_SP &&
		    (SYC_CALL_SP != 0 || syc_row_kind(rule) == SYC_ROW_SAME)) {
			regs->r[reg] = cfa + (uintptr_t)SYC_CALL_SP;
			regs->known |= SYC_REG_BIT(reg);
		} else if ((kept || syc_row_kind(rule) != SYC_ROW_SAME) &&
		           find_register(walk, tables, &env, cfa, reg,
		                         &regs->r[reg]) == 0) {
			regs->known |= SYC_REG_BIT(reg);
		} else if (syc_row_kind(rule) == SYC_ROW_SAME) {
			regs->r[reg] = walk->regs.r[reg];
			regs->left |= walk->regs.left & SYC_REG_BIT(reg);
		}
	}
	regs->left |= regs->known & ~SYC_KEPT;
	if (!syc_regs_has(regs, SYC_REG_SP))
		return -ENOENT;
	if (!syc_regs_has(regs, SYC_REG_FP))
		regs->r[SYC_REG_FP] = 0;
	regs->r[SYC_REG_PC] = syc_machine_strip(pc);
	regs->known |= SYC_REG_BIT(SYC_REG_PC);
	return 0;
}

enum syc_step syc_cfi_step(struct syc_walk *walk)
{
	struct tables tables;
	struct syc_regs regs;

	if (find_tables(&tables, walk->at) != 0 ||
	    syc_row_find(&tables.bytes, &tables.fde, walk->at, &tables.row) !=
	            0)
		return SYC_STEP_STOPPED;
	if (syc_row_kind(syc_row_get(&tables.row, tables.fde.ra)) ==
	    SYC_ROW_UNDEFINED)
		return SYC_STEP_OUTERMOST;
	const int r = find_caller(walk, &tables, &regs);

	if (r != 0)
		return step_after_error(walk, r);
	return syc_walk_accept(walk, &regs, tables.fde.signal);
}
