/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_frames.h - frames of ours that stand innermost in a stack, and are left
 * out of it.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SYC_SAMPLE_OWN_FRAMES_H
#define SYC_SAMPLE_OWN_FRAMES_H

#include <stdint.h>

#include "unwind/unwind.h"

/** Code of ours that waits for the program. */
struct syc_own_wait {
	uintptr_t low, high;
	uintptr_t called; /* the function that the program meant, or 0 */
};

/** Those that lie below @cfa; none where the stack is another one. */
void syc_own_frames_leave_below(struct syc_unwind *unwind, uintptr_t cfa);

/** A wait that a tick cut: @wait->called takes the place of the system call and
 * of our frames.  NULL: none was cut. */
void syc_own_frames_leave_wait(struct syc_unwind *unwind,
                               const struct syc_own_wait *wait);

/** @name stands for what was done below the innermost frame; 0: nothing. */
void syc_own_frames_put_innermost(struct syc_unwind *unwind, uint64_t name);

#endif
