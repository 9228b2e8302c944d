/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - start and stop of sampling, from the environment and by
 * hand-over.
 *
 * The preloaded sampler leaves sampling to a library that is loaded later and
 * has a sampler.  Providers of runtimes' frames are attached to that one (for
 * example, an extension module of a script's runtime).
 *
 * 	the copy that yields                the copy that is loaded
 * 	block->sampler_yields = its signal
 * 	                                    start: -EALREADY
 * 	                                    block->sampler_wanted = 1
 * 	                                    sends that signal
 * 	its watcher or its handler sees
 * 	that, stops, releases the claim
 * 	block->sampler_yields = 0  ───────▶ waits for this, starts
 */
#ifndef SYC_SAMPLER_SAMPLER_H
#define SYC_SAMPLER_SAMPLER_H

#include <stdbool.h>

#include <syscap/sampler.h>

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

/** Children are to be looked after.  Context: setup, once. */
void syc_sampler_watch_forks(void);

/**
 * Do what SYSCAP_SAMPLE and SYSCAP_TOGGLE_SIGNAL ask for.  Once, after
 * syc_setup_run(): without a recording there is nothing to put samples into
 * yet, but there may be one later.
 *
 * Context: setup.
 */
void syc_autostart(void);

/** block->sampler_yields of a copy that has no signal yet. */
#define SYC_YIELDS_LATER 1

/** This copy will yield.  Context: setup, before it samples. */
void syc_handover_offer(void);

/** This copy's ticks are @signal from now on.  Context: any-thread,
 * signal-safe. */
void syc_handover_note_signal(int signal);

/** Somebody wants what this copy offers.  By the watcher. */
bool syc_handover_is_due(void);

/** This copy samples no more.  By the watcher. */
void syc_handover_done(void);

/** Whether another copy has stopped sampling because this asked it to; waits
 * for that.  Context: setup. */
bool syc_handover_ask(void);

#endif
