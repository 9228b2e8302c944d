/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stepper.h - do something at the k-th instruction of a call.
 *
 * With the processor's trap flag set, every instruction raises SIGTRAP; the
 * handler counts, and at the k-th runs the action, as any signal handler
 * would run there.  The flag is off in handlers; an action that steps in turn
 * has a stepper of its own.
 */
#ifndef SYSCAP_STEPPER_H
#define SYSCAP_STEPPER_H

#include <stdbool.h>

struct stepper {
	long target; /* instruction at which to act, from 1 */
	long count;
	void (*action)(void);
	struct stepper *outer;
};

/** Install the SIGTRAP handler; on the alternate stack if asked to. */
void stepper_install(bool on_altstack);

/**
 * Run @call and @action at its @target-th instruction.  Returns true if it
 * got that far; false says that every instruction has been had.
 */
bool stepper_run(struct stepper *stepper, long target, void (*call)(void),
                 void (*action)(void));

/**
 * Every how many-th instruction is enough: @n, or 1 where the test is to be
 * whole.  Sanitized code is ten times as long, and what matters there is that
 * nothing it does is wrong: there it is 39 at least.
 */
long stepper_stride(long n);

/** The first of them: one of the first @stride instructions, by the seed. */
long stepper_first(long stride);

/** An action has left by siglongjmp(): the innermost stepper is over. */
void stepper_abandon(struct stepper *stepper);

#endif
