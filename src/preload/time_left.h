/* SPDX-License-Identifier: BSD-2-Clause */
/* time_left.h - for the part of a wait that comes after one that was cut short. */
#ifndef SYC_PRELOAD_TIME_LEFT_H
#define SYC_PRELOAD_TIME_LEFT_H

#include <stdint.h>
#include <time.h>

#include <syscap.h>

/** What is left of @asked, of which all was left at @began of syscap_clock();
 * 0 at the least. */
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
