/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_cancel.c - threads that are cancelled in calls, at any time.  Each
 * cleanup handler must run once, with the thread's signal mask.  Afterwards
 * five threads work for 60 ms each in work_after().
 *
 *	sample_cancel N
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile bool is_begun;
static volatile unsigned n_cleaned, n_blocked, sum;

static int64_t own_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void clean(void *unused)
{
	sigset_t mask;

	(void)unused;
	n_cleaned++;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	n_blocked += sigismember(&mask, SIGTERM) != 0;
}

static void *call(void *file)
{
	static char data[1 << 16];

	pthread_cleanup_push(clean, NULL);
	is_begun = true;
	for (;;)
		if (pread(*(int *)file, data, sizeof(data), 0) < 0)
			fail("pread");
	pthread_cleanup_pop(0);
	return NULL;
}

__attribute__((noinline)) static void work_after(void)
{
	while (own_us() < 60000)
		sum++;
}

static void *work(void *unused)
{
	work_after();
	return unused;
}

int main(int argc, char **argv)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	unsigned seed = 3;
	pthread_t thread;
	void *result;

	for (unsigned i = 0; i < n; i++) {
		is_begun = false;
		if (pthread_create(&thread, NULL, call, &file) != 0)
			fail("pthread_create");
		while (!is_begun)
			sched_yield();
		usleep((useconds_t)(rand_r(&seed) % 3000));
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			fail("a thread was not cancelled");
	}
	for (int i = 0; i < 5; i++)
		if (pthread_create(&thread, NULL, work, NULL) != 0 ||
		    pthread_join(thread, NULL) != 0)
			fail("a thread");
	if (n_cleaned == n && n_blocked == 0)
		return 0;
	fprintf(stderr, "of %u: %u cleaned up, %u with signals blocked\n", n,
	        n_cleaned, n_blocked);
	return 1;
}
