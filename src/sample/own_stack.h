/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_stack.h - a stack of our own, for what needs more than a handler may have.
 *
 * Handlers run on the alternate stack where a thread has one, which may be
 * 8 KiB.  One such thing at a time is done on a stack of our own.
 */
#ifndef SYC_SAMPLE_OWN_STACK_H
#define SYC_SAMPLE_OWN_STACK_H

/**
 * Run @what, which needs at most SYC_DRAIN_HANDLER_STACK, on another stack;
 * not at all if another thread has it, or if there is no memory for it.
 *
 * Context: signal-safe, all signals blocked; @what does not fork.
 */
void syc_own_stack_run(void (*what)(void));

#endif
