/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamegraph.h - a view as an SVG picture with search and zoom, alone or as a
 * comparison.
 */
#ifndef SYC_EXPORT_FLAMEGRAPH_H
#define SYC_EXPORT_FLAMEGRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "common/array.h"

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
