/* SPDX-License-Identifier: BSD-2-Clause */
/* claim.c - what only one copy of the library in a process may do. */
#define _GNU_SOURCE
#include "share/claim.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "share/addresses.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static bool is_mapped[2]; /* by this copy, or an ancestor's */

bool syc_claim_take(enum syc_claim claim)
{
	void *const place = (void *)SYC_PLACE_OF_CLAIM(claim);
	void *const got = mmap(place, SYC_PLACE_SIZE, PROT_NONE,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
	                               MAP_FIXED_NOREPLACE,
	                       -1, 0);

	if (got == MAP_FAILED)
		return errno != EEXIST;
	if (got != place) {
		/* Linux < 4.17: it took the place for a wish.  There, copies
		 * don't know of each other. */
		munmap(got, SYC_PLACE_SIZE);
		return true;
	}
	madvise(got, SYC_PLACE_SIZE, MADV_DONTFORK);
	is_mapped[claim] = true;
	return true;
}

bool syc_claim_is_taken(enum syc_claim claim)
{
	unsigned char is_resident;

	return mincore((void *)SYC_PLACE_OF_CLAIM(claim), 1, &is_resident) == 0;
}

void syc_claim_give(enum syc_claim claim)
{
	if (is_mapped[claim])
		munmap((void *)SYC_PLACE_OF_CLAIM(claim), SYC_PLACE_SIZE);
	is_mapped[claim] = false;
}
