/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.h - shared memory in which compare_preload.c, in the traced program,
 * stores a stack for the tracer at each trap.
 */
#ifndef SYSCAP_TEST_COMPARE_H
#define SYSCAP_TEST_COMPARE_H

#include <stdint.h>

enum {
	COMPARE_MAX = 512,
	COMPARE_REGS = 17
};

struct compare_stack {
	/* flag set before the trap, and cleared by the tracer */
	uint32_t is_there;
	uint32_t tid;
	uint32_t n, flags; /* of syc_unwind_from() */
	uint64_t addrs[COMPARE_MAX];
	/* The interrupted registers, numbered as in unwind tables: 0 to 15,
	 * pc */
	uint64_t regs[COMPARE_REGS];
};

#endif
