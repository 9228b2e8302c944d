/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_linked.c - a program with its own sampler: writes the number of
 * samples to the file of its argument.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

#include <syscap.h>
#include <syscap/sampler.h>

static volatile unsigned long result;

static void work(double seconds)
{
	struct timespec now;

	do {
		for (int i = 0; i < 1000000; i++)
			result += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < seconds);
}

int main(int argc, char **argv)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };
	FILE *file;

	work(0.3);
	syscap_sampler_stop();
	syscap_sampler_get_stats(&stats);
	file = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (file == NULL)
		return 1;
	fprintf(file, "%llu\n", (unsigned long long)stats.n_samples);
	return fclose(file) != 0;
}
