/* SPDX-License-Identifier: BSD-2-Clause */
/* claim.c - rights that only one copy of the library in a process may have. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "copies/copies.h"
#include "os/machine.h"

#define PLACE_SIZE      UINT64_C(0x10000)
#define PLACE_OF(claim) (SYC_CLAIMS_BEGIN + 2 * (uint64_t)(claim)*PLACE_SIZE)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static bool is_mapped[2]; /* this copy, or an ancestor's, has mapped the
                           * claim */

bool syc_claim_take(enum syc_claim claim)
{
	void *const place = (void *)(uintptr_t)PLACE_OF(claim);
	void *const got = mmap(place, PLACE_SIZE, PROT_NONE,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
	                               MAP_FIXED_NOREPLACE,
	                       -1, 0);

	if (got == MAP_FAILED)
		return errno != EEXIST;
	if (got != place) {
		/* Linux < 4.17 takes the address as a hint.  On such a kernel,
		 * copies with different numbers do not find each other. */
		munmap(got, PLACE_SIZE);
		return true;
	}
	madvise(got, PLACE_SIZE, MADV_DONTFORK);
	is_mapped[claim] = true;
	return true;
}

void syc_claim_give(enum syc_claim claim)
{
	if (is_mapped[claim])
		munmap((void *)(uintptr_t)PLACE_OF(claim), PLACE_SIZE);
	is_mapped[claim] = false;
}
