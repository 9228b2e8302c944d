/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * toy.h - a language runtime small enough to read.  The runtime has functions
 * that call functions and native code, an interpreter's loop, a stack, and a
 * provider of each kind.
 */
#ifndef SYSCAP_TEST_TOY_H
#define SYSCAP_TEST_TOY_H

#include <stdbool.h>

#include <syscap/runtime.h>

#define TOY_DEPTH 4096

struct toy;

struct toy_function {
	const char *name;
	/* function called in the same run of the loop */
	const struct toy_function *calls;
	/* native code, called before @calls */
	void (*native)(struct toy *toy);
};

struct toy_frame {
	const char *name;
	uintptr_t sp;
	bool is_entry;
};

struct toy {
	struct toy_frame frames[TOY_DEPTH];
	volatile unsigned depth;
	const struct toy_function *next; /* function that native code runs */

	/* Data of the provider */
	struct syscap_provider provider;
	struct syscap_attachment *attachment;
	int walk_says;          /* SYSCAP_WALK_*, or 0 */
	unsigned short flags;   /* flags of the innermost frame */
	bool is_idle;           /* request() refuses */
	volatile bool is_asked; /* a safe point is requested */
	void (*while_walking)(struct toy *toy);
	volatile unsigned n_walks, n_requests;
	int n_told; /* sum of safe points' results */
};

/** Make @toy a runtime with @caps. */
void toy_init(struct toy *toy, uint32_t caps);

/** The interpreter's loop.  Calls itself through native functions. */
void toy_eval(struct toy *toy, const struct toy_function *function);

/** In a CHILD: stacks show toy_eval(). */
void toy_tell(void);

#endif
