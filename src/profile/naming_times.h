/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming_times.h - code that came and went.
 *
 *	syc_again_begin(&again, naming, who, stacks);
 *	syc_again_look(&again, &stack, time);	for each that has one
 *	syc_again_end(&again);
 */
#ifndef SYC_PROFILE_NAMING_TIMES_H
#define SYC_PROFILE_NAMING_TIMES_H

#include "data/array.h"
#include "profile/naming.h"

struct syc_again {
	struct syc_naming *naming;
	const struct syc_who *who;
	struct syc_stacks *stacks;
	unsigned char *varies; /* of each stack: some location of it may */
	size_t n;              /* stacks that there were; 0: none varies */
	SYC_ARRAY(uint32_t) path;
};

/** All locations have names.  0 or -ENOMEM. */
int syc_again_begin(struct syc_again *again, struct syc_naming *naming,
                    const struct syc_who *who, struct syc_stacks *stacks);
void syc_again_end(struct syc_again *again);

/** *@stack becomes the one that it was at @time.  0 or -ENOMEM. */
int syc_again_look(struct syc_again *again, uint32_t *stack, int64_t time);

#endif
