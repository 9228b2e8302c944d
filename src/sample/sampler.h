/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler.h - begin and end sampling. */
#ifndef SYC_SAMPLER_H
#define SYC_SAMPLER_H

#include <stdbool.h>

#include <syscap/sampler.h>

/** This copy samples no more by itself, nor its children.  By the watcher. */
void syc_sampler_forget(void);

/**
 * syscap_sampler_start(), all of @options being there; @with_children: those
 * that fork() makes are sampled too.
 *
 * Context: setup, any thread.
 */
int syc_sampler_begin(struct syscap_sampler_options *options,
                      bool with_children);

/** syscap_sampler_stop().  Context: setup, any thread. */
int syc_sampler_end(void);

/** The signal is another one now: for children, too.  By who changed it. */
void syc_sampler_note_signal(void);

/**
 * This thread is in no signal handler and holds no lock of the C library:
 * what a forked child put off may be done.  Returns at once where nothing
 * was.  For who makes a thread anyway.
 *
 * Context: setup; any thread.
 */
void syc_sampler_at_rest(void);

/** Children are to be looked after.  Context: setup, once. */
void syc_sampler_watch_forks(void);

#endif
