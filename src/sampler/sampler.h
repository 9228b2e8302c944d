/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - start and stop of sampling, also by the environment and by
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
#include <stddef.h>
#include <stdint.h>

#include <syscap/sampler.h>

/**
 * Like syscap_sampler_start(), but every member of @options is used.
 * If @with_children, sample forked children, too.
 *
 * Context: setup, any thread.
 */
int syc_sampler_begin(struct syscap_sampler_options *options,
                      bool with_children);

/** Stop sampling, like syscap_sampler_stop().  Context: setup, any thread. */
int syc_sampler_end(void);

/** Begin to handle forks of this process.  Context: setup, once. */
void syc_sampler_watch_forks(void);

/**
 * Start sampling, or handle the toggle signal, if SYSCAP_SAMPLE or
 * SYSCAP_TOGGLE_SIGNAL is set.  The library calls this function once, after
 * syc_setup_run(), even without a recording, because a recording may begin
 * later.
 *
 * Context: setup.
 */
void syc_autostart(void);

/** Value of block->sampler_yields while the copy that yields has no signal. */
#define SYC_YIELDS_LATER 1

/** Offer to yield the sampler to a copy that is loaded later.  Context: setup,
 * before sampling begins. */
void syc_handover_offer(void);

/** Publish @signal, the signal of this copy's ticks from now on.  Context:
 * any-thread, signal-safe. */
void syc_handover_note_signal(int signal);

/** Return whether another copy has requested the sampler that this copy
 * offers. */
bool syc_handover_is_due(void);

/** Report to the other copy that this copy has stopped sampling. */
void syc_handover_done(void);

/** Request the sampler from another copy, and wait until the other copy stops.
 * Returns false if the other copy offers no sampler, or does not stop in time.
 * Context: setup. */
bool syc_handover_ask(void);

/*
 * Events that describe the sampler and the process: the sampling options, the
 * number of samples, and the mappings at exit.
 *
 * Under a recorder that takes arenas, a process that is sampled because of its
 * environment delays the event with the options until the first tick.  A fork,
 * a seccomp filter and a new thread also end the delay.  The filter may forbid
 * the event, and the thread's stack may be too small.  So a process that ends
 * during the delay costs no arena, and no capture contains the process.
 *
 * The process itself emits MAP frames if its recorder has not read the mappings
 * in /proc.  A suspended recorder, or a recorder with a slow disk, may read
 * only after the process' end.  Without MAP frames no address of the process'
 * stacks gets a name.
 */

/** Describe the sampling of this process by a sentence.  Context:
 * signal-safe. */
void syc_sampler_metadata_describe(char *message, size_t size);

/** Report that sampling has begun.  If @may_wait, the report may wait until the
 * first tick.  Context: setup. */
void syc_sampler_metadata_begin(bool may_wait);

/** Report the start of sampling now, if the report was delayed.  Context:
 * any-thread, signal-safe. */
void syc_sampler_metadata_flush(void);

/** At the process' end, report the threads that were not sampled, and the
 * number of samples.  Returns false if no tick came.  Context: at exit. */
bool syc_sampler_metadata_end(void);

/**
 * Emit the complete frame @frame of @len bytes, with the time that it contains.
 * Returns false if the frame was dropped and counted.  The function has the
 * type syc_describe_emit.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_process_maps_emit(void *unused, const void *frame, uint32_t len);

/**
 * At exit, report the process' mappings, unless the recorder has read the
 * mappings, or takes no arenas.
 *
 * Context: at exit, signals not blocked.
 */
void syc_process_maps_report(void);

#endif
