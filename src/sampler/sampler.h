/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - start and stop of sampling, from the environment and by
 * hand-over.
 *
 * The preloaded sampler leaves sampling to a library that is loaded later and
 * has a sampler.  Providers of runtimes' frames are attached to the later
 * library, for example to an extension module of a script's runtime.
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
 * Like syscap_sampler_start(), but every member of @options is used.
 * @with_children: sample forked children, too.
 *
 * Context: setup, any thread.
 */
int syc_sampler_begin(struct syscap_sampler_options *options,
                      bool with_children);

/** syscap_sampler_stop().  Context: setup, any thread. */
int syc_sampler_end(void);

/** Begin to handle forks of this process.  Context: setup, once. */
void syc_sampler_watch_forks(void);

/**
 * Start sampling, or handle the toggle signal, if SYSCAP_SAMPLE or
 * SYSCAP_TOGGLE_SIGNAL is set.  Called once, after syc_setup_run(), even if no
 * recording exists yet: a recording may begin later.
 *
 * Context: setup.
 */
void syc_autostart(void);

/** Value of block->sampler_yields while the copy that yields has no signal. */
#define SYC_YIELDS_LATER 1

/** Offer to yield the sampler to a copy that is loaded later.  Context: setup,
 * before it samples. */
void syc_handover_offer(void);

/** Publish @signal, the signal of this copy's ticks from now on.  Context:
 * any-thread, signal-safe. */
void syc_handover_note_signal(int signal);

/** Whether another copy has requested the sampler that this copy offers. */
bool syc_handover_is_due(void);

/** Report to the other copy that this copy has stopped sampling. */
void syc_handover_done(void);

/** Request the sampler from another copy, and wait until that copy stops.
 * False: the other copy offers no sampler, or does not stop in time.  Context:
 * setup. */
bool syc_handover_ask(void);

#endif
