/* SPDX-License-Identifier: BSD-2-Clause */
/* child.h - a forked child begins without what its parent recorded. */
#ifndef SYC_EMIT_CHILD_H
#define SYC_EMIT_CHILD_H

#include <stdint.h>

/** Before fork(): note whether it is called on top of an emit.  Context:
 * any-thread, signal-safe. */
void syc_child_prepare(void);

/**
 * What fork() can do at once, and _Fork() leaves to the first event.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_child_begin(void);

/**
 * See to it that syc_process describes this process and not a parent.
 * Returns its pid, or 0: that can't be done, and the event is dropped.
 *
 * Context: any-thread, signal-safe.
 */
int32_t syc_child_pid(void);

#endif
