/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stepper.h - an action at the k-th instruction of a call.
 *
 * With the processor's trap flag set, every instruction raises SIGTRAP.  The
 * handler counts, and runs the action at the k-th instruction, as any signal
 * handler would run there.  The flag is off in handlers, so an action that
 * steps in turn needs its own stepper.
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

/** Install the SIGTRAP handler; with @on_altstack, on the alternate stack. */
void stepper_install(bool on_altstack);

/**
 * Run @call and @action at its @target-th instruction.  Returns true if @call
 * has a @target-th instruction; false after its last instruction.
 */
bool stepper_run(struct stepper *stepper, long target, void (*call)(void),
                 void (*action)(void));

/**
 * Distance between the instructions to stop at: @n, or 1 if test_is_whole().
 * In sanitized code, the distance is at least 39: the code is much longer, and
 * the step only serves to find errors by the sanitizer.
 */
long stepper_stride(long n);

/** The first instruction to stop at: one of the first @stride, by the seed. */
long stepper_first(long stride);

/** End the innermost stepper after its action has left by siglongjmp(). */
void stepper_abandon(struct stepper *stepper);

#endif
