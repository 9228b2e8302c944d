/* SPDX-License-Identifier: BSD-2-Clause */
/* expr.h - the expressions of .eh_frame: a small stack machine. */
#ifndef SYC_STACK_EXPR_H
#define SYC_STACK_EXPR_H

#include "stack/bytes.h"
#include "stack/machine.h"

struct syc_expr_env {
	const struct syc_regs *regs;
	/* @size bytes (1, 2, 4, 8) of memory; false: can't be read, as with
	 * NULL nothing can */
	bool (*load)(void *user, uintptr_t at, unsigned size,
	             uintptr_t *ret_value);
	void *user;
	/* Set: registers that were asked for, whether there or not */
	uint64_t asked;
};

/**
 * Evaluate the expression, a length and as many bytes, at @at.  @first, if
 * not NULL, is on the stack when it begins.
 *
 * Returns 0; -EINVAL if it is invalid or does not end; -EFAULT if it reads
 * unreadable memory; -ENODATA if a register is unknown.
 *
 * Context: signal-safe, any-thread.
 */
int syc_expr_eval(struct syc_bytes *bytes, uintptr_t at,
                  struct syc_expr_env *env, const uintptr_t *first,
                  uintptr_t *ret_value);

#endif
