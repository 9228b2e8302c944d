/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler.h - begin sampling on behalf of the environment. */
#ifndef SC_SAMPLER_H
#define SC_SAMPLER_H

#include <stdbool.h>

#include <syscap/sampler.h>

/** This copy samples no more by itself, nor its children.  By the watcher. */
void sc_sampler_forget(void);

/**
 * syscap_sampler_start(), all of @options being there; @with_children: those
 * that fork() makes are sampled too.
 *
 * Context: setup, any thread.
 */
int sc_sampler_begin(struct syscap_sampler_options *options,
                     bool with_children);

/** The signal is another one now: for children, too.  By who changed it. */
void sc_sampler_note_signal(void);

/** Children are to be looked after.  Context: setup, once. */
void sc_sampler_watch_forks(void);

#endif
