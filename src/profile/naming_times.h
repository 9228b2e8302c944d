/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming_times.h - code that came and went.
 *
 *	sc_again_begin(&again, naming, who, stacks);
 *	sc_again_look(&again, &stack, time);	for each that has one
 *	sc_again_end(&again);
 */
#ifndef SC_PROFILE_NAMING_TIMES_H
#define SC_PROFILE_NAMING_TIMES_H

#include "data/array.h"
#include "profile/naming.h"

struct sc_again {
	struct sc_naming *naming;
	const struct sc_who *who;
	struct sc_stacks *stacks;
	unsigned char *varies; /* of each stack: some location of it may */
	size_t n;              /* stacks that there were; 0: none varies */
	SC_ARRAY(uint32_t) path;
};

/** All locations have names.  0 or -ENOMEM. */
int sc_again_begin(struct sc_again *again, struct sc_naming *naming,
                   const struct sc_who *who, struct sc_stacks *stacks);
void sc_again_end(struct sc_again *again);

/** *@stack becomes the one that it was at @time.  0 or -ENOMEM. */
int sc_again_look(struct sc_again *again, uint32_t *stack, int64_t time);

#endif
