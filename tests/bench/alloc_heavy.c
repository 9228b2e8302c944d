/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alloc_heavy.c - a program that only allocates: alloc_heavy N FILE
 *
 * Allocates blocks of 16 to 516 bytes, 1 to 16 functions deep, and frees each a
 * hundred allocations later.  Writes its processor time in seconds to FILE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define LIVE 128u

static void *live[LIVE];

__attribute__((noinline)) static void *allocate(unsigned depth, size_t size)
{
	void *block;

	if (depth == 0)
		return malloc(size);
	block = allocate(depth - 1, size);
	/* No tail call: each function has a frame */
	__asm__ volatile("");
	return block;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	FILE *const file = argc > 2 ? fopen(argv[2], "w") : stdout;
	struct rusage usage;
	unsigned random = 1;

	for (unsigned long i = 0; i < n; i++) {
		random = random * 1664525u + 1013904223u;
		free(live[i % LIVE]);
		live[i % LIVE] =
			allocate(random >> 28, 16 + (random >> 8) % 501);
	}
	for (unsigned i = 0; i < LIVE; i++)
		free(live[i]);
	getrusage(RUSAGE_SELF, &usage);
	if (file == NULL)
		return 1;
	fprintf(file, "%.6f\n",
	        seconds(usage.ru_utime) + seconds(usage.ru_stime));
	return fclose(file) != 0;
}
