/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf_expr.c - interpreter of .eh_frame's expressions, in bounded time and
 * memory.  All functions are signal-safe.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "unwind/cfi.h"

#define STACK_MOST 16u
#define STEPS_MOST 256u

struct expr_machine {
	struct syc_cursor cursor;
	struct syc_expr_env *env;
	uintptr_t begin;
	uintptr_t stack[STACK_MOST];
	unsigned n;
	int error;
};

static void fail_expr(struct expr_machine *m, int error)
{
	if (m->error == 0)
		m->error = error;
}

static void push_value(struct expr_machine *m, uintptr_t value)
{
	if (m->n == STACK_MOST)
		fail_expr(m, -EINVAL);
	else
		m->stack[m->n++] = value;
}

/* Pop a value.  For an empty stack, return 0 and set the machine's error. */
static uintptr_t pop_value(struct expr_machine *m)
{
	if (m->n == 0) {
		fail_expr(m, -EINVAL);
		return 0;
	}
	return m->stack[--m->n];
}

static void pick_value(struct expr_machine *m, unsigned depth)
{
	if (depth >= m->n)
		fail_expr(m, -EINVAL);
	else
		push_value(m, m->stack[m->n - 1 - depth]);
}

static void push_register(struct expr_machine *m, uint64_t reg, int64_t offset)
{
	reg = syc_machine_column(reg);
	if (reg >= SYC_MACHINE_REGS) {
		fail_expr(m, -EINVAL);
		return;
	}
	m->env->used |= SYC_REG_BIT(reg);
	if (!syc_regs_has(m->env->regs, (unsigned)reg))
		fail_expr(m, -ENODATA);
	else
		push_value(m, m->env->regs->r[reg] + (uintptr_t)offset);
}

static void load_value(struct expr_machine *m, unsigned size)
{
	const uintptr_t at = pop_value(m);
	uintptr_t value = 0;

	if (size == 0 || size > sizeof(value) || (size & (size - 1)) != 0)
		fail_expr(m, -EINVAL);
	else if (m->error == 0 &&
	         (m->env->load == NULL ||
	          !m->env->load(m->env->user, at, size, &value)))
		fail_expr(m, -EFAULT);
	push_value(m, value);
}

static void jump_by(struct expr_machine *m, int64_t by)
{
	const uintptr_t to = m->cursor.at + (uintptr_t)by;

	if (to < m->begin || to > m->cursor.end)
		fail_expr(m, -EINVAL);
	else
		m->cursor.at = to;
}

/* Push a constant.  Returns false if op is not a constant. */
static bool run_constant(struct expr_machine *m, unsigned op)
{
	struct syc_cursor *const c = &m->cursor;

	switch (op) {
	case 0x03: /* addr */
		push_value(m, (uintptr_t)syc_cursor_fixed(c, sizeof(void *)));
		return true;
	case 0x0e: /* const8u, const8s */
	case 0x0f:
		push_value(m, (uintptr_t)syc_cursor_fixed(c, 8));
		return true;
	case 0x08:
		push_value(m, (uintptr_t)syc_cursor_fixed(c, 1));
		return true;
	case 0x09:
		push_value(m, (uintptr_t)syc_cursor_fixed_signed(c, 1));
		return true;
	case 0x0a:
		push_value(m, (uintptr_t)syc_cursor_fixed(c, 2));
		return true;
	case 0x0b:
		push_value(m, (uintptr_t)syc_cursor_fixed_signed(c, 2));
		return true;
	case 0x0c:
		push_value(m, (uintptr_t)syc_cursor_fixed(c, 4));
		return true;
	case 0x0d:
		push_value(m, (uintptr_t)syc_cursor_fixed_signed(c, 4));
		return true;
	case 0x10:
		push_value(m, (uintptr_t)syc_cursor_uleb(c));
		return true;
	case 0x11:
		push_value(m, (uintptr_t)syc_cursor_sleb(c));
		return true;
	default:
		return false;
	}
}

/* Run an operation that takes one value or rearranges the stack. */
static bool run_stack(struct expr_machine *m, unsigned op)
{
	uintptr_t a, b, c;

	switch (op) {
	case 0x06: /* deref */
		load_value(m, sizeof(uintptr_t));
		return true;
	case 0x94: /* deref_size */
		load_value(m, syc_cursor_u8(&m->cursor));
		return true;
	case 0x12: /* dup */
		pick_value(m, 0);
		return true;
	case 0x13: /* drop */
		pop_value(m);
		return true;
	case 0x14: /* over */
		pick_value(m, 1);
		return true;
	case 0x15: /* pick */
		pick_value(m, syc_cursor_u8(&m->cursor));
		return true;
	case 0x16: /* swap */
		a = pop_value(m), b = pop_value(m);
		push_value(m, a), push_value(m, b);
		return true;
	case 0x17: /* rot */
		a = pop_value(m), b = pop_value(m), c = pop_value(m);
		push_value(m, a), push_value(m, c), push_value(m, b);
		return true;
	case 0x19: /* abs */
		a = pop_value(m);
		push_value(m, (intptr_t)a < 0 ? -a : a);
		return true;
	case 0x1f: /* neg */
		push_value(m, -pop_value(m));
		return true;
	case 0x20: /* not */
		push_value(m, ~pop_value(m));
		return true;
	case 0x23: /* plus_uconst */
		a = pop_value(m);
		push_value(m, a + (uintptr_t)syc_cursor_uleb(&m->cursor));
		return true;
	default:
		return false;
	}
}

static uintptr_t divide_signed(struct expr_machine *m, uintptr_t a, uintptr_t b)
{
	if (b == 0) {
		fail_expr(m, -EINVAL);
		return 0;
	}
	/* the least number divided by -1 overflows */
	return (intptr_t)b == -1 ? -a : (uintptr_t)((intptr_t)a / (intptr_t)b);
}

static uintptr_t remainder_of(struct expr_machine *m, uintptr_t a, uintptr_t b)
{
	if (b != 0)
		return a % b;
	fail_expr(m, -EINVAL);
	return 0;
}

static uintptr_t shift_value(unsigned op, uintptr_t a, uintptr_t by)
{
	const uintptr_t most = 8 * sizeof(a) - 1;

	if (op == 0x26) /* shra */
		return (uintptr_t)((intptr_t)a >> (by < most ? by : most));
	if (by > most)
		return 0;
	return op == 0x24 ? a << by : a >> by;
}

/* Run an operation that pops two values and pushes one.  Returns false if op is
 * another operation. */
static bool run_binary(struct expr_machine *m, unsigned op)
{
	if (!((op >= 0x1a && op <= 0x1e) || (op >= 0x21 && op <= 0x27) ||
	      (op >= 0x29 && op <= 0x2e)) ||
	    op == 0x23)
		return false;
	const uintptr_t b = pop_value(m), a = pop_value(m);
	const intptr_t sb = (intptr_t)b, sa = (intptr_t)a;

	switch (op) {
	case 0x1a:
		push_value(m, a & b);
		break;
	case 0x1b:
		push_value(m, divide_signed(m, a, b));
		break;
	case 0x1c:
		push_value(m, a - b);
		break;
	case 0x1d:
		push_value(m, remainder_of(m, a, b));
		break;
	case 0x1e:
		push_value(m, a * b);
		break;
	case 0x21:
		push_value(m, a | b);
		break;
	case 0x22:
		push_value(m, a + b);
		break;
	case 0x24:
	case 0x25:
	case 0x26:
		push_value(m, shift_value(op, a, b));
		break;
	case 0x27:
		push_value(m, a ^ b);
		break;
	case 0x29:
		push_value(m, sa == sb);
		break;
	case 0x2a:
		push_value(m, sa >= sb);
		break;
	case 0x2b:
		push_value(m, sa > sb);
		break;
	case 0x2c:
		push_value(m, sa <= sb);
		break;
	case 0x2d:
		push_value(m, sa < sb);
		break;
	default:
		push_value(m, sa != sb);
		break;
	}
	return true;
}

static void run_operation(struct expr_machine *m)
{
	struct syc_cursor *const c = &m->cursor;
	const unsigned op = syc_cursor_u8(c);
	int64_t by;

	if (op >= 0x30 && op <= 0x4f) { /* lit0 … */
		push_value(m, op - 0x30);
		return;
	}
	if (op >= 0x70 && op <= 0x8f) { /* breg0 … */
		push_register(m, op - 0x70, syc_cursor_sleb(c));
		return;
	}
	if (run_constant(m, op) || run_stack(m, op) || run_binary(m, op))
		return;
	switch (op) {
	case 0x28: /* bra */
		by = syc_cursor_fixed_signed(c, 2);
		if (pop_value(m) != 0)
			jump_by(m, by);
		return;
	case 0x2f: /* skip */
		jump_by(m, syc_cursor_fixed_signed(c, 2));
		return;
	case 0x92: { /* bregx */
		const uint64_t reg = syc_cursor_uleb(c);

		push_register(m, reg, syc_cursor_sleb(c));
		return;
	}
	case 0x96: /* nop */
		return;
	default:
		fail_expr(m, -EINVAL);
	}
}

int syc_expr_eval(struct syc_bytes *bytes, uintptr_t at,
                  struct syc_expr_env *env, const uintptr_t *first,
                  uintptr_t *ret_value)
{
	struct expr_machine m;
	unsigned steps = 0;

	syc_cursor_init(&m.cursor, bytes, at, bytes->high);
	const uint64_t length = syc_cursor_uleb(&m.cursor);
	if (m.cursor.bad || length > m.cursor.end - m.cursor.at)
		return -EINVAL;
	m.begin = m.cursor.at;
	m.cursor.end = m.begin + (uintptr_t)length;
	m.env = env;
	m.n = 0;
	m.error = 0;
	if (first != NULL)
		push_value(&m, *first);
	while (m.error == 0 && !m.cursor.bad && m.cursor.at < m.cursor.end)
		if (++steps > STEPS_MOST)
			return -EINVAL;
		else
			run_operation(&m);
	if (m.cursor.bad)
		return -EINVAL;
	if (m.error != 0)
		return m.error;
	if (m.n == 0)
		return -EINVAL;
	*ret_value = m.stack[m.n - 1];
	return 0;
}
