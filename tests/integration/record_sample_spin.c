/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_spin.c - a program that uses processor time in functions whose
 * names a test looks for.
 *
 *	record_sample_spin MS		runs for MS of this thread's time
 *	record_sample_spin MS FILE	also makes FILE half-way
 *	record_sample_spin MS FILE GO	then continues until the file GO exists,
 *					and for MS more
 *
 * Built twice, the second time with other names (REBUILT), like a program
 * rebuilt by a developer while it runs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef REBUILT
#define SPIN(name) other_##name
#else
#define SPIN(name) spin_##name
#endif

#define PART (20 * INT64_C(1000000)) /* ns */

static volatile uint64_t result;

static int64_t used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

__attribute__((noinline, used)) static void SPIN(inner)(int64_t until)
{
	uint64_t state = 1;

	do {
		for (int i = 0; i < 100000; i++)
			state = state * 6364136223846793005u + 1;
		result += state;
	} while (used() < until);
}

__attribute__((noinline, used)) static void SPIN(middle)(int64_t until)
{
	SPIN(inner)(until);
	result++; /* no tail call */
}

__attribute__((noinline, used)) static void SPIN(outer)(int64_t ns)
{
	const int64_t end = used() + ns;

	while (used() < end)
		SPIN(middle)(used() + PART);
	result++;
}

int main(int argc, char **argv)
{
	const int64_t ns = (argc > 1 ? atoi(argv[1]) : 100) * INT64_C(1000000);

	SPIN(outer)(ns / 2);
	if (argc > 2)
		close(open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (argc > 3 && access(argv[3], F_OK) != 0)
		SPIN(outer)(PART);
	SPIN(outer)(ns / 2);
	return 0;
}
