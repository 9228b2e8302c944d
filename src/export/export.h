/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.h - writers of every export format, and their common helpers.
 *
 * Output errors stay in @out; the caller checks ferror(). docs/export.md lists
 * the limits of each format.
 */
#ifndef SYC_EXPORT_EXPORT_H
#define SYC_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "common/containers.h"

struct syc_export {
	struct syscap_profile *profile;
	const struct syscap_view *view; /* view of the samples */
	/* View of the allocations, or NULL. */
	const struct syscap_view *heap;
	/* Filter of events by time and thread. */
	const struct syscap_filter *filter;
	struct syscap_reader *reader; /* reader of the capture, for texts that
	                               * the profile lacks */
	const char *name;             /* title for the viewer */
	const char *note;             /* text about missing data, or "" */
	int64_t capture_time;         /* seconds since 1970; 0: unknown */
	FILE *out;
	/*
	 * Set by the writer: number of omitted marks, which are in another
	 * lane.
	 */
	uint64_t n_overlaps;
	/* Set by the writer: number of omitted values of counters, which are
	 * not finite. */
	uint64_t n_no_numbers;
	uint64_t n_ticks; /* ticks of omitted samples */
};

/** Returns 0 or -ENOMEM. */
int syc_export_folded(struct syc_export *export);
int syc_export_speedscope(struct syc_export *export);
int syc_export_firefox(struct syc_export *export);
int syc_export_pprof(struct syc_export *export);
int syc_export_callgrind(struct syc_export *export);
int syc_export_chrome(struct syc_export *export);
int syc_export_perfetto(struct syc_export *export);
int syc_export_csv_functions(struct syc_export *export);
int syc_export_csv_samples(struct syc_export *export);
int syc_export_csv_marks(struct syc_export *export);
int syc_export_csv_counters(struct syc_export *export);
int syc_export_csv_logs(struct syc_export *export);
int syc_export_csv_allocations(struct syc_export *export);
int syc_export_csv_losses(struct syc_export *export);

/** Names of all formats, and of the tables of csv. */
#define SYC_EXPORT_FORMATS \
	"perfetto chrome firefox folded speedscope pprof callgrind csv"
#define SYC_EXPORT_TABLES \
	"functions samples marks counters logs allocations losses"

struct syc_export_format {
	const char *name, *table; /* table: of csv, or NULL */
	int (*write)(struct syc_export *export);
	unsigned holds; /* SYSCAP_PROFILE_*: contents of the format */
	bool is_binary;
	bool has_bytes; /* the unit may be bytes, since the format has only
	                 * sums */
	bool has_losses;
	bool has_lines;
};

/** All formats; a row without a name ends the table. */
extern const struct syc_export_format syc_export_formats[];

/** Return whether @unit is time, in ns. */
bool syc_amount_is_time(enum syscap_view_unit unit);

/** Name of @category in machine-readable output. */
const char *syc_category_name(enum syscap_profile_category category);

/*
 * Category and name have at most 32 bytes each, and each byte may become three
 * bytes.
 */
#define SYC_COUNTER_NAME_SIZE 256

/**
 * Store "CATEGORY: NAME", or "counter ID" for a counter without a definition.
 */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE]);

struct syc_pids {
	/* Pid of each process; -1: pid of events without a process. */
	int32_t *items;
	size_t n;
};

/** Returns 0 or -ENOMEM. */
int syc_pids_init(struct syc_pids *pids, const struct syscap_profile *profile);
void syc_pids_fini(struct syc_pids *pids);

/*
 * Marks of a view as spans, and the operations and arrows between them.
 *
 * Spans come lane by lane.  At equal times, ends come before begins, and the
 * longest span begins first.  Spans omit marks of operations, except their
 * steps.
 *
 * An operation is in a view if one of its marks is in the view.  An arrow is in
 * a view if both of its marks are in the view.
 */

struct syc_mark_spans_open {
	uint32_t number;
	int64_t end;
};

struct syc_mark_spans {
	const struct syscap_profile *profile;
	uint32_t *order; /* indices of marks */
	struct syc_mark_spans_open *open;
	size_t n, at, n_open, n_depths;
	struct syscap_profile_mark next; /* the mark at @at */
	bool is_first;                   /* the mark is the first of its lane */
};

enum syc_mark_spans_kind {
	SYC_NESTED_BEGIN,
	SYC_NESTED_END,
	SYC_NESTED_INSTANT
};

struct syc_mark_spans_event {
	enum syc_mark_spans_kind kind;
	uint32_t number;
	struct syscap_profile_mark mark; /* mark that begins */
	int64_t time;
	bool is_first; /* the mark is the first mark in its lane */
};

/** Returns 0 or -ENOMEM. */
int syc_mark_spans_init(struct syc_mark_spans *nested,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);
void syc_mark_spans_fini(struct syc_mark_spans *nested);

/** Returns false at the end. */
bool syc_mark_spans_next(struct syc_mark_spans *nested,
                         struct syc_mark_spans_event *ret_event);

/** The time at which @mark ends. */
int64_t syc_mark_spans_end_of(const struct syscap_profile_mark *mark);

/** An end of an arrow. */
struct syc_flow {
	uint32_t mark, arrow;
	bool is_in;
};

struct syc_mark_links {
	const struct syscap_profile_operation *operations;
	const struct syscap_profile_arrow *arrows;
	size_t n_operations, n_arrows;
	/* Flags of operations and arrows, by number. */
	unsigned char *has_operation, *has_arrow;
	const struct syscap_profile *profile;
	const struct syscap_profile_part *parts;
	struct syc_group steps; /* parts of each operation, by time */
	struct syc_flow *flows; /* flows, by mark */
	size_t n_flows;
};

/** Returns 0 or -ENOMEM. */
int syc_mark_links_init(struct syc_mark_links *linked,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);
void syc_mark_links_fini(struct syc_mark_links *linked);

/**
 * The first flow of @mark, which the other flows of @mark follow.  Returns NULL
 * if @mark has no flow.
 */
const struct syc_flow *syc_mark_links_flows(const struct syc_mark_links *linked,
                                            uint32_t mark);

/**
 * Return whether two operations have the same process, group and id.  A second
 * operation of this kind is a repetition of the first operation.
 */
bool syc_mark_links_is_same(const struct syc_mark_links *linked,
                            const struct syscap_profile *profile, size_t one,
                            size_t other);

/* A view as an SVG picture with search and zoom, perhaps as a comparison. */

struct syc_flamegraph {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
	const char *title;  /* the capture's name */
	const char *filter; /* filter options as given, or "" */
	/* Differences to a base; NULL: no comparison. */
	const struct syc_flamegraph_diff *diff;
	bool by_self; /* colours of a diff follow self instead of total */
};

/** Returns 0 or -ENOMEM; errors of @out stay in @out. */
int syc_flamegraph_write(const struct syc_flamegraph *graph, FILE *out);

struct syc_flamegraph_diff {
	const struct syscap_profile *base_profile;
	const struct syscap_view *base;
	const char *name;         /* name of the base */
	uint64_t *selfs, *totals; /* value in the base of each node of the new
	                           * view */
	SYC_ARRAY(uint32_t)
	gone; /* nodes of the base, largest first, that the new view lacks
	       * although the view has their callers */
};

/** Returns 0 or -ENOMEM. */
int syc_flamegraph_diff_init(struct syc_flamegraph_diff *diff,
                             const struct syscap_profile *profile,
                             const struct syscap_view *view,
                             const struct syscap_profile *base_profile,
                             const struct syscap_view *base);
void syc_flamegraph_diff_fini(struct syc_flamegraph_diff *diff);

#endif
