/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.h - know the stack at every instruction, without any table.
 *
 * A call is run one instruction at a time.  An instruction that pushed the
 * address of the one behind it, and left for elsewhere, was a call; a stack
 * pointer above such a place says that its function is over.  So who called
 * whom is known exactly, whatever the code: of compilers, of assembly, of the
 * dynamic linker, of the kernel's page.  At every instruction the unwinder is
 * asked as well, and the two are compared.
 *
 * Code that moves the stack pointer to another stack, or makes itself a frame
 * to return through, is not for this.  x86-64 only.
 */
#ifndef SYSCAP_TEST_SHADOW_H
#define SYSCAP_TEST_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SHADOW_DEPTH = 400,
	SHADOW_TOLD = 16
};

struct shadow_difference {
	uintptr_t pc;   /* where the two differed */
	unsigned frame; /* the first that did; 0 is the innermost */
	uint64_t is, should_be;
	unsigned long n; /* how often there */
};

struct shadow {
	unsigned long n_steps;   /* instructions */
	unsigned long n_same;    /* all of the stack told right */
	unsigned long n_stopped; /* no: and the walk said that it stopped */
	unsigned max_depth;
	unsigned n_differences; /* places; those beyond are not told */
	struct shadow_difference differences[SHADOW_TOLD];
};

/** True where there is something to run code by single steps with. */
bool shadow_is_possible(void);

/** Run call(data), and compare at each of its instructions. */
void shadow_run(struct shadow *shadow, void (*call)(void *data), void *data);

/** Print the figures, and where they differed, as module+offset. */
void shadow_print(const struct shadow *shadow, const char *what);

#endif
