/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seams.h - waits that ticks cut into parts, and nobody sees where
 * (docs/decisions/0027-interrupted-waits.md).
 *
 * Between two parts all signals are blocked; each part is a call that has the
 * program's mask only while it waits.  So a signal of the program's comes in a
 * part, which returns EINTR for it, or is pending when the next one begins: its
 * handler never runs in between, where no wait would notice.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_SEAMS_H
#define SYC_PRELOAD_SEAMS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sample/own_frames.h"

/** A wait under way, in the frame of the function that waits. */
struct syc_seams {
	sigset_t mask;          /* the program's */
	int64_t timeout, until; /* ns; a timeout below 0: there is none */
	struct timespec left;
	bool has_parts; /* a tick cut one */
};

/** Whether ticks come in waits, and may be answered by calls that the program
 * did not make. */
bool syc_seams_are_needed(void);

/** The time that the parts wait by: a library behind ours may change both
 * (libfaketime). */
struct timespec syc_seams_now(clockid_t id);

/** A wait for @timeout ns begins, in place of the function at @called. */
void syc_seams_begin(struct syc_seams *seams, int64_t timeout,
                     uintptr_t called);

/** How long the next part may be; NULL: for ever. */
const struct timespec *syc_seams_left(struct syc_seams *seams);

/** A part returned @r, and errno if that is below 0.  True: a tick of ours cut it,
 * and nothing else did. */
bool syc_seams_is_cut(struct syc_seams *seams, int r);

/** The wait is over; errno is kept. */
void syc_seams_end(const struct syc_seams *seams);

/** In the handler of @signal, a tick of ours: what made the part that it cut,
 * which is noted; or NULL. */
const struct syc_own_wait *syc_seams_note(int signal, const void *context);

#endif
