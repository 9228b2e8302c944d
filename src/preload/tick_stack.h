/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_stack.h - stacks that are large enough for a tick.  Some programs make
 * stacks as small as possible.  The kernel stores 3 KiB for a signal, and the
 * library's handler needs up to 4 KiB.
 *
 * Programs size an alternate stack for their own handlers (SA_ONSTACK).  Often
 * a second signal does not fit, and the kernel kills the process with SIGSEGV
 * before any library code runs.  So the library adds the tick's signal to the
 * masks of these handlers.  The program still reads the mask that the program
 * set.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_TICK_STACK_H
#define SYC_PRELOAD_TICK_STACK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/**
 * Return the attributes for a thread that the program creates with @attr:
 * @attr, or @copy with a larger stack.  *ret_is_small becomes true if the
 * program provides a stack that is too small.
 *
 * Context: any-thread, signal-safe.
 */
const pthread_attr_t *syc_stack_size_for_thread(const pthread_attr_t *attr,
                                                pthread_attr_t *copy,
                                                bool *ret_is_small);

/** True if the stack size of all threads is raised, sampled or not. */
extern bool syc_stack_size_is_raised;

/** Return whether @stack is an alternate stack that may be too small for a
 * tick. */
bool syc_stack_size_is_small(const stack_t *stack);

/** Return the signal that was added to the mask of @number's handler, or 0. */
int syc_tick_mask_get(int number);

/**
 * Return the action to pass to the C library for @action: @action, or @copy
 * with a larger mask.  If the C library accepts the action, the caller passes
 * *ret_added to syc_tick_mask_note().
 */
const struct sigaction *syc_tick_mask_add(const struct sigaction *action,
                                          struct sigaction *copy,
                                          int *ret_added);
void syc_tick_mask_note(int number, int added);

/** Change @action, which the C library returned, to the action that the program
 * set. */
void syc_tick_mask_hide(struct sigaction *action, int added);

/** Update all masks, because ticks use @signal, or the sampler's signal if
 * @signal is 0. */
void syc_tick_mask_update(int signal);

#endif
