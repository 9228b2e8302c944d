/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_stack.h - `syscap dump`: a stack, in the line of its frame. */
#ifndef SYC_CLI_DUMP_STACK_H
#define SYC_CLI_DUMP_STACK_H

#include "cli/dump.h"

/**
 * Print the addresses of @frame, each with the function it is in and, where
 * the capture has them, source lines:
 *
 *	0x55d0="main"+0x1f
 *	0x55d0="main"+0x1f ("/src/main.c":5)
 *	0x55d0="swap" ("/src/swap.h":9) in "main"+0x1f ("/src/main.c":5)
 */
void syc_dump_stack(const struct syc_dump *dump,
                    const struct syscap_frame *frame);

#endif
