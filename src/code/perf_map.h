/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_map.h - reading of a growing /tmp/perf-PID.map, which a runtime writes
 * for perf.
 *
 * Its lines are "START LEN NAME".  The numbers are hex, with or without 0x.
 * The name extends to the end of the line.  There are no times, so the caller
 * gives the time from which new lines are valid.  A later line replaces
 * overlapping earlier ones.
 *
 * The path is predictable, in a directory where everyone can write.  So it must
 * be a regular file, no link, and belong to the owner of the process.
 */
#ifndef SYC_CODE_PERF_MAP_H
#define SYC_CODE_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/capture.h>

#include "code/code_table.h"

#define SYC_PERF_MAP_TAIL 64u

/** The progress in a file.  All zero at first.  Owns nothing. */
struct syc_perf_map {
	uint64_t n_ranges; /* lines taken */
	uint64_t n_bad;    /* malformed lines */
	uint64_t restarts; /* number of times that the file was replaced */
	/* Private. */
	bool any, in_long_line;
	dev_t device;
	ino_t inode;
	uint64_t size, offset;
	int64_t changed;                       /* ns */
	unsigned char tail[SYC_PERF_MAP_TAIL]; /* the bytes before offset */
	unsigned n_tail;
};

struct syc_perf_map_options {
	uid_t owner;
	int64_t from; /* new lines are valid from then on */
	/* At addresses without older code, they are valid from then on, since
	 * runtimes buffer lines. */
	int64_t maybe_from;
	/* A file older than this (CLOCK_REALTIME, ns) is of an earlier process
	 * with the same pid.  0: any file is valid. */
	int64_t not_before;
	bool is_last; /* the file is complete: take an unfinished last line */
};

/**
 * Read the new lines of the file @name in the directory @directory (a
 * descriptor, or AT_FDCWD) into @table.  Costs one system call if there are
 * none.
 *
 * Returns 0, also if there is no file.  With @error: -ELOOP or -EINVAL: no
 * regular file; -EPERM: another owner; -ENOSPC: the table is full; or the errno
 * of a system call.
 *
 * Context: offline.
 */
int syc_perf_map_read(struct syc_perf_map *map, int directory, const char *name,
                      const struct syc_perf_map_options *options,
                      struct syc_code_table *table, struct syscap_error *error);

struct syc_perf_map_line {
	uint64_t start, len;
	const char *name; /* in the line */
	size_t name_len;
};

/** True if the @len bytes of @line, without newline, are well-formed.  Pure. */
bool syc_perf_map_parse(const char *line, size_t len,
                        struct syc_perf_map_line *ret_line);

#endif
