/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linked.h - operations and arrows of a view.  An operation is in it where a
 * mark of it is, an arrow where both of its marks are.
 */
#ifndef SYC_EXPORT_LINKED_H
#define SYC_EXPORT_LINKED_H

#include <stdbool.h>

#include <syscap/profile.h>

/** An end of an arrow. */
struct syc_flow {
	uint32_t mark, arrow;
	bool is_in;
};

struct syc_linked {
	const struct syscap_profile_operation *operations;
	const struct syscap_profile_arrow *arrows;
	size_t n_operations, n_arrows;
	unsigned char *has_operation, *has_arrow; /* by number */
	/* Operation i's steps are the marks steps[begins[i]] to
	 * steps[begins[i + 1]] - 1, by time. */
	uint32_t *begins, *steps;
	struct syc_flow *flows; /* by mark */
	size_t n_flows;
};

/** 0 or -ENOMEM. */
int syc_linked_init(struct syc_linked *linked,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view);
void syc_linked_fini(struct syc_linked *linked);

/** The first of @mark's flows; the others follow it.  NULL: it has none. */
const struct syc_flow *syc_linked_flows(const struct syc_linked *linked,
                                        uint32_t mark);

/** Whether two operations have one process, group and id: the second is
 * another turn of the first. */
bool syc_linked_is_same(const struct syc_linked *linked,
                        const struct syscap_profile *profile, size_t one,
                        size_t other);

#endif
