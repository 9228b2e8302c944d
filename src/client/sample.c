/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - SAMPLE frames that the program makes by itself. */
#define _GNU_SOURCE
#include "client/sample.h"

void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user)
{
	sc_sample(backtrace, user, false);
}
