/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_spans.h - marks of a view as spans, and the operations and arrows
 * between them.
 *
 * Spans come lane by lane. At equal times, ends come before begins, and the
 * longest span begins first. Marks of operations are omitted, except their
 * steps.
 *
 * An operation is in a view if one of its marks is in the view.  An arrow is in
 * a view if both of its marks are in the view.
 */
#ifndef SYC_EXPORT_MARK_SPANS_H
#define SYC_EXPORT_MARK_SPANS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "common/sort.h"

struct syc_mark_spans_open {
	uint32_t number;
	int64_t end;
};

struct syc_mark_spans {
	const struct syscap_profile *profile;
	uint32_t *order; /* numbers of marks */
	struct syc_mark_spans_open *open;
	size_t n, at, n_open, n_depths;
	struct syscap_profile_mark next; /* the mark at @at */
	bool is_first;                   /* the mark begins its lane */
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

/** False at the end. */
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
 * The first flow of @mark, which the other flows of @mark follow.  NULL: none.
 */
const struct syc_flow *syc_mark_links_flows(const struct syc_mark_links *linked,
                                            uint32_t mark);

/**
 * Whether two operations have the same process, group and id.  Such a second
 * operation is a repetition of the first operation.
 */
bool syc_mark_links_is_same(const struct syc_mark_links *linked,
                            const struct syscap_profile *profile, size_t one,
                            size_t other);

#endif
