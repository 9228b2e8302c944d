/* SPDX-License-Identifier: BSD-2-Clause */
/* allocation.c - ALLOCATION frames. */
#define _GNU_SOURCE
#include "emit/ring_source.h"
#include "emit/sample.h"

SYC_EMITS_ADDRESSES;

void syscap_allocation(uint64_t address, int64_t size,
                       int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                        void *user),
                       void *user)
{
	syc_allocation(address, size, backtrace, user);
}
