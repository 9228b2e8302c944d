/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_frames.h - frames of ours that stand innermost in a stack, and are left
 * out of it.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SYC_OWN_FRAMES_H
#define SYC_OWN_FRAMES_H

#include <stdint.h>

#include "stack/unwind.h"

/** Those that lie below @cfa; none where the stack is another one. */
void syc_own_frames_leave_below(struct syc_unwind *unwind, uintptr_t cfa);

/** A wait that a tick cut: the system call, and what is ours, from @low up to
 * @high, but the call that the program made. */
void syc_own_frames_leave_wait(struct syc_unwind *unwind, uintptr_t low,
                               uintptr_t high);

#endif
