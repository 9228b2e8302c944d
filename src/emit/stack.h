/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.h - a stack as the caller's callback writes it, for a frame whose
 * length must be known before it is taken.
 *
 * The callback runs before anything is entered or reserved: it may emit,
 * fork, take its time, or leave by siglongjmp().
 *
 * Callbacks that unwind with a library begin two addresses early, so that
 * the first two, which are in the callback and in the function of ours that
 * called it, fall in front of what is kept.  So there is room, and so this
 * must stay inlined into the public function.
 */
#ifndef SYC_EMIT_STACK_H
#define SYC_EMIT_STACK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#define SYC_STACK_BEFORE 2u
#define SYC_STACK_MAX    512u

struct syc_stack {
	unsigned n;
	unsigned flags; /* SYSCAP_STACK_CUT: there may be more */
	uint64_t words[SYC_STACK_BEFORE + SYC_STACK_MAX];
};

static inline __attribute__((always_inline)) void
syc_stack_take(struct syc_stack *stack,
               int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
               void *user)
{
	const int saved = errno;
	int n = 0;

	if (backtrace != NULL)
		n = backtrace(stack->words + SYC_STACK_BEFORE, SYC_STACK_MAX,
		              user);
	if (n < 0) /* how some say that there is none */
		n = 0;
	stack->n = (unsigned)n < SYC_STACK_MAX ? (unsigned)n : SYC_STACK_MAX;
	stack->flags = stack->n == SYC_STACK_MAX ? SYSCAP_STACK_CUT : 0;
	errno = saved;
}

static inline const uint64_t *syc_stack_addrs(const struct syc_stack *stack)
{
	return stack->words + SYC_STACK_BEFORE;
}

#endif
