/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox.h - tables, markers and counters of a Firefox profile. */
#ifndef SYC_EXPORT_FIREFOX_H
#define SYC_EXPORT_FIREFOX_H

#include "common/containers.h"
#include "common/json.h"
#include "export/export.h"
#include "export/stacks.h"

/* Categories of functions come first, then these categories. */
enum {
	SYC_FIREFOX_MARK = SYSCAP_CATEGORY_RECORDING + 1,
	SYC_FIREFOX_LOG,
	SYC_FIREFOX_LOST,
	SYC_FIREFOX_CATEGORIES
};

/* Names of markers that are not names of marks. */
enum {
	SYC_FIREFOX_NAME_LOG,
	SYC_FIREFOX_NAME_LOST,
	SYC_FIREFOX_NAMES
};

struct syc_firefox_tables {
	const struct syc_export *export;
	struct syc_map binaries; /* binaries by text, NUL included */
	struct syc_map files;    /* source files, by text, NUL included */
	struct syc_frames frames;
	/* Numbers of the first string of each kind. */
	size_t mark_names, other_names, binary_names, file_names;
	uint32_t *file_of;  /* number of each function's file, or NONE */
	size_t heap_stacks; /* number of the first stack of allocations */
};

/** Returns 0 or -ENOMEM. */
int syc_firefox_tables_init(struct syc_firefox_tables *tables,
                            const struct syc_export *export);
void syc_firefox_tables_fini(struct syc_firefox_tables *tables);

/** Write the value of "shared". */
void syc_firefox_tables_write(struct syc_firefox_tables *tables,
                              struct syc_json *json);

/** Write the value of meta.categories. */
void syc_firefox_tables_categories(struct syc_json *json);

struct syc_firefox_markers {
	const struct syc_export *export;
	const struct syc_firefox_tables *tables;
	const struct syscap_profile_log *logs;
	const struct syscap_profile_loss *losses;
	size_t n_marks, n_logs;
	struct syc_group by_thread; /* marks, then logs, then the view's losses,
	                             * by number */
};

/** Collect markers that pass the filter.  Returns 0 or -ENOMEM. */
int syc_firefox_markers_init(struct syc_firefox_markers *markers,
                             const struct syc_export *export,
                             const struct syc_firefox_tables *tables);
void syc_firefox_markers_fini(struct syc_firefox_markers *markers);

/** Write the value of meta.markerSchema. */
void syc_firefox_markers_schema(struct syc_json *json);

/** Write the value of a thread's member "markers".  Returns 0 or -ENOMEM. */
int syc_firefox_markers_write(const struct syc_firefox_markers *markers,
                              struct syc_json *json, uint32_t thread);

/** Write @time in ms after the beginning of the capture, at @begin. */
void syc_firefox_time(struct syc_json *json, int64_t begin, int64_t time);

struct syc_firefox_value {
	int64_t time;
	uint64_t bits;
};

struct syc_firefox_counters {
	const struct syc_export *export;
	uint64_t *counts; /* number of each counter's values that pass the
	                   * filter */
	/* Flag of each thread: the thread wrote a counted value. */
	bool *threads;
	/* Values that pass the filter and are not finite. */
	uint64_t n_no_numbers;
	/* Values of the counters from @first to @end - 1, one after another. */
	struct syc_firefox_value *values;
	size_t first, end;
	size_t at; /* place of the values of the next counter */
};

/** Returns 0 or -ENOMEM. */
int syc_firefox_counters_init(struct syc_firefox_counters *counters,
                              const struct syc_export *export);
void syc_firefox_counters_fini(struct syc_firefox_counters *counters);

/** Return whether @counter has values to write. */
bool syc_firefox_counters_has(const struct syc_firefox_counters *counters,
                              size_t counter);

/**
 * Write three members of the object of @counter: description, style and
 * samples.  Counters are written in order.  Returns 0 or -ENOMEM.
 */
int syc_firefox_counters_write(struct syc_firefox_counters *counters,
                               struct syc_json *json, uint32_t counter);

struct syc_firefox_allocations {
	const struct syc_export *export;
	const struct syscap_profile_allocation *items;
	size_t heap_stacks; /* number of the first stack of allocations */
	int64_t *bytes;     /* bytes of each event; below 0: freed; 0:
	                     * omitted */
	/* Thread that shows each process's allocations; NONE. */
	uint32_t *holders;
	struct syc_group by_process;
};

/** Returns 0 or -ENOMEM; the caller ends @allocations in any case. */
int syc_firefox_allocations_init(struct syc_firefox_allocations *allocations,
                                 const struct syc_export *export,
                                 size_t heap_stacks);
void syc_firefox_allocations_fini(struct syc_firefox_allocations *allocations);

/** Return whether the allocations of @thread's process are below @thread. */
bool syc_firefox_allocations_has(
	const struct syc_firefox_allocations *allocations, uint32_t thread);

/**
 * Write the member "nativeAllocations" of a thread with allocations below it,
 * with times relative to @begin.
 */
void syc_firefox_allocations_write(
	const struct syc_firefox_allocations *allocations,
	struct syc_json *json, uint32_t thread, int64_t begin);

#endif
