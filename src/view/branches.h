/* SPDX-License-Identifier: BSD-2-Clause */
/* branches.h - a view's tree from the root to the leaves, the largest first. */
#ifndef SYC_VIEW_BRANCHES_H
#define SYC_VIEW_BRANCHES_H

#include <syscap/profile.h>

struct syc_branches {
	/* Node i's callees are nodes[begins[i]] to nodes[begins[i + 1]] - 1. */
	uint32_t *begins, *nodes;
};

/** 0 or -ENOMEM; what was there is freed. */
int syc_branches_renew(struct syc_branches *branches,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);
void syc_branches_fini(struct syc_branches *branches);

/** The callee of @node that is @function, or NONE. */
uint32_t syc_branches_find(const struct syc_branches *branches,
                           const struct syscap_view *view, uint32_t node,
                           uint32_t function);

#endif
