/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler_metadata.h - events that describe the sampler and the process: how it
 * samples, what came of it, and at exit what is mapped.
 *
 * The first is an event.  Under a recorder that takes arenas, a process that is
 * sampled because of its environment delays it until the first tick.  The delay
 * ends before a filter of system calls, which may forbid the event, before a
 * new thread, which may have no stack for it, and before a fork.  So a process
 * that ends earlier costs no arena, and is in no capture.
 *
 * MAP frames come from the process itself if its recorder was too late to read
 * them in /proc.  It may have been suspended, or behind a slow disk, for longer
 * than the process lived.  Without them no address of its stacks gets a name.
 */
#ifndef SYC_SAMPLER_SAMPLER_METADATA_H
#define SYC_SAMPLER_SAMPLER_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How this process is sampled, as a sentence.  Context: signal-safe. */
void syc_sampler_metadata_describe(char *message, size_t size);

/** Sampling has begun; @may_wait: it may be reported as late as the first tick.
 * Context: setup. */
void syc_sampler_metadata_begin(bool may_wait);

/** Report now, if that was delayed.  Context: any-thread, signal-safe. */
void syc_sampler_metadata_flush(void);

/** The process ends: report the threads that were not sampled, and the number
 * of samples.  False: there was no tick.  Context: at exit. */
bool syc_sampler_metadata_end(void);

/**
 * An event of @len bytes as it stands at @frame, with the time that is there.
 * False: dropped and counted.  Is a syc_describe_emit.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_process_maps_emit(void *unused, const void *frame, uint32_t len);

/**
 * The process exits: report its mappings, unless the recorder has read them, or
 * takes no arenas.
 *
 * Context: at exit, signals not blocked.
 */
void syc_process_maps_report(void);

#endif
