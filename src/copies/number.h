/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.h - which copies of the library act as one: those that were built
 * with the same number.
 *
 * They share memory, so they have to agree on every struct in it and on the
 * order in which its fields are stored.  Nothing of that is promised before
 * 1.0 (decision 0017): whoever changes it raises the number.
 * tests/copies/layout.txt has the offsets and sizes that belong to it.
 *
 * Copies of another number are strangers in the same process: they have their
 * own block, rings and drain thread.  What they must not do twice is
 * kept apart by the kernel's locks (session/record_lock.h), by claims (claim.h),
 * and by ids of their own, below.
 */
#ifndef SYC_COPIES_NUMBER_H
#define SYC_COPIES_NUMBER_H

#include <stdint.h>

#ifndef SYC_COPIES_NUMBER /* tests build copies of other numbers */
#define SYC_COPIES_NUMBER 24u
#endif

/** What ids are for. */
enum syc_number_use {
	SYC_NUMBER_COUNTERS = 4,
	SYC_NUMBER_NAMES,
};

/** Who gives ids. */
enum syc_number_giver {
	SYC_NUMBER_TOGETHER, /* copies that act as one */
	SYC_NUMBER_ALONE,    /* a copy with a block that nobody finds */
	SYC_NUMBER_EARLY,    /* a copy that has no block (yet) */
};

/**
 * Where @giver's ids begin, of @n_ids that go round in a circle.  In the half
 * behind a place that a hash of the process gives, sixteen numbers in a row
 * have an equal share each.  In the other half, who knows of nobody begins
 * anywhere in the quarter of its kind.
 *
 * Context: any-thread, signal-safe.
 */
uint32_t syc_number_first_id(enum syc_number_use use,
                             enum syc_number_giver giver, uint32_t n_ids);

#endif
