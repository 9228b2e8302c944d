/* SPDX-License-Identifier: BSD-2-Clause */
/* time_left.h - rest of a wait that was interrupted. */
#ifndef SYC_PRELOAD_TIME_LEFT_H
#define SYC_PRELOAD_TIME_LEFT_H

#include <stdint.h>
#include <time.h>

#include <syscap.h>

/**
 * The rest of the wait for @asked that began at @began of syscap_clock(); at
 * least 0.
 */
static inline struct timespec syc_time_left(const struct timespec *asked,
                                            int64_t began)
{
	const int64_t second = 1000000000;
	const int64_t passed = syscap_clock() - began;
	struct timespec left = *asked;

	left.tv_sec -= passed / second;
	left.tv_nsec -= passed % second;
	if (left.tv_nsec < 0) {
		left.tv_nsec += second;
		left.tv_sec--;
	}
	return left.tv_sec < 0 ? (struct timespec){ 0, 0 } : left;
}

#endif
