/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_room.h - threads that allocate faster than the recorder reads wait. */
#ifndef SYC_PRELOAD_MEMORY_ROOM_H
#define SYC_PRELOAD_MEMORY_ROOM_H

/**
 * Wait until the ring of this thread has room for one more allocation, as long
 * as the recorder goes on reading.  A lost free would be told as a leak.
 *
 * Context: any-thread, signal-safe.
 */
void syc_memory_room_wait(void);

#endif
