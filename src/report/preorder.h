/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preorder.h - a view's tree in the order in which a page holds it: each node
 * before its callees, the largest callee first.  So what is below a node is a
 * run of numbers, sums go up in one loop from the back, and a node's depth
 * says all of its place.
 */
#ifndef SYC_REPORT_PREORDER_H
#define SYC_REPORT_PREORDER_H

#include <syscap/profile.h>

struct syc_preorder {
	size_t n;
	uint32_t *nodes;   /* of the view, in this order */
	uint32_t *numbers; /* in this order, by node of the view */
	uint32_t *depths;  /* in this order; the root has 0 */
};

/** 0 or -ENOMEM. */
int syc_preorder_init(struct syc_preorder *order,
                      const struct syscap_view *view);
void syc_preorder_fini(struct syc_preorder *order);

#endif
