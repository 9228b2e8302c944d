/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map_frames.h - MAP frames of this process: what a recorder reads in /proc of
 * its client, read by the client itself.  Linked with what emits addresses
 * (SYC_EMITS_ADDRESSES in emit/own.h).
 *
 * Allocates nothing, locks nothing but where it says so.
 *
 * Context of all: any-thread, and without @may_lock signal-safe; one thread
 * at a time for a struct syc_described.
 */
#ifndef SYC_SELFREC_MAP_FRAMES_H
#define SYC_SELFREC_MAP_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "selfrec/describe.h"

#define SYC_MAP_FRAMES_MAX 4096u /* a power of 2 */

/** Which mappings were told.  All zero: none. */
struct syc_described {
	uint64_t loads, unloads; /* the dynamic linker's counters */
	int64_t looked_at;       /* ns */
	uint32_t n;
	uint32_t scan; /* 0 or 1, by turns */
	/* A set of hashes; bit 0 of each: the last scan that saw it. */
	uint64_t known[SYC_MAP_FRAMES_MAX];
};

/**
 * MAP frames for the executable mappings that were not told yet, of files and
 * the vdso, with build-ids.  One that is gone is forgotten, so it is told
 * again should it come back.  At most 3,072 at a time: more are not told.
 * False: @emit said stop; what was told is noted, the next call goes on.
 *
 * syc_map_frames.are_due() says whether there was no such call yet that was not
 * stopped, or libraries came or went since.  @may_lock, here and there: the
 * dynamic linker's counters may be asked (not in a forked child, where a thread
 * that is gone may hold its lock); else it is due once a second.
 */
bool syc_map_frames_write(struct syc_described *described, int32_t pid,
                          int64_t now, bool may_lock, syc_describe_emit *emit,
                          void *data);

#endif
