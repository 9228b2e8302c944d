/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_map.h - follow a /tmp/perf-PID.map, which a runtime writes for perf.
 *
 * Lines "START LEN NAME", the numbers in hex with or without 0x, the name to
 * the end of the line.  There are no times in it: a line is good from the
 * time that whoever looks gives, and where lines overlap, the later is.
 *
 * The file's name can be guessed, in a folder where everybody may write.  So
 * it has to be a file, no link, and to belong to whose code it tells of.
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

/** How far a file was read; all zero at first.  Holds nothing. */
struct syc_perf_map {
	uint64_t n_ranges; /* lines taken */
	uint64_t n_bad;    /* lines that say nothing */
	uint64_t restarts; /* times the file was another one */
	/* Private. */
	bool any, in_long_line;
	dev_t device;
	ino_t inode;
	uint64_t size, offset;
	int64_t changed;                       /* ns */
	unsigned char tail[SYC_PERF_MAP_TAIL]; /* what is before offset */
	unsigned n_tail;
};

struct syc_perf_map_options {
	uid_t owner;
	int64_t from; /* what is new is good from then on */
	/* ... or, where nothing was known till then, from then on: runtimes
	 * write their lines when a buffer of theirs is full. */
	int64_t maybe_from;
	/* What was changed last before this (CLOCK_REALTIME, ns) is of an
	 * earlier process of the same number.  0: any is good. */
	int64_t not_before;
	bool is_last; /* there will be no more: take a last line as it is */
};

/**
 * Read what is new in the file @name of the folder @folder (a descriptor, or
 * AT_FDCWD) into @table.  Costs one system call where nothing is.
 *
 * Returns 0, also where there is no file; with @error: -ELOOP or -EINVAL, not
 * a file; -EPERM, not the owner's; -ENOSPC, the table is full; or a system
 * call's failure.
 *
 * Context: offline.
 */
int syc_perf_map_read(struct syc_perf_map *map, int folder, const char *name,
                      const struct syc_perf_map_options *options,
                      struct syc_code_table *table, struct syscap_error *error);

struct syc_perf_map_line {
	uint64_t start, len;
	const char *name; /* in the line */
	size_t name_len;
};

/** True if the @len bytes of @line, without newline, are one.  Pure. */
bool syc_perf_map_parse(const char *line, size_t len,
                        struct syc_perf_map_line *ret_line);

#endif
