/* SPDX-License-Identifier: BSD-2-Clause */
/* now.h - the clock of captures: CLOCK_MONOTONIC, ns. */
#ifndef SYC_RECORD_NOW_H
#define SYC_RECORD_NOW_H

#include <stdint.h>
#include <time.h>

static inline int64_t syc_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

#endif
