/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_ops.h - a program's uses of libsysprof-capture-4.
 *
 * dropin_ops.c is compiled twice, with syscap's headers and with the
 * reference's, into two shared objects, each with its own archive.  All names
 * of the archives clash, so they are hidden; only this table is visible.
 */
#ifndef BENCH_DROPIN_OPS_H
#define BENCH_DROPIN_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure.h"

#define DROPIN_TYPES 256

/** Result of reading a whole capture. */
struct dropin_seen {
	uint64_t frames[DROPIN_TYPES];
	uint64_t sum; /* sum of all numbers in frames: equal for all readers */
};

struct dropin_ops {
	/* calls that emit, also without a recording */
	bool (*is_active)(void);
	void (*begin)(void); /* get a ring, define the counter */
	int64_t (*now)(void);
	struct bench_event mark, mark_clocks, counter, undefined, counters;
	struct bench_event log, mark_printf;
	struct bench_event mark_dynamic, mark_by_pointer;

	/* writing to @path, one writer at a time */
	bool (*open)(const char *path);
	void (*close)(void);
	struct bench_event jitmap_few, jitmap_many, write_mark, write_log;
	struct bench_event write_sample, write_counters;

	/*
	 * Write a capture of at least @size bytes. Returns the number of
	 * frames, or 0 with the error in errno.
	 */
	uint64_t (*make)(const char *path, uint64_t size);
	/* False: the file can't be opened. */
	bool (*read)(const char *path, struct dropin_seen *ret_seen);
};

/* Counters set at once: as many as GJS has. */
#define DROPIN_COUNTERS 18u

#define DROPIN_FEW  20u
#define DROPIN_MANY 5000u

#define DROPIN_EXPORT __attribute__((visibility("default")))

extern DROPIN_EXPORT const struct dropin_ops dropin_ops_ours;
extern DROPIN_EXPORT const struct dropin_ops dropin_ops_reference;

#endif
