/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_stack.h - stacks that are large enough for a tick.  Programs make some
 * stacks as small as possible.  The kernel stores 3 KiB for a signal, and our
 * handler needs up to 4 KiB.
 *
 * The alternate stack is sized for the program's own handlers (SA_ONSTACK).
 * Often a second signal does not fit, and the kernel kills the process with
 * SIGSEGV before any library code runs.  So the tick's signal is added to the
 * mask of such handlers.  The program still reads the mask that it set.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_TICK_STACK_H
#define SYC_PRELOAD_TICK_STACK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/**
 * The attributes for a thread that the program creates with @attr: @attr, or
 * @copy with a larger stack.  *ret_is_small: the stack is memory of the
 * program, and too small.
 *
 * Context: any-thread, signal-safe.
 */
const pthread_attr_t *syc_stack_size_for_thread(const pthread_attr_t *attr,
                                                pthread_attr_t *copy,
                                                bool *ret_is_small);

/** Raise the stack size of all threads, sampled or not. */
extern bool syc_stack_size_is_raised;

/** Return whether @stack is an alternate stack that may be too small for a
 * tick. */
bool syc_stack_size_is_small(const stack_t *stack);

/** The signal that was added to the mask of @number's handler; 0: none. */
int syc_tick_mask_get(int number);

/**
 * The action to pass to the C library for @action: @action, or @copy with a
 * larger mask.  If the C library accepts this action, pass *ret_added to
 * syc_tick_mask_note().
 */
const struct sigaction *syc_tick_mask_add(const struct sigaction *action,
                                          struct sigaction *copy,
                                          int *ret_added);
void syc_tick_mask_note(int number, int added);

/** Change @action, from the C library, to the action that the program set. */
void syc_tick_mask_hide(struct sigaction *action, int added);

/** Update all masks, because ticks use @signal; 0: the sampler's signal. */
void syc_tick_mask_update(int signal);

#endif
