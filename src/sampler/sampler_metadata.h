/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler_metadata.h - events that describe the sampler and the process: how it
 * samples, what came of it, and at exit what is mapped.
 *
 * The first is an event.  Under a recorder that takes arenas, a process that
 * its environment has sampled delays it: until the first tick, and before three
 * things.  After a filter of system calls, the event of such a tick may be
 * forbidden; a new thread may have no stack for it; a fork would make each
 * child repeat it.  So a process that ends earlier costs no arena, and is in no
 * capture.
 *
 * MAP frames come from the process itself if its recorder was too late to read
 * them in /proc: it was suspended or behind a slow disk for longer than the
 * process lived.  Without them no address of its stacks gets a name.
 */
#ifndef SYC_SAMPLER_SAMPLER_METADATA_H
#define SYC_SAMPLER_SAMPLER_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How this process is sampled, as a sentence.  Context: signal-safe. */
void syc_sampler_metadata_describe(char *message, size_t size);

/** Sampling has begun; @may_wait: to tell it before the first tick will do.
 * Context: setup. */
void syc_sampler_metadata_begin(bool may_wait);

/** What was put off is told now.  Context: any-thread, signal-safe. */
void syc_sampler_metadata_flush(void);

/** Sampling has ended with the process: who was not sampled, and what was
 * delivered.  False: there was no tick.  Context: at exit. */
bool syc_sampler_metadata_end(void);

/**
 * An event of @len bytes as it stands at @frame, with the time that is there.
 * False: dropped and counted.  Is a syc_describe_emit.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_process_maps_emit(void *unused, const void *frame, uint32_t len);

/**
 * The process exits: tell what it has mapped, unless the recorder has looked at
 * it, or is one that no arena is handed over to.
 *
 * Context: at exit, signals not blocked.
 */
void syc_process_maps_report(void);

#endif
