/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_watch.h - keep the code table of a process that runs up to date, out
 * of all that its runtimes tell: /tmp/perf-PID.map, jit-PID.dump, GDB's list.
 *
 *	syc_code_names_table(names, pid, &table);
 *	syc_code_watch_new(host_pid, table, &options, &watch);
 *	while it runs, some ten times a second:
 *		syc_code_watch_look(watch, now);
 *	it has ended:
 *		syc_code_watch_finish(watch, now);
 *	syc_code_watch_free(watch);
 *
 * A look where nothing has changed costs one system call and one for each
 * jitdump and list, and once a second the reading of /proc/PID/maps.
 *
 * Perf maps and lists have no times: what a look finds new there is good from
 * the time of the look before, and lines of perf maps, which come late where
 * the runtime buffers them, also before that where nothing else was.  So the
 * more looks, the better two functions that had one address after the other
 * are told apart.
 */
#ifndef SYC_CODE_CODE_WATCH_H
#define SYC_CODE_CODE_WATCH_H

#include <stdint.h>

#include "code/code_table.h"

struct syc_code_watch;

/** May be all zero. */
struct syc_code_watch_options {
	/* One line about a file that is there and can't be used; each once. */
	void (*tell)(void *data, const char *text);
	void *data;
};

/**
 * Watch @pid, as /proc knows it, into @table, which has to outlive the watch.
 * 0; -ENOENT or -ESRCH: gone; or -errno.  Holds two descriptors, and one for
 * each jitdump.
 *
 * Context of all: offline.
 */
int syc_code_watch_new(int32_t pid, struct syc_code_table *table,
                       const struct syc_code_watch_options *options,
                       struct syc_code_watch **ret_watch);
void syc_code_watch_free(struct syc_code_watch *watch);

/** @now: CLOCK_MONOTONIC, ns, as the samples' times.  0 or -ENOMEM. */
int syc_code_watch_look(struct syc_code_watch *watch, int64_t now);

/** The process runs another program since @now: nothing is left of its code. */
int syc_code_watch_exec(struct syc_code_watch *watch, int64_t now);

/** The last look, when all is written; the process may be gone. */
int syc_code_watch_finish(struct syc_code_watch *watch, int64_t now);

#endif
