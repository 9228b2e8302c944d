/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_plugin.c - a library that burns processor time.  With
 * WITH_SAMPLER it contains a sampler.
 */
#define _GNU_SOURCE
#include "integration/record_sample_plugin.h"

#include <time.h>

#ifdef WITH_SAMPLER
#include <syscap/sampler.h>

SYSCAP_WITH_SAMPLER;
#endif

static volatile unsigned long result;

static long used_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void record_sample_plugin(unsigned ms)
{
	const long end = used_ms() + (long)ms;

	do {
		for (int i = 0; i < 100000; i++)
			result += (unsigned long)i;
	} while (used_ms() < end);
}
