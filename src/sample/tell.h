/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tell.h - what the sampler tells who reads the capture: that it samples, and how;
 * and what came of it.
 *
 * The first is an event.  Under a recorder that takes arenas, a process that was
 * told to sample by its environment puts it off: until the first tick, and
 * before what an event of such a tick could not do (a filter of system calls), had
 * no stack for (a thread) or would do in each child anew (a fork).  So one that
 * ends before all that costs no arena, and is in no capture.
 */
#ifndef SYC_SAMPLE_TELL_H
#define SYC_SAMPLE_TELL_H

#include <stdbool.h>
#include <stddef.h>

/** How this process is sampled, as a sentence.  Context: signal-safe. */
void syc_tell_describe(char *message, size_t size);

/** Sampling has begun; @may_wait: to tell it before the first tick will do.
 * Context: setup. */
void syc_tell_begin(bool may_wait);

/** What was put off is told now.  Context: any-thread, signal-safe. */
void syc_tell_at_last(void);

/** Sampling has ended with the process: who was not sampled, and what was
 * delivered.  False: there was no tick.  Context: at exit. */
bool syc_tell_end(void);

#endif
