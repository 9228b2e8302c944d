/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_summary.h - the numbers of `syscap stat`: processes, threads, losses,
 * samples, events.
 */
#ifndef SYC_CLI_STAT_SUMMARY_H
#define SYC_CLI_STAT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>
#include <syscap/profile.h>

#include "base/loss_record.h"
#include "common/containers.h"
#include "common/json.h"
#include "common/strings.h"
#include "profile/marks.h"
#include "symbols/resolver.h"

/* Definitions and values of counters; for `dump`, too. */

struct syc_counter_definition {
	int32_t pid;
	struct syscap_counter_info info;
};

/* Values of one (pid, id), whose type is not known yet. */
struct syc_counter_values {
	int32_t pid;
	uint32_t id;
	uint64_t count;
	int64_t first_time, last_time;
	uint64_t first, last;
	int64_t min_i64, max_i64;
	double min_f64, max_f64; /* values; infinite if all values were NaN */
	bool has_fallen;         /* an integer is below an earlier one */
};

/* A row of output; definition may be NULL. */
struct syc_counter {
	const struct syc_counter_definition *definition;
	struct syc_counter_values values;
};

/* Cached number of a (pid, id), plus one; 0: none. */
struct syc_counter_memo {
	int32_t pid;
	uint32_t id;
	size_t number;
};

/** A zero-initialized struct is empty. */
struct syc_counter_stats {
	struct syc_map by_pid_id, by_id, values_by_pid_id;
	SYC_ARRAY(struct syc_counter_definition) definitions;
	/* Index of each id's last definition, by number in by_id. */
	SYC_ARRAY(size_t) last_of_id;
	SYC_ARRAY(struct syc_counter_values) values;
	SYC_ARRAY(struct syc_counter) result;
	/* A cache by the low bits of the id, which saves most lookups. */
	struct syc_counter_memo memo[256];
};

void syc_counter_stats_fini(struct syc_counter_stats *counters);

/** Add all counters of a CTRDEF.  Returns 0 or -ENOMEM. */
int syc_counter_stats_define(struct syc_counter_stats *counters,
                             const struct syscap_reader *reader,
                             const struct syscap_frame *frame);

/** Add all values of a CTRSET.  Returns 0 or -ENOMEM. */
int syc_counter_stats_set(struct syc_counter_stats *counters,
                          const struct syscap_reader *reader,
                          const struct syscap_frame *frame);

/** Return whether the counter @id of @pid is a double, by its definition. */
bool syc_counter_stats_is_double(const struct syc_counter_stats *counters,
                                 int32_t pid, uint32_t id);

/**
 * Assign all values to their definitions.  Then counters->result holds every
 * counter, sorted by category, name, pid and id.  Call this function once,
 * after the last event.  Returns 0 or -ENOMEM.
 */
int syc_counter_stats_finish(struct syc_counter_stats *counters);

/** Change per second of an integer that only grew.  NAN for other counters, and
 * for levels such as memory in use. */
double syc_counter_rate(const struct syc_counter *counter);

/* Durations of marks and of operations. */

struct syc_mark {
	const char *group, *name; /* texts in the capture's map */
	/* Durations, until syc_mark_stats_finish(). */
	SYC_ARRAY(int64_t) durations;
	struct syc_duration_stats sums;
};

/** Numbers of marks and operations that began before the recording. */
struct syc_early_marks {
	uint64_t n_cut;    /* durations measured from the recording's start */
	uint64_t n_before; /* ended before the recording, not counted */
	/* Marks that begin before their process, not counted, and the name of
	 * the first one. */
	uint64_t n_false;
	const char *false_name;
};

/** Result of comparing a mark with a filter's times, pid and threads. */
enum syc_mark_passes {
	SYC_MARK_EXCLUDED,
	SYC_MARK_EARLIER, /* a `begin` mark passes if the operation ends in the
	                   * filter's times or later */
	SYC_MARK_FALSE,   /* passes, but begins before its process */
	SYC_MARK_PASSES
};

/** Return whether the mark of @event, cut at @begin, passes the filter of
 * @view. */
enum syc_mark_passes syc_mark_passes(const struct syscap_profile *profile,
                                     int64_t begin,
                                     const struct syscap_view *view,
                                     const struct syscap_profile_event *event);

/** The beginning or the end of an operation (docs/marks.md). */
struct syc_mark_part {
	const char *group, *name;
	uint64_t id;
	int64_t time;
	int64_t from;  /* @time, or start of the recording if later */
	size_t number; /* number in the order of the file */
	int32_t pid;
	bool is_end;
	enum syc_mark_passes passes;
};

/** A zero-initialized struct is empty. */
struct syc_mark_stats {
	struct syc_map by_text;
	/* Parts, until syc_mark_stats_finish(). */
	SYC_ARRAY(struct syc_mark_part) parts;
	SYC_ARRAY(struct syc_mark) marks;
	int64_t begin; /* start of the recording */
	int64_t from;  /* start of the filter's times */
	struct syc_early_marks early;
};

void syc_mark_stats_fini(struct syc_mark_stats *marks);

/**
 * Add a mark's frame, whose texts must outlive @marks.  As in profiles, a
 * negative duration counts as 0, and marks are limited to the recording.  The
 * beginning and the end of an operation become one mark with the duration of
 * the operation.  An excluded mark may still be the end of a counted operation.
 * Returns 0 or -ENOMEM.
 */
int syc_mark_stats_add_frame(struct syc_mark_stats *marks,
                             const struct syscap_frame *frame,
                             enum syc_mark_passes passes);

/**
 * Compute statistics and sort by total, the largest first.  Returns 0 or
 * -ENOMEM.
 */
int syc_mark_stats_finish(struct syc_mark_stats *marks);

/** Print the note about marks that begin before their processes, without a line
 * break. */
void syc_mark_stats_false_text(const struct syc_early_marks *early, FILE *out);

/** Print the table of marks, at most @most rows, for people.  Returns 0 or
 * -ENOMEM. */
int syc_mark_stats_print(const struct syc_mark_stats *marks, size_t most);

/** Write the members of the marks, at most @most rows, to the open object. */
void syc_mark_stats_json(struct syc_json *json,
                         const struct syc_mark_stats *marks, size_t most);

/*
 * Hot functions, source lines, call trees and slowest marks of `syscap stat`.
 */

enum syc_stat_sort {
	SYC_STAT_SORT_NONE,
	SYC_STAT_SORT_SELF,
	SYC_STAT_SORT_TOTAL,
	SYC_STAT_SORT_COUNT,
	SYC_STAT_SORT_P99,
	SYC_STAT_SORT_MAX,
	SYC_STAT_SORT_NAME,
};

#define SYC_STAT_SORT_KEYS "self total count p99 max name"

/** Returns false, with a message that lists all keys, if @text is unknown. */
bool syc_stat_sort_parse(const char *command, const char *text,
                         enum syc_stat_sort *ret_sort);

/**
 * Sort numbers in descending, and names in ascending order.  Equal rows keep
 * their order.
 */
void syc_stat_sort_marks(enum syc_stat_sort sort, struct syc_mark_stats *marks);
void syc_stat_sort_counters(enum syc_stat_sort sort,
                            struct syc_counter_stats *counters);

/** The sums of @view in order: an array to be freed, or NULL. */
struct syscap_view_sum *
syc_stat_sort_functions(enum syc_stat_sort sort,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);

struct syc_stat_hot {
	struct syscap_profile *profile;
	struct syscap_reader *reader; /* reader of the capture, for messages */
	const struct syscap_filter *filter;
	const struct syscap_view *view; /* view of the filter */
	enum syc_stat_sort sort;
	size_t n_functions;        /* rows of the table of functions */
	size_t n_rows;             /* rows of any other table */
	double min_percent;        /* least share shown in the tree */
	bool threads, tree, lines; /* sections that are requested */
	bool is_filtered;
	/* Label of numbers that ignore the filter; "" without a condition. */
	const char *whole;
};

/** The amount of a thread. */
struct syc_stat_rank {
	uint64_t amount;
	uint32_t thread; /* number of the thread in the profile */
};

/** Print the sections as text or JSON.  Returns 0 or -ENOMEM. */
int syc_stat_hot_text(const struct syc_stat_hot *hot);
int syc_stat_lines_text(const struct syc_stat_hot *hot);
int syc_stat_slowest_text(const struct syc_stat_hot *hot);
int syc_stat_lines_json(struct syc_json *json, const struct syc_stat_hot *hot);

/**
 * Print the source of the functions called @name, with the share of each line.
 * @recorded_at: seconds since 1970, or 0.  Returns 0 or -ENOMEM.
 */
int syc_stat_annotate_text(const struct syc_stat_hot *hot, const char *name,
                           int64_t recorded_at, bool *ret_is_known);
int syc_stat_slowest_json(struct syc_json *json,
                          const struct syc_stat_hot *hot);

/** The name of @unit in --json. */
const char *syc_stat_hot_unit_key(enum syscap_view_unit unit);

/** Room for syscap_profile_describe_unsampled(). */
#define SYC_UNSAMPLED_TEXT 160

/** Write the member @key, an object (docs/json.md). */
void syc_unsampled_json(struct syc_json *json, const char *key,
                        const struct syscap_profile_unsampled *unsampled);

/** Store an amount of the view's unit, like "12.3 ms" or "17", in @text. */
void syc_stat_hot_format(enum syscap_view_unit unit, uint64_t amount,
                         char *text, size_t size);

/** Store @name in @text, cut to the width of a line. */
void syc_stat_hot_shorten(const char *name, char *text, size_t size);

/**
 * Store a function's name in @text, cut to the width of a line, and whether the
 * function was inlined.
 */
void syc_stat_hot_name(const struct syc_stat_hot *hot, uint32_t function,
                       char *text, size_t size);

/** Print a function as members of the open object. */
void syc_stat_hot_function_json(struct syc_json *json,
                                const struct syc_stat_hot *hot,
                                uint32_t function);

/** Make a view of one thread through the filter.  Returns 0 or -ENOMEM. */
int syc_stat_hot_of_thread(const struct syc_stat_hot *hot, uint32_t thread,
                           struct syscap_view **ret_view);

/**
 * The threads with an amount, largest amount first, in an array to be freed.
 * Returns 0 or -ENOMEM.
 */
int syc_stat_hot_rank(const struct syc_stat_hot *hot,
                      struct syc_stat_rank **ret_ranks, size_t *ret_n);

struct syc_listed_thread {
	int32_t tid;
	const char *name; /* latest name; "": unknown */
	int64_t name_time;
};

struct syc_listed_process {
	int32_t pid;
	/* Command line of the latest PROCESS frame; NULL: none. */
	const char *cmdline;
	int64_t cmdline_time;
	SYC_ARRAY(struct syc_listed_thread)
	threads; /* threads, sorted by syc_process_list_finish() */
};

/** A zero-initialized struct is empty. */
struct syc_process_list {
	struct syc_map by_pid, by_thread;
	SYC_ARRAY(struct syc_listed_process) processes;
	/* Place of each thread of by_thread in its process's threads. */
	SYC_ARRAY(size_t) places;
	/*
	 * A cache, since most frames come from the same source as the previous
	 * frame.
	 */
	int32_t last_pid, last_tid;
	bool has_last;
};

struct syc_thread_loss {
	int32_t pid, tid; /* pid and tid; tid -1: unknown */
	uint64_t frames, bytes;
	int64_t from, to;
};

/** A zero-initialized struct is empty. */
struct syc_loss_stats {
	struct syc_loss sum; /* sum, whose tid has no meaning */
	struct syc_map by_thread;
	SYC_ARRAY(struct syc_thread_loss) threads;
};

struct syc_sample_stats {
	uint64_t count, weight;
	uint64_t without_stack; /* ticks without a stack */
	uint64_t cut, stopped;  /* numbers of samples, without weights */
};

/** The longest write of events by a process that recorded itself, and its
 * thread. */
struct syc_slowest_write {
	uint64_t ns; /* 0: no process recorded itself */
	int32_t pid, tid;
};

struct syc_stat_summary {
	struct syscap_file_info info;
	/*
	 * The summary omits marks, values and logs, which cmd_stat.c adds by a
	 * second walk.
	 */
	bool is_filtered;
	/* The profile, which has each frame before the summary. */
	const struct syscap_profile *profile;
	/* Times in ns; end is never before begin. */
	int64_t begin, end;
	/* Number of frames of each type; type 0: unknown types. */
	uint64_t frames[SYSCAP_FRAME_LAST];
	uint64_t n_frames;
	uint64_t n_damaged; /* malformed frames; not counted in frames */
	uint64_t logs[SYC_SEVERITIES];
	struct syc_sample_stats samples;
	struct syc_process_list processes;
	struct syc_loss_stats losses;
	struct syc_slowest_write slowest;
	struct syc_mark_stats marks;
	struct syc_counter_stats counters;
};

void syc_stat_summary_init(struct syc_stat_summary *summary,
                           const struct syscap_reader *reader);
void syc_stat_summary_fini(struct syc_stat_summary *summary);

/** Add one decoded frame.  Returns 0 or -ENOMEM. */
int syc_stat_summary_add(struct syc_stat_summary *summary,
                         const struct syscap_reader *reader,
                         const struct syscap_frame *frame);

/** Compute and sort, after the last frame.  Returns 0 or -ENOMEM. */
int syc_stat_summary_finish(struct syc_stat_summary *summary);

/** end - begin, which is never negative and never wraps. */
int64_t syc_stat_summary_duration(const struct syc_stat_summary *summary);

/**
 * Find the Debian packages of at most SYC_MOST_BINARIES binaries, named by the
 * last part of their paths; "": unknown.
 */
#define SYC_MOST_BINARIES 16
void syc_stat_packages(const struct syscap_profile *profile,
                       const char *const *binaries, size_t n,
                       char (*ret_names)[SYC_PACKAGE_NAME]);

/** Print the first lines of the text.  Returns 0 or -ENOMEM. */
int syc_stat_head_text(const struct syc_stat_summary *summary, const char *file,
                       const struct syc_stat_hot *hot);

/**
 * Print at most @most processes, with the amounts of the view.  Returns 0 or
 * -ENOMEM.
 */
int syc_stat_processes_text(const struct syc_stat_hot *hot,
                            const struct syc_process_list *processes,
                            size_t most);

/**
 * Print the output of `syscap stat`, as text or as JSON.  Returns 0 or -ENOMEM.
 */
int syc_stat_text(const struct syc_stat_summary *summary, const char *file,
                  const struct syc_stat_hot *hot, bool all);
int syc_stat_json(const struct syc_stat_summary *summary,
                  const struct syc_stat_hot *hot);

#endif
