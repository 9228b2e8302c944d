/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_heavy.c - a program that emits for some seconds:
 *
 *	mark_heavy MILLISECONDS BURST FILE
 *
 * Emits a burst of BURST marks every 5 ms, few enough for small rings; 0: no
 * marks.  Writes the number of marks, and its processor time in seconds, to
 * FILE.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <syscap.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	struct rusage usage;

	if (argc != 4)
		return 2;
	const long bursts = strtol(argv[1], NULL, 10) / 5;
	const long each = strtol(argv[2], NULL, 10);
	for (long i = 0; i < bursts; i++) {
		for (long k = 0; k < each; k++)
			SYSCAP_MARK("bench", "mark", syscap_clock(), 10, NULL);
		nanosleep(&pause, NULL);
	}
	FILE *const file = fopen(argv[3], "w");
	if (file == NULL || getrusage(RUSAGE_SELF, &usage) != 0)
		return 1;
	fprintf(file, "%ld %.6f\n", bursts * each,
	        seconds(usage.ru_utime) + seconds(usage.ru_stime));
	return fclose(file) != 0;
}
