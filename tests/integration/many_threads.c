/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many_threads.c - `many_threads READY GO MS`: a program that makes the file
 * READY and waits for the file GO.  Then it runs many threads at once, which
 * emit for MS milliseconds.  Prints at its end the numbers of sent and lost
 * events.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#define N_THREADS 48

static unsigned n_sent;
static int64_t end_ms;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void *emit(void *unused)
{
	do {
		SYSCAP_INSTANT("many", "sent", NULL);
		__atomic_add_fetch(&n_sent, 1, __ATOMIC_RELAXED);
		usleep(5000);
	} while (now_ms() < end_ms);
	return unused;
}

int main(int argc, char **argv)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	pthread_t threads[N_THREADS];

	if (argc != 4)
		return 2;
	fclose(fopen(argv[1], "w"));
	while (access(argv[2], F_OK) != 0)
		usleep(1000);
	end_ms = now_ms() + atoi(argv[3]);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, emit, NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	syscap_get_stats(&stats);
	printf("%u %llu\n", n_sent, (unsigned long long)stats.n_dropped);
	return stats.is_active ? 0 : 1;
}
