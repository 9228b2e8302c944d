/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procfs.h - facts about a process from /proc.
 *
 * Between any two calls, a process may end and its pid be reused.  Functions
 * return 0 or -errno (-ESRCH or -ENOENT: gone; -EACCES: no permission).
 */
#ifndef SYC_RECORDER_PROCFS_H
#define SYC_RECORDER_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

/** Facts that distinguish processes, and programs of a process. */
struct syc_procfs_identity {
	char state;                       /* 'Z' or 'X': dead */
	uint64_t start_time;              /* clock ticks since boot */
	uint64_t start_code, start_stack; /* 0 or 1 without permission */
};

struct syc_procfs_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool executable;
	const char *path; /* "/...", "[vdso]", or "" */
};

int syc_procfs_identity(int32_t pid, struct syc_procfs_identity *ret_identity);

/**
 * The arguments joined by spaces; "" if the process has no arguments at
 * present.
 */
int syc_procfs_cmdline(int32_t pid, char *text, size_t size);

/** Identity and command line, read at one moment if possible. */
struct syc_procfs_seen {
	bool is_there;
	struct syc_procfs_identity identity;
	char cmdline[SYSCAP_FRAME_MAX]; /* "": none, or unknown */
};

void syc_procfs_see(int32_t pid, struct syc_procfs_seen *ret_seen);

int syc_procfs_comm(int32_t pid, char *text, size_t size);

/** The process' own view of its pid, in a pid namespace. */
int syc_procfs_own_pid(int32_t pid, int32_t *ret_pid);

/**
 * Offset of the process' CLOCK_MONOTONIC to the recorder's, ns: not 0 in
 * another time namespace.  *@ret_ns is unchanged if the offset is unknown, as
 * for an ended process.
 */
int syc_procfs_clock_ahead(int32_t pid, int64_t *ret_ns);

/** Call @each for every mapping, in order of address. */
int syc_procfs_maps(int32_t pid,
                    void (*each)(void *context,
                                 const struct syc_procfs_map *map),
                    void *context);

/** Call @each for every process. */
int syc_procfs_all(void (*each)(void *context, int32_t pid), void *context);

/* Pure parts, for tests.  These functions change @line and @stat. */
bool syc_procfs_parse_map(char *line, struct syc_procfs_map *ret_map);
bool syc_procfs_parse_stat(char *stat,
                           struct syc_procfs_identity *ret_identity);
bool syc_procfs_parse_clock(const char *offsets, int64_t *ret_ns);

#endif
