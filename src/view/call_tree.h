/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_tree.h - callers and callees of a function, and the call tree by size.
 */
#ifndef SYC_VIEW_CALL_TREE_H
#define SYC_VIEW_CALL_TREE_H

#include <syscap/profile.h>

#include "common/containers.h"

struct syc_neighbour {
	uint32_t function; /* caller or callee; ROOT: no caller */
	uint64_t amount;   /* share of the function's total along this call */
};

/**
 * Callers add up to the function's total, and so do callees and self.
 * Recursive calls do not count: only calls from other functions and to other
 * functions count.
 */
struct syc_function_calls {
	/* Callers, the smallest first. */
	SYC_ARRAY(struct syc_neighbour) callers;
	/* Callees, the largest first. */
	SYC_ARRAY(struct syc_neighbour) callees;
	uint64_t total, self;
};

/** Returns 0 or -ENOMEM; replaces the old content. */
int syc_function_calls_find(struct syc_function_calls *calls,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t function);
void syc_function_calls_fini(struct syc_function_calls *calls);

/**
 * Find the callees of each node, largest first.  Returns 0 or -ENOMEM; frees
 * the old content.
 */
int syc_branches_renew(struct syc_group *branches,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);

/** The callee of @node that is @function, or NONE. */
uint32_t syc_branches_find(const struct syc_group *branches,
                           const struct syscap_view *view, uint32_t node,
                           uint32_t function);

#endif
