/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_pids.h - processes that are told apart in a joined capture.
 *
 * Readers know a process by its pid: its maps, and the names of functions in
 * stacks.  Two inputs may have one pid for two processes: pid 1 of two
 * containers, a number that was used again, another machine.  The later one
 * gets a number that no process of Linux can have, from SYC_JOIN_PIDS_FIRST
 * on, and a METADATA frame "syscap.pid" with the number that it had.
 */
#ifndef SYC_CAPTURE_JOIN_PIDS_H
#define SYC_CAPTURE_JOIN_PIDS_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

/** Linux has at most 2^22 pids. */
#define SYC_JOIN_PIDS_FIRST ((INT32_C(1) << 22) + 1)

#define SYC_JOIN_PIDS_ID "syscap.pid"

/** A file that is mapped; texts are in the input's map. */
struct syc_join_region {
	uint64_t start, end, offset, inode;
	const char *filename, *build_id; /* build_id: may be NULL */
};

/** What an input says about a pid. */
struct syc_join_process {
	int32_t pid;
	int32_t original; /* before an earlier join; else the same */
	int32_t new_pid;  /* once settled */
	int64_t first;    /* time of its first frame, ns */
	int64_t ended;    /* of its EXIT frame; INT64_MAX: none */
	SYC_ARRAY(struct syc_join_region) regions;
	SYC_ARRAY(const char *) cmdlines;
};

/** The processes of one input; all zero at first. */
struct syc_join_pids {
	struct syc_map by_pid;
	SYC_ARRAY(struct syc_join_process) processes;
	size_t latest;      /* where it was found last */
	unsigned n_changed; /* that get another number */
};

void syc_join_pids_fini(struct syc_join_pids *pids);

/** Whether a PROCESS frame of it had this command line. */
bool syc_join_pids_has_cmdline(const struct syc_join_process *process,
                               const char *cmdline);

/** Learn from @frame.  0 or -ENOMEM. */
int syc_join_pids_scan(struct syc_join_pids *pids,
                       const struct syscap_frame *frame);

/** Renumber the little-endian frame in @buffer. */
void syc_join_pids_frame(const struct syc_join_pids *pids,
                         unsigned char *buffer);

/** Renumber the table of symbols @data, which can be merged. */
void syc_join_pids_table(const struct syc_join_pids *pids, unsigned char *data,
                         bool big);

/**
 * The path that an embedded file of a process that is renumbered gets:
 * "/proc/PID/..." into @text.  False: it keeps its path.
 */
bool syc_join_pids_path(const struct syc_join_pids *pids, const char *path,
                        char *text, size_t size);

/** The METADATA frame of @process into @buffer.  False: it needs none. */
bool syc_join_pids_metadata(const struct syc_join_process *process,
                            unsigned char *buffer);

#endif
