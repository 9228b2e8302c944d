/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procfs.h - what /proc tells about a process.
 *
 * A process may be gone, or be another one of the same number, between any
 * two calls.  Returns are 0 or -errno (-ESRCH or -ENOENT: gone; -EACCES: not
 * ours to look at).
 */
#ifndef SYC_RECORD_PROCFS_H
#define SYC_RECORD_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

/** What tells one process from another, and one program from the next. */
struct syc_procfs_identity {
	char state;                       /* 'Z' or 'X': dead */
	uint64_t start_time;              /* clock ticks since boot */
	uint64_t start_code, start_stack; /* 0 or 1 where not ours to know */
};

struct syc_procfs_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool executable;
	const char *path; /* "/...", "[vdso]", or "" */
};

int syc_procfs_identity(int32_t pid, struct syc_procfs_identity *ret_identity);

/** The arguments joined by spaces; "" for one that has none (now). */
int syc_procfs_cmdline(int32_t pid, char *text, size_t size);

/** Both at one moment, as far as that goes. */
struct syc_procfs_seen {
	bool is_there;
	struct syc_procfs_identity identity;
	char cmdline[SYSCAP_FRAME_MAX]; /* "": it has none, or it is not told */
};

void syc_procfs_see(int32_t pid, struct syc_procfs_seen *ret_seen);

int syc_procfs_comm(int32_t pid, char *text, size_t size);

/** The process's own idea of its number, where it lives in a namespace. */
int syc_procfs_own_pid(int32_t pid, int32_t *ret_pid);

/** How far its CLOCK_MONOTONIC is ahead of ours, ns: not 0 in another time
 * namespace. */
int syc_procfs_clock_ahead(int32_t pid, int64_t *ret_ns);

/** Call @each for every mapping, in order of address. */
int syc_procfs_maps(int32_t pid,
                    void (*each)(void *context,
                                 const struct syc_procfs_map *map),
                    void *context);

/** Call @each for every process there is. */
int syc_procfs_all(void (*each)(void *context, int32_t pid), void *context);

/* The pure parts, for tests.  @line and @stat are changed. */
bool syc_procfs_parse_map(char *line, struct syc_procfs_map *ret_map);
bool syc_procfs_parse_stat(char *stat,
                           struct syc_procfs_identity *ret_identity);
bool syc_procfs_parse_clock(const char *offsets, int64_t *ret_ns);

#endif
