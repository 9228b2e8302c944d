/* SPDX-License-Identifier: BSD-2-Clause */
/* children.h - a view's tree from the root to the leaves. */
#ifndef SYC_EXPORT_CHILDREN_H
#define SYC_EXPORT_CHILDREN_H

#include <syscap/profile.h>

struct syc_children {
	size_t n; /* nodes */
	/* Node i's children are nodes[begins[i]] to nodes[begins[i + 1]] - 1,
	 * by name. */
	uint32_t *begins, *nodes;
};

/** 0 or -ENOMEM. */
int syc_children_init(struct syc_children *children,
                      const struct syscap_profile *profile,
                      const struct syscap_view *view);
void syc_children_fini(struct syc_children *children);

#endif
