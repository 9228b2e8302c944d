/* SPDX-License-Identifier: BSD-2-Clause */
/* allocations.h - what was allocated, where, and what became of it. */
#ifndef SC_PROFILE_ALLOCATIONS_H
#define SC_PROFILE_ALLOCATIONS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/who.h"

/** All zero is empty. */
struct sc_allocations {
	SC_ARRAY(struct syscap_profile_allocation) items;
	struct syscap_profile_heap heap;
	size_t n_settled;
};

void sc_allocations_fini(struct sc_allocations *allocations);

/** Which allocation each free ends.  0 or -ENOMEM. */
int sc_allocations_settle(struct sc_allocations *allocations,
                          const struct sc_who *who);

/** What @number counts of @of: bytes; 0: nothing. */
uint64_t sc_allocations_amount(const struct sc_allocations *allocations,
                               size_t number, enum syscap_view_of of);

#endif
