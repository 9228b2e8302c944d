/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_frames.h - PROCESS, METADATA and MAP frames about this process.  A
 * recorder reads these facts in its client's /proc, but this process reads the
 * facts itself.
 *
 * Context of all functions: any-thread, signal-safe, except with @may_lock.
 * No function allocates, or takes a lock without @may_lock.
 */
#ifndef SYC_SESSION_PROCESS_FRAMES_H
#define SYC_SESSION_PROCESS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/** Function that is called for each frame of @len bytes, a multiple of 8.  If
 * the function returns false, no frame follows. */
typedef bool syc_describe_emit(void *data, const void *frame, uint32_t len);

/** Emit the PROCESS frame of this process, with its command line. */
bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data);

/** Write a METADATA frame to @frame, which has enough space.  Returns the
 * frame's length. */
uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value);

#define SYC_MAP_FRAMES_MAX     4096u /* a power of 2 */
#define SYC_MAP_FRAMES_SCRATCH 17408u

/**
 * MAP frames: map_frames.c, linked with code that emits addresses
 * (SYC_EMITS_ADDRESSES in emit/ring_source.h).  Only one thread at a time uses
 * a struct syc_described.
 */

/** The set of reported mappings.  A zeroed set is empty. */
struct syc_described {
	uint64_t loads, unloads; /* the dynamic linker's counters */
	uint64_t libraries;      /* a hash of the linker's list */
	int64_t looked_at;       /* ns */
	uint32_t n;
	uint32_t scan; /* number of the next scan to end, 0 and 1 in turn */
	/* A set of hashes.  Bit 0 of each hash is the last scan that saw the
	 * mapping. */
	uint64_t known[SYC_MAP_FRAMES_MAX];
	/* Buffer of a call, because a handler's stack may be small */
	unsigned char scratch[SYC_MAP_FRAMES_SCRATCH]
		__attribute__((aligned(8)));
};

/**
 * Emit MAP frames for the executable mappings that were not reported yet, of
 * files and the vdso, with build-ids.  An unmapped mapping is removed from the
 * set, so the function reports a mapping that comes back.  The set has at most
 * 3,072 mappings, and further mappings are not reported.  Returns false if
 * @emit returned false; the next call continues after the reported mappings.
 *
 * syc_map_frames.are_due() is true if no call has finished yet, or if libraries
 * were loaded or unloaded since.  @may_lock, in both functions: the call may
 * read the dynamic linker's counters.  Without @may_lock the call reads the
 * linker's list without the lock, and is due once a second.  A forked child
 * must not read the counters, because a missing thread may hold the linker's
 * lock.
 */
bool syc_map_frames_write(struct syc_described *described, int32_t pid,
                          int64_t now, bool may_lock, syc_describe_emit *emit,
                          void *data);

#endif
