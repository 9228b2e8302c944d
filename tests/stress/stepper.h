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

/** An action has left by siglongjmp(): the innermost stepper is over. */
void stepper_abandon(struct stepper *stepper);

#endif
