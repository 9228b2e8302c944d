/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler_metadata.h - events that describe the sampler and the process: the
 * sampling options, the number of samples, and the mappings at exit.
 *
 * Under a recorder that takes arenas, a process that is sampled because of its
 * environment delays the event with the options until the first tick.  The
 * delay ends before a fork, a seccomp filter, which may forbid the event, and a
 * new thread, whose stack may be too small.  So a process that ends earlier
 * costs no arena, and is in no capture.
 *
 * MAP frames come from the process itself if its recorder was too late to read
 * the mappings in /proc.  The recorder may have been suspended, or behind a
 * slow disk, for longer than the process lived.  Without MAP frames no address
 * of the process' stacks gets a name.
 */
#ifndef SYC_SAMPLER_SAMPLER_METADATA_H
#define SYC_SAMPLER_SAMPLER_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Describe the sampling of this process by a sentence.  Context:
 * signal-safe. */
void syc_sampler_metadata_describe(char *message, size_t size);

/** Sampling has begun; @may_wait: the report may wait until the first tick.
 * Context: setup. */
void syc_sampler_metadata_begin(bool may_wait);

/** Report the begin of sampling now, if the report was delayed.  Context:
 * any-thread, signal-safe. */
void syc_sampler_metadata_flush(void);

/** The process ends: report the threads that were not sampled, and the number
 * of samples.  False: no tick came.  Context: at exit. */
bool syc_sampler_metadata_end(void);

/**
 * Emit the complete frame @frame of @len bytes, with the time that it contains.
 * False: the frame was dropped and counted.  Has the type syc_describe_emit.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_process_maps_emit(void *unused, const void *frame, uint32_t len);

/**
 * The process exits: report its mappings, unless the recorder has read the
 * mappings, or takes no arenas.
 *
 * Context: at exit, signals not blocked.
 */
void syc_process_maps_report(void);

#endif
