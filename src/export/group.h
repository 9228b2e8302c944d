/* SPDX-License-Identifier: BSD-2-Clause */
/* group.h - rows of a profile by what they are of, and by time in there. */
#ifndef SYC_EXPORT_GROUP_H
#define SYC_EXPORT_GROUP_H

#include <stddef.h>
#include <stdint.h>

/** What is grouped. */
struct syc_group_rows {
	size_t n; /* at most UINT32_MAX */
	size_t n_groups;
	/* The row's group; SYSCAP_PROFILE_NONE leaves it out. */
	uint32_t (*group_of)(const void *data, uint32_t row);
	int64_t (*time_of)(const void *data, uint32_t row);
	const void *data;
};

/** All zero is empty. */
struct syc_group {
	/* Those of group g are rows[begins[g]] to rows[begins[g + 1]] - 1, by
	 * time, equal ones by number. */
	size_t *begins;
	uint32_t *rows;
};

/** 0 or -ENOMEM.  To be ended in any case. */
int syc_group_init(struct syc_group *group, const struct syc_group_rows *rows);
void syc_group_fini(struct syc_group *group);

#endif
