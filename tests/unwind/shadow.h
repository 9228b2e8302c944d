/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.h - the true stack at every instruction, without any table.
 *
 * A call is run one instruction at a time.  An instruction that pushed the
 * address of the next instruction, and jumped elsewhere, was a call.  A stack
 * pointer above such a return address means that the function has returned.  So
 * all callers are known exactly, for code of compilers, assembly, the dynamic
 * linker and the kernel's page.  At every instruction the result is compared
 * with the unwinder's.
 *
 * Code must not move the stack pointer to another stack, or return through a
 * frame that no call made.  x86-64 only.
 */
#ifndef SYSCAP_TEST_SHADOW_H
#define SYSCAP_TEST_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SHADOW_DEPTH = 400,
	SHADOW_PLACES = 16
};

struct shadow_difference {
	uintptr_t pc;   /* place of the difference */
	unsigned frame; /* first different frame; 0 is the innermost */
	uint64_t is, should_be;
	unsigned long n; /* number of differences at this place */
};

struct shadow {
	unsigned long n_steps; /* number of instructions */
	/* number of steps with a completely right stack */
	unsigned long n_same;
	/* number of steps with a wrong address whose walk reported a stop */
	unsigned long n_stopped;
	unsigned max_depth;
	/* number of places; further ones are not stored */
	unsigned n_differences;
	struct shadow_difference differences[SHADOW_PLACES];
};

/** True if code can be run by single steps. */
bool shadow_is_possible(void);

/** Run call(data), and compare at each of its instructions. */
void shadow_run(struct shadow *shadow, void (*call)(void *data), void *data);

/** Print the figures, and the places of differences as module+offset. */
void shadow_print(const struct shadow *shadow, const char *what);

#endif
