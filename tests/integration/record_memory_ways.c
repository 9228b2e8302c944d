/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory_ways.c - behaviours of a recorded program:
 *
 *	jumps N US	a handler leaves malloc() N times by siglongjmp(), at most
 *			once in US microseconds.  Then there are 1,000
 *			allocations of 4,321 bytes.  Needs an allocator that such
 *			jumps may leave
 *	fails		109 MB in pieces of 1,000 bytes, one at a time; after
 *			each of the last 100 pieces an allocation of 500,000
 *			bytes fails
 *	forks N		N children allocate 4 MB each in pieces of 1,000 bytes
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile sig_atomic_t is_inside;

static void leave(int number)
{
	(void)number;
	if (is_inside)
		siglongjmp(out, 1);
}

static int jump(int n, int us)
{
	const struct itimerval often = { { 0, us }, { 0, us } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	volatile int left = n;

	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &often, NULL);
	if (sigsetjmp(out, 1) != 0) {
		is_inside = 0;
		left--;
	}
	while (left > 0) {
		is_inside = 1;
		free(malloc(64));
		is_inside = 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 1000; i++)
		if (malloc(4321) == NULL)
			return 1;
	return 0;
}

static int fail(void)
{
	const struct rlimit none = { 1, 1 };
	void *volatile block;

	/* The recorder's sample includes some of these blocks, so the thread
	 * gets its ring */
	for (unsigned i = 0; i < 9000; i++) {
		block = malloc(1000);
		free(block);
	}
	if (setrlimit(RLIMIT_AS, &none) != 0)
		return 1;
	for (unsigned i = 0; i < 100000; i++) {
		block = malloc(1000);
		if (block == NULL)
			return 2;
		free(block);
		block = malloc(500000);
		if (block != NULL)
			return 3;
	}
	return 0;
}

static int fork_all(int n)
{
	int r = 0, status;

	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			for (unsigned k = 0; k < 4000; k++)
				if (malloc(1000) == NULL)
					_exit(1);
			_exit(0);
		}
	while (wait(&status) > 0)
		r |= status;
	return r != 0;
}

int main(int argc, char **argv)
{
	const int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 1 && strcmp(argv[1], "jumps") == 0)
		return jump(n, argc > 3 ? atoi(argv[3]) : 150);
	if (argc > 1 && strcmp(argv[1], "fails") == 0)
		return fail();
	return fork_all(n);
}
