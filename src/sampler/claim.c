/* SPDX-License-Identifier: BSD-2-Clause */
/* claim.c - of several copies of this library in one process, one samples. */
#define _GNU_SOURCE
#include "sampler/claim.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/*
 * Where neither the kernel nor the sanitizers' shadows put anything by
 * themselves: on x86-64 below where executables are loaded; on aarch64 in the
 * first 64 GiB, which every size of address space has.
 */
#if defined(__x86_64__)
#define PLACE ((void *)UINT64_C(0x551000010000))
#else
#define PLACE ((void *)UINT64_C(0xE10010000))
#endif
#define SIZE 65536 /* of the largest page */

static bool is_mapped; /* by this copy, or an ancestor's */

bool sc_claim_take(void)
{
	void *const got = mmap(PLACE, SIZE, PROT_NONE,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
	                               MAP_FIXED_NOREPLACE,
	                       -1, 0);

	if (got == MAP_FAILED)
		return errno != EEXIST;
	if (got != PLACE) {
		/* Linux < 4.17: it took the place for a wish.  There, copies
		 * don't know of each other. */
		munmap(got, SIZE);
		return true;
	}
	madvise(got, SIZE, MADV_DONTFORK);
	is_mapped = true;
	return true;
}

void sc_claim_give(void)
{
	if (is_mapped)
		munmap(PLACE, SIZE);
	is_mapped = false;
}
