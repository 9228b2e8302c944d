/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_marks.c - a program that emits a mark and computes for a while.
 * With WITH_SAMPLER it has the sampler linked and still calls nothing of it.
 */
#define _GNU_SOURCE
#include <time.h>

#include <syscap.h>
#include <syscap/sampler.h>

#ifdef WITH_SAMPLER
SYSCAP_WITH_SAMPLER;
#endif

static volatile unsigned long result;

int main(void)
{
	struct timespec now;

	SYSCAP_INSTANT("test", "good", "0");
	do {
		for (int i = 0; i < 1000000; i++)
			result += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 300000000);
	return 0;
}
