/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.h - frames that tell about this process: what a recorder reads in
 * /proc of its client, read by the client itself.
 *
 * Allocates nothing, locks nothing but where it says so.
 *
 * Context of all: any-thread, and without @may_lock signal-safe; one thread
 * at a time for a struct syc_described.
 */
#ifndef SYC_DESCRIBE_H
#define SYC_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

/** Called once a frame: @len bytes, a multiple of 8.  False: stop. */
typedef bool syc_describe_emit(void *data, const void *frame, uint32_t len);

#define SYC_DESCRIBE_MAPS 4096u /* a power of 2 */

/** Which mappings were told.  All zero: none. */
struct syc_described {
	uint64_t loads, unloads; /* the dynamic linker's counters */
	int64_t looked_at;       /* ns */
	uint32_t n;
	uint32_t scan; /* 0 or 1, by turns */
	/* A set of hashes; bit 0 of each: the last scan that saw it. */
	uint64_t known[SYC_DESCRIBE_MAPS];
};

/** The PROCESS frame of this process: its command line. */
bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data);

/**
 * MAP frames for the executable mappings that were not told yet, of files and
 * the vdso, with build-ids.  One that is gone is forgotten, so it is told
 * again should it come back.  At most 3,072 at a time: more are not told.
 * False: @emit said stop; what was told is noted, the next call goes on.
 */
bool syc_describe_maps(struct syc_described *described, int32_t pid,
                       int64_t now, bool may_lock, syc_describe_emit *emit,
                       void *data);

/**
 * Whether libraries came or went since the last syc_describe_maps() that was
 * not stopped.  @may_lock, here and there: the dynamic linker's counters may
 * be asked (not in a forked child, where a thread that is gone may hold its
 * lock); else true once a second.
 */
bool syc_describe_maps_changed(const struct syc_described *described,
                               int64_t now, bool may_lock);

/**
 * A METADATA frame at @frame, which has the room.  Returns its length.
 *
 * Context: any-thread, signal-safe.
 */
uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value);

#endif
