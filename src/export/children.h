/* SPDX-License-Identifier: BSD-2-Clause */
/* children.h - a view's tree from the root to the leaves. */
#ifndef SC_EXPORT_CHILDREN_H
#define SC_EXPORT_CHILDREN_H

#include <syscap/profile.h>

struct sc_children {
	size_t n; /* nodes */
	/* Node i's children are nodes[begins[i]] to nodes[begins[i + 1]] - 1,
	 * by name. */
	uint32_t *begins, *nodes;
};

/** 0 or -ENOMEM. */
int sc_children_init(struct sc_children *children,
                     const struct syscap_profile *profile,
                     const struct syscap_view *view);
void sc_children_fini(struct sc_children *children);

#endif
