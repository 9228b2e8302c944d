/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_room.h - threads that allocate faster than the recorder reads wait. */
#ifndef SYC_PRELOAD_MEMORY_ROOM_H
#define SYC_PRELOAD_MEMORY_ROOM_H

#include <stddef.h>

#include <syscap/emit.h>

/* The largest frame, and what tells of losses. */
#define SYC_MEMORY_ROOM UINT32_C(8192)

/** What is not known to have room without a look at the ring. */
void syc_memory_room_wait_long(void);

/**
 * Wait until the ring of this thread has room for one more allocation, as long
 * as the recorder goes on reading.  A lost free would be told as a leak.
 *
 * Context: any-thread, signal-safe.
 */
static inline void syc_memory_room_wait(void)
{
	const struct syc_thread *const st = syc_self;

	/* No more is looked at before it is needed */
	if (st != NULL && st->next + SYC_MEMORY_ROOM > st->room_end)
		syc_memory_room_wait_long();
}

#endif
