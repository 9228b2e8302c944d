/* SPDX-License-Identifier: BSD-2-Clause */
/* around.h - who calls a function, and what it calls. */
#ifndef SYC_VIEW_AROUND_H
#define SYC_VIEW_AROUND_H

#include <syscap/profile.h>

#include "data/array.h"

struct syc_neighbour {
	uint32_t function; /* ROOT: it is outermost there */
	uint64_t amount;   /* of the function's total, what goes that way */
};

/**
 * Callers add up to the function's total; callees and its self, too: where it
 * calls itself, only what comes from outside, and what goes outside, counts.
 */
struct syc_around {
	SYC_ARRAY(struct syc_neighbour) callers; /* the least first */
	SYC_ARRAY(struct syc_neighbour) callees; /* the largest first */
	uint64_t total, self;
};

/** 0 or -ENOMEM; what was there is forgotten. */
int syc_around_find(struct syc_around *around,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view, uint32_t function);
void syc_around_fini(struct syc_around *around);

#endif
