/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.h - names of JIT code by process, from the capture and from files.
 *
 *	syc_code_names_new(&names);
 *	syc_code_names_table(names, pid, &table);	of each process; filled
 *							by a watch, by files
 *	syc_code_names_scan(names, reader);		by code events
 *	syc_code_names_settle(names);
 *	options.code = syc_code_names_symbol;		of struct
 *	options.code_data = names;			syc_symbols_options
 *
 * Only one thread at a time uses the names.  Context of all functions:
 * offline.
 */
#ifndef SYC_CODE_CODE_NAMES_H
#define SYC_CODE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/capture.h>

#include "code/code_table.h"
#include "common/containers.h"
#include "symbols/resolver.h"

struct syc_code_names;

int syc_code_names_new(struct syc_code_names **ret_names);

void syc_code_names_free(struct syc_code_names *names);

/**
 * Get the table of @pid, the process id in frames.  The first call makes the
 * table.  Returns 0 or -ENOMEM.
 */
int syc_code_names_table(struct syc_code_names *names, int32_t pid,
                         struct syc_code_table **ret_table);

/**
 * Read all code events in the capture, from the reader's position on, up to the
 * end or the first damage.  Returns 0 or -ENOMEM.
 */
int syc_code_names_scan(struct syc_code_names *names,
                        struct syscap_reader *reader);

/** Add the code event of one frame, which may have any type. */
int syc_code_names_add(struct syc_code_names *names,
                       const struct syscap_frame *frame);

/** Make the names searchable, after the addition of all code events.  Returns 0
 * or -ENOMEM. */
int syc_code_names_settle(struct syc_code_names *names);

/** Return whether any code is known. */
bool syc_code_names_any(const struct syc_code_names *names);

/**
 * Find the name of the code at the query's address and time, for struct
 * syc_symbols_options.  Returns 1, or 0 for unknown code.
 */
int syc_code_names_symbol(void *names, const struct syc_symbol_query *query,
                          struct syc_symbol *ret_symbol);

/*
 * Reader of perf maps and jitdumps that exist after the recording.  A file must
 * belong to the current user.  A file must have changed since the capture
 * began, because an older file belongs to an earlier process with the same pid.
 * A perf map has no times, so all its names are valid throughout the capture.
 */

/** Options for the files of code.  The struct may be all zero. */
struct syc_code_files_options {
	const char *perf_map_directory; /* NULL: /tmp */
	/* Function that receives one line about each existing file that was not
	 * used. */
	void (*tell)(void *data, const char *text);
	void *data;
};

struct syc_code_files_totals {
	unsigned n_perf_maps, n_dumps; /* files that contained code */
};

/**
 * Read the capture from the reader's position on, and the files of its
 * processes into their tables.  Returns 0 or -ENOMEM.
 *
 * Context: offline.
 */
int syc_code_files_read(struct syc_code_names *names,
                        struct syscap_reader *reader,
                        const struct syc_code_files_options *options,
                        struct syc_code_files_totals *ret_totals);

/** State of syc_code_files_read() for a caller that itself reads the
 * capture. */
struct syc_code_files {
	struct syc_code_names *names;
	const struct syc_code_files_options *options;
	struct syc_code_files_totals totals;
	int64_t not_before; /* CLOCK_REALTIME, ns */
	int directory;
	struct syc_map pids;  /* pids whose files were already searched */
	struct syc_map dumps; /* keys of a pid and a path */
};

/** Begin to read files.  @capture_time is the date in the header.  @options
 * must outlive @files. */
void syc_code_files_open(struct syc_code_files *files,
                         struct syc_code_names *names, const char *capture_time,
                         const struct syc_code_files_options *options);

void syc_code_files_close(struct syc_code_files *files);

/**
 * Read the files of @pid, for a PROCESS or MAP of the capture.  Repetitions
 * have no effect.  Returns 0 or -ENOMEM.
 */
int syc_code_files_process(struct syc_code_files *files, int32_t pid);

int syc_code_files_map(struct syc_code_files *files, int32_t pid,
                       const char *path);

/*
 * Updates of a running process's code table, from all sources:
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
 * If no source has changed, a check costs one system call, one for each jitdump
 * and list, and once a second a read of /proc/PID/maps.
 *
 * Perf maps and lists have no times.  New entries are valid from the time of
 * the previous check on.  Runtimes buffer lines of perf maps, so new lines are
 * also valid before, at addresses without other code.  More frequent reads
 * distinguish more of the functions that share an address.
 */

struct syc_code_process {
	int32_t pid;     /* pid in /proc */
	int32_t own_pid; /* pid in the process's own pid namespace */
	uid_t owner;
	int64_t begun; /* start time (CLOCK_REALTIME, ns), precise to 10 ms, or
	                * 0 if unknown */
	int tmp;       /* fd of the process's /tmp, or -1 */
};

/**
 * Read the data about a process once, while the process is alive.  The
 * process's /tmp stays accessible later, even the /tmp of a finished container.
 * Returns 0, -ENOENT or -ESRCH if the process has ended, or another -errno.
 * Context of all functions: offline.
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
 * Call @each for each executable mapping of a file, until @each returns a value
 * other than 0.  Returns the value of @each, or -errno.
 */
int syc_code_process_mappings(
	const struct syc_code_process *process,
	int (*each)(void *context, const struct syc_code_mapping *mapping),
	void *context);

struct syc_code_watch;

/** Options of a watch.  The struct may be all zero. */
struct syc_code_watch_options {
	/* Function that receives one line for each unusable file. */
	void (*tell)(void *data, const char *text);
	void *data;
};

/**
 * Watch the process @pid, a number in /proc, and store its code in @table,
 * which must outlive the watch.  Returns 0, -ENOENT or -ESRCH if the process
 * has ended, or another -errno.  The watch occupies two fds, and one fd for
 * each jitdump.
 *
 * Context: offline.
 */
int syc_code_watch_new(int32_t pid, struct syc_code_table *table,
                       const struct syc_code_watch_options *options,
                       struct syc_code_watch **ret_watch);

void syc_code_watch_free(struct syc_code_watch *watch);

/** Look for new code.  @now is CLOCK_MONOTONIC in ns, as in samples.  Returns 0
 * or -ENOMEM. */
int syc_code_watch_look(struct syc_code_watch *watch, int64_t now);

/** Store that the process executed another program at @now, so that its code
 * has ended. */
int syc_code_watch_exec(struct syc_code_watch *watch, int64_t now);

/** Make the last check, for which the process may have ended. */
int syc_code_watch_finish(struct syc_code_watch *watch, int64_t now);

#endif
