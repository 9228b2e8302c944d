/* SPDX-License-Identifier: BSD-2-Clause */
/* now.h - the clock of captures: CLOCK_MONOTONIC, ns. */
#ifndef SC_RECORD_NOW_H
#define SC_RECORD_NOW_H

#include <stdint.h>
#include <time.h>

static inline int64_t sc_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

#endif
