/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deferred.h - handlers of the program's during which ticks wait.
 *
 * One that is to run on the alternate stack (SA_ONSTACK) has what it needs
 * there, and often no room for a second signal: the kernel itself then kills
 * with SIGSEGV, before any code of ours could look.  So ours is in the mask of
 * such handlers.  The program is told the mask that it gave.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_DEFERRED_H
#define SYC_PRELOAD_DEFERRED_H

#include <signal.h>

/** What was added to the mask of @number's handler; 0: nothing. */
int syc_deferred_of(int number);

/** What the C library is to be given for @action: that, or @copy.  *ret_added
 * is for syc_deferred_note(), once the C library has taken it. */
const struct sigaction *syc_deferred_put(const struct sigaction *action,
                                         struct sigaction *copy,
                                         int *ret_added);
void syc_deferred_note(int number, int added);

/** @action, as the C library told it, is what the program gave. */
void syc_deferred_hide(struct sigaction *action, int added);

/** Ticks come by @signal; 0: by what the sampler says. */
void syc_deferred_follow(int signal);

#endif
