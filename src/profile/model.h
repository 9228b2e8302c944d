/* SPDX-License-Identifier: BSD-2-Clause */
/* model.h - data of a profile, and of a view under construction. */
#ifndef SYC_PROFILE_MODEL_H
#define SYC_PROFILE_MODEL_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "common/strings.h"
#include "profile/filter.h"
#include "profile/marks.h"
#include "profile/naming.h"
#include "profile/processes.h"
#include "profile/stacks.h"
#include "profile/tree.h"

/** Each row of the arrays is one value. */
struct syc_values {
	SYC_ARRAY(int64_t) times;
	SYC_ARRAY(uint64_t) bits;
	SYC_ARRAY(uint32_t) counters;
	SYC_ARRAY(uint32_t) threads;
};

/**
 * A counter is an id of one process, which defines the counter, sets the
 * counter, or both.  A counter's definition may follow its values, so
 * definitions are assigned when the profile is settled.  A zero-initialized
 * struct is empty.
 */
struct syc_counters {
	struct syc_map by_key; /* process and id */
	struct syc_map by_id;  /* ids of definitions */
	/* Latest definition of each id, by number in by_id. */
	SYC_ARRAY(uint32_t) latest;
	SYC_ARRAY(struct syscap_profile_counter) items;
	struct syc_values values;
};

void syc_counters_fini(struct syc_counters *counters);

/** Add all definitions in a CTRDEF of @process.  Returns 0 or -ENOMEM. */
int syc_counters_define(struct syc_counters *counters, struct syc_texts *texts,
                        const struct syscap_reader *reader,
                        const struct syscap_frame *frame, uint32_t process);

/**
 * Count all values in a CTRSET of @thread in @process, and keep them if @keeps.
 * Returns 0 or -ENOMEM.
 */
int syc_counters_set(struct syc_counters *counters,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame, uint32_t process,
                     uint32_t thread, bool keeps);

/** The number of an existing counter. */
uint32_t syc_counters_find(const struct syc_counters *counters,
                           uint32_t process, uint32_t id);

/** Assign definitions to all counters.  Returns 0 or -ENOMEM. */
int syc_counters_settle(struct syc_counters *counters);

/** A zero-initialized struct is empty. */
struct syc_allocations {
	SYC_ARRAY(struct syscap_profile_allocation) items;
	struct syscap_profile_heap heap;
	uint32_t peak; /* the allocation that reached the peak */
	size_t n_settled;
};

void syc_allocations_fini(struct syc_allocations *allocations);

/** Match frees with allocations.  Returns 0 or -ENOMEM. */
int syc_allocations_settle(struct syc_allocations *allocations,
                           const struct syc_processes *processes);

/** The bytes that allocation @number counts for @of, or 0. */
uint64_t syc_allocations_amount(const struct syc_allocations *allocations,
                                const struct syc_processes *processes,
                                size_t number, enum syscap_view_of of);

/** Each row of the arrays is one sample. */
struct syc_samples {
	SYC_ARRAY(int64_t) times;
	SYC_ARRAY(uint32_t) threads;
	SYC_ARRAY(uint32_t) stacks;
	SYC_ARRAY(uint32_t) ticks;
};

struct syscap_profile {
	unsigned wanted; /* enum syscap_profile_parts */
	struct syc_texts texts;
	struct syc_functions functions;
	struct syc_processes processes;
	struct syc_stacks stacks;
	struct syc_naming naming;
	struct syc_samples samples;
	SYC_ARRAY(struct syscap_profile_wait) waits;
	SYC_ARRAY(struct syscap_profile_crash) crashes;
	struct syc_map waiting_threads; /* by process and tid */
	SYC_ARRAY(size_t) last_waits;   /* latest wait of each waiting thread */
	struct syc_marks marks;
	struct syc_async_ops async_ops;
	struct syc_counters counters;
	SYC_ARRAY(struct syscap_profile_log)
	logs; /* log lines; messages stay in the file */
	struct syc_allocations allocations;
	SYC_ARRAY(struct syscap_profile_loss) losses;
	struct syscap_profile_span span;
	bool has_span, is_foreign;
	bool has_early_marks; /* a mark began before the recording */
	uint64_t n_cut_marks, n_omitted_marks; /* of the early marks */
	bool is_once, is_sealed; /* is_sealed: no further event is added */
	bool is_walk;            /* events only define threads and processes */
	uint64_t position;       /* offset of the next frame in the file */
	enum syscap_view_unit unit; /* unit of the samples; set when the profile
	                             * is settled */
};

/** Add an event; other frames are ignored.  Returns 0 or -ENOMEM. */
int syc_events_add(struct syscap_profile *profile,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame);

/** Return whether the profile keeps events of @type, or finds threads in
 * them. */
bool syc_events_knows(const struct syscap_profile *profile, uint8_t type);

/* A view under construction: tree of functions and sums. */

struct syc_view {
	struct syscap_view public;
	SYC_ARRAY(uint32_t) parents;
	SYC_ARRAY(uint32_t) functions;
	SYC_ARRAY(uint32_t) lines; /* line of each node, in views by line */
	bool by_line;
	uint64_t *selfs, *totals;
	struct syscap_view_sum *sums;
	uint32_t *nodes;
	uint64_t *passed;
	/* Index of the view's nodes, during construction. */
	struct syc_slots slots;
	/* The selection, regardless of stacks. */
	unsigned char *threads; /* flag of each thread, by number */
	int64_t from, last;     /* from <= time <= last */
	SYC_ARRAY(uint32_t) losses;
};

/** Create the root.  Returns 0 or -ENOMEM. */
int syc_view_begin(struct syc_view *view);

/**
 * Find or create the child @function of @parent, at @line in views by line.
 * Returns 0 or -ENOMEM.
 */
int syc_view_child(struct syc_view *view, uint32_t parent, uint32_t function,
                   uint32_t line, uint32_t *ret_node);

/** Compute totals from selfs.  Returns 0 or -ENOMEM. */
int syc_view_add_up(struct syc_view *view);

/** Compute sums by function, from selfs and totals.  Returns 0 or -ENOMEM. */
int syc_view_sum_up(struct syc_view *view,
                    const struct syc_functions *functions);

/** Reverse every stack of the tree.  Returns 0 or -ENOMEM. */
int syc_view_reverse(struct syc_view *view, size_t n_stacks);

#endif
