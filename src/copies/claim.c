/* SPDX-License-Identifier: BSD-2-Clause */
/* claim.c - what only one copy of the library in a process may do. */
#define _GNU_SOURCE
#include "copies/claim.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

/*
 * Addresses that copies of all numbers know.  Neither the kernel nor the
 * sanitizers' shadows put anything there: on x86-64 it is below where executables
 * are loaded, among the addresses that all sanitizers leave to the program;
 * elsewhere in the first 64 GiB, which every size of address space has.
 */
#if defined(__x86_64__)
#define FIRST UINT64_C(0x551000010000)
#else
#define FIRST UINT64_C(0xE10010000)
#endif
#define PLACE_SIZE      UINT64_C(0x10000)
#define PLACE_OF(claim) (FIRST + 2 * (uint64_t)(claim)*PLACE_SIZE)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static bool is_mapped[2]; /* by this copy, or an ancestor's */

bool syc_claim_take(enum syc_claim claim)
{
	void *const place = (void *)PLACE_OF(claim);
	void *const got = mmap(place, PLACE_SIZE, PROT_NONE,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
	                               MAP_FIXED_NOREPLACE,
	                       -1, 0);

	if (got == MAP_FAILED)
		return errno != EEXIST;
	if (got != place) {
		/* Linux < 4.17: it took the place for a wish.  There, copies
		 * don't know of each other. */
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
		munmap((void *)PLACE_OF(claim), PLACE_SIZE);
	is_mapped[claim] = false;
}
