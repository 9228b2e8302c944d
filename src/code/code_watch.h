/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_watch.h - updates of a running process's code table, from all sources:
 * /tmp/perf-PID.map, jit-PID.dump, GDB's JIT interface.
 *
 *	syc_code_names_table(names, pid, &table);
 *	syc_code_watch_new(host_pid, table, &options, &watch);
 *	while it runs, some ten times a second:
 *		syc_code_watch_look(watch, now);
 *	it has ended:
 *		syc_code_watch_finish(watch, now);
 *	syc_code_watch_free(watch);
 *
 * If no source has changed, a look costs one system call, one for each jitdump
 * and list, and once a second a read of /proc/PID/maps.
 *
 * Perf maps and lists have no times.  New entries of perf maps and lists are
 * valid from the time of the previous look.  Runtimes buffer lines of perf
 * maps, so these lines are also valid before this time, at addresses with no
 * other code.  More frequent looks distinguish more of the functions that share
 * an address.
 */
#ifndef SYC_CODE_CODE_WATCH_H
#define SYC_CODE_CODE_WATCH_H

#include <stdint.h>
#include <sys/types.h>

#include "code/code_table.h"

struct syc_code_process {
	int32_t pid;     /* pid in /proc */
	int32_t own_pid; /* pid in the process's own pid namespace */
	uid_t owner;
	int64_t begun; /* start time (CLOCK_REALTIME, ns), precise to 10 ms; 0:
	                * unknown */
	int tmp;       /* fd of the process's /tmp, or -1 */
};

/**
 * Read the facts about a process once, while the process lives.  The process's
 * /tmp stays accessible later, even the /tmp of a finished container.  Returns
 * 0; -ENOENT or -ESRCH: the process has ended; or -errno.  Context of
 * everything here: offline.
 */
int syc_code_process_open(int32_t pid, struct syc_code_process *ret_process);

void syc_code_process_close(struct syc_code_process *process);

/** Open @path as the process sees it, for reading.  Returns an fd or -errno. */
int syc_code_process_open_file(const struct syc_code_process *process,
                               const char *path);

struct syc_code_mapping {
	uint64_t start, end, offset;
	uint64_t inode;
	const char *path;
};

/**
 * Call @each for each executable mapping of a file, until it returns another
 * value than 0.  Returns that value, or -errno.
 */
int syc_code_process_mappings(
	const struct syc_code_process *process,
	int (*each)(void *context, const struct syc_code_mapping *mapping),
	void *context);

struct syc_code_watch;

/** Options of a watch; may be all zero. */
struct syc_code_watch_options {
	/* Function that receives one line about each unusable file, once. */
	void (*tell)(void *data, const char *text);
	void *data;
};

/**
 * Watch the process @pid, a number in /proc, and store its code in @table,
 * which must outlive the watch.  Returns 0; -ENOENT or -ESRCH: the process has
 * ended; or -errno.  Occupies two fds, and one fd for each jitdump.
 *
 * Context: offline.
 */
int syc_code_watch_new(int32_t pid, struct syc_code_table *table,
                       const struct syc_code_watch_options *options,
                       struct syc_code_watch **ret_watch);

void syc_code_watch_free(struct syc_code_watch *watch);

/** Look for new code.  @now: CLOCK_MONOTONIC, ns, as in samples.  Returns 0 or
 * -ENOMEM. */
int syc_code_watch_look(struct syc_code_watch *watch, int64_t now);

/** Note that the process executed another program at @now, so that its code has
 * ended. */
int syc_code_watch_exec(struct syc_code_watch *watch, int64_t now);

/** Take the last look, for which the process may have ended. */
int syc_code_watch_finish(struct syc_code_watch *watch, int64_t now);

#endif
