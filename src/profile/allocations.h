/* SPDX-License-Identifier: BSD-2-Clause */
/* allocations.h - what was allocated, where, and what became of it. */
#ifndef SYC_PROFILE_ALLOCATIONS_H
#define SYC_PROFILE_ALLOCATIONS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/who.h"

/** All zero is empty. */
struct syc_allocations {
	SYC_ARRAY(struct syscap_profile_allocation) items;
	struct syscap_profile_heap heap;
	uint32_t peak; /* the allocation that made it the most */
	size_t n_settled;
};

void syc_allocations_fini(struct syc_allocations *allocations);

/** Which allocation each free ends.  0 or -ENOMEM. */
int syc_allocations_settle(struct syc_allocations *allocations,
                           const struct syc_who *who);

/** What @number counts of @of: bytes; 0: nothing. */
uint64_t syc_allocations_amount(const struct syc_allocations *allocations,
                                size_t number, enum syscap_view_of of);

#endif
