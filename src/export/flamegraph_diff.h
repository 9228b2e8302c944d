/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamegraph_diff.h - what each node of a view was in another one.
 *
 * Nodes are the same where the names on the way to them are, whatever their
 * binaries are called: those of two builds.
 */
#ifndef SYC_EXPORT_FLAMEGRAPH_DIFF_H
#define SYC_EXPORT_FLAMEGRAPH_DIFF_H

#include <stdint.h>

#include <syscap/profile.h>

#include "data/array.h"

struct syc_flamegraph_diff {
	const struct syscap_profile *base_profile;
	const struct syscap_view *base;
	const char *name;         /* what the base is called */
	uint64_t *selfs, *totals; /* by node of the new view, in the base */
	SYC_ARRAY(uint32_t)
	gone; /* nodes of the base, largest first, that the
	                           * new one lacks, and their callers are there */
};

/** 0 or -ENOMEM. */
int syc_flamegraph_diff_init(struct syc_flamegraph_diff *diff,
                             const struct syscap_profile *profile,
                             const struct syscap_view *view,
                             const struct syscap_profile *base_profile,
                             const struct syscap_view *base);
void syc_flamegraph_diff_fini(struct syc_flamegraph_diff *diff);

#endif
