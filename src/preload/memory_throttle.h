/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_throttle.h - waits of threads that allocate faster than the recorder
 * reads. */
#ifndef SYC_PRELOAD_MEMORY_THROTTLE_H
#define SYC_PRELOAD_MEMORY_THROTTLE_H

#include <stddef.h>

#include <syscap/emit.h>

/* Size of the largest frame and a loss record. */
#define SYC_MEMORY_THROTTLE_SPACE UINT32_C(8192)

/** Wait if the ring, when inspected, is full. */
void syc_memory_throttle_wait(void);

/**
 * Wait until this thread's ring has space for one more allocation, as long as
 * the recorder reads.  A lost free would be reported as a leak.
 *
 * Context: any-thread, signal-safe.
 */
static inline void syc_memory_throttle(void)
{
	const struct syc_thread *const st = syc_self;

	/* The ring is inspected only if needed */
	if (st != NULL && st->next + SYC_MEMORY_THROTTLE_SPACE > st->room_end)
		syc_memory_throttle_wait();
}

#endif
