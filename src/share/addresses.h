/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * addresses.h - where copies of the library meet: addresses that all of them know.
 *
 * Neither the kernel nor the sanitizers' shadows put anything there by
 * themselves: on x86-64 it is below where executables are loaded, among what
 * all sanitizers take for the program's; elsewhere in the first 64 GiB, which
 * every size of address space has.
 *
 * Pages (page.h) and claims (claim.h) take turns, a largest page each.
 */
#ifndef SYC_ADDRESSES_H
#define SYC_ADDRESSES_H

#include <stdint.h>

#if defined(__x86_64__)
#define SYC_PLACE_FIRST UINT64_C(0x551000000000)
#else
#define SYC_PLACE_FIRST UINT64_C(0xE10000000)
#endif

#define SYC_PLACE_SIZE UINT64_C(0x10000)

/** The address of the page by which copies of @number find each other. */
#define SYC_PLACE_OF_PAGE(number) \
	(SYC_PLACE_FIRST + 2 * (uint64_t)(number)*SYC_PLACE_SIZE)

/** The address of a claim.  Copies of all numbers know the same one, and it
 * never changes. */
#define SYC_PLACE_OF_CLAIM(claim) \
	(SYC_PLACE_FIRST + (2 * (uint64_t)(claim) + 1) * SYC_PLACE_SIZE)

#endif
