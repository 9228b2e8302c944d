/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_summary.h - the numbers of `syscap stat`: processes, threads, losses,
 * samples, events.
 */
#ifndef SYC_CLI_STAT_SUMMARY_H
#define SYC_CLI_STAT_SUMMARY_H

#include <syscap/capture.h>

#include "base/loss_record.h"
#include "cli/event_stats.h"
#include "cli/stat_hot.h"
#include "common/array.h"
#include "common/labels.h"
#include "common/map.h"

struct syc_listed_thread {
	int32_t tid;
	const char *name; /* the latest; "": unknown */
	int64_t name_time;
};

struct syc_listed_process {
	int32_t pid;
	const char *cmdline; /* of the latest PROCESS frame; NULL: none */
	int64_t cmdline_time;
	SYC_ARRAY(struct syc_listed_thread)
	threads; /* sorted by syc_process_list_finish() */
};

/** All zero is empty. */
struct syc_process_list {
	struct syc_map by_pid, by_thread;
	SYC_ARRAY(struct syc_listed_process) processes;
	SYC_ARRAY(size_t) places; /* by_thread: in its process's threads */
	/* Most frames come from the same source as the one before. */
	int32_t last_pid, last_tid;
	bool has_last;
};

struct syc_thread_loss {
	int32_t pid, tid; /* tid -1: unknown */
	uint64_t frames, bytes;
	int64_t from, to;
};

/** All zero is empty. */
struct syc_loss_stats {
	struct syc_loss sum; /* its tid means nothing */
	struct syc_map by_thread;
	SYC_ARRAY(struct syc_thread_loss) threads;
};

struct syc_sample_stats {
	uint64_t count, weight;
	uint64_t without_stack; /* ticks */
	uint64_t cut, stopped;  /* samples, not their weight */
};

struct syc_stat_summary {
	struct syscap_file_info info;
	/* Marks, values and logs are left out: stat_filtered.h brings them. */
	bool is_filtered;
	int64_t begin, end;                 /* ns; end is never before begin */
	uint64_t frames[SYSCAP_FRAME_LAST]; /* by type; 0: unknown types */
	uint64_t n_frames;
	uint64_t n_damaged; /* malformed frames; not counted in frames */
	uint64_t logs[SYC_SEVERITIES];
	struct syc_sample_stats samples;
	struct syc_process_list processes;
	struct syc_loss_stats losses;
	struct syc_mark_stats marks;
	struct syc_counter_stats counters;
};

void syc_stat_summary_init(struct syc_stat_summary *summary,
                           const struct syscap_reader *reader);
void syc_stat_summary_fini(struct syc_stat_summary *summary);

/** Add one decoded frame. 0 or -ENOMEM. */
int syc_stat_summary_add(struct syc_stat_summary *summary,
                         const struct syscap_reader *reader,
                         const struct syscap_frame *frame);

/** Compute and sort, after the last frame. 0 or -ENOMEM. */
int syc_stat_summary_finish(struct syc_stat_summary *summary);

/** end - begin, which is never negative and never wraps. */
int64_t syc_stat_summary_duration(const struct syc_stat_summary *summary);

/** The two forms of `syscap stat`.  0 or -ENOMEM. */
int syc_stat_text(const struct syc_stat_summary *summary, const char *file,
                  const struct syc_stat_hot *hot, bool all);
int syc_stat_json(const struct syc_stat_summary *summary,
                  const struct syc_stat_hot *hot);

#endif
