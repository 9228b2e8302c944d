/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map_frames.h - MAP frames of this process.  A recorder reads mappings in its
 * client's /proc; here the process itself reads its mappings.  Linked with code
 * that emits addresses (SYC_EMITS_ADDRESSES in emit/own.h).
 *
 * Does not allocate, and takes no lock except with @may_lock.
 *
 * Context of everything here: any-thread, and without @may_lock signal-safe;
 * one thread at a time for a struct syc_described.
 */
#ifndef SYC_SESSION_MAP_FRAMES_H
#define SYC_SESSION_MAP_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "session/describe.h"

#define SYC_MAP_FRAMES_MAX 4096u /* a power of 2 */

/** The set of reported mappings.  All zero: empty. */
struct syc_described {
	uint64_t loads, unloads; /* the dynamic linker's counters */
	int64_t looked_at;       /* ns */
	uint32_t n;
	uint32_t scan; /* number of the next scan to end, 0 and 1 in turn */
	/* A set of hashes; bit 0 of each: the last scan that saw the
	 * mapping. */
	uint64_t known[SYC_MAP_FRAMES_MAX];
};

/**
 * Emit MAP frames for the executable mappings that were not reported yet, of
 * files and the vdso, with build-ids.  A mapping that is gone is removed from
 * the set, so it is reported again if it comes back.  The set has at most 3,072
 * mappings; further mappings are not reported.  False: @emit returned false;
 * the next call continues after the reported mappings.
 *
 * syc_map_frames.are_due() is true if no call has finished yet, or if libraries
 * were loaded or unloaded since.  @may_lock, in both functions: the dynamic
 * linker's counters may be read; without @may_lock a call is due once a second.
 * A forked child must not read the counters, because a missing thread may hold
 * the linker's lock.
 */
bool syc_map_frames_write(struct syc_described *described, int32_t pid,
                          int64_t now, bool may_lock, syc_describe_emit *emit,
                          void *data);

#endif
