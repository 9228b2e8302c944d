/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.c - every kind of event several times, and a list of events on stdout:
 *
 *	mark GROUP NAME COUNT
 *	counter CATEGORY NAME LAST
 *	log COUNT
 *
 * The list shows whether a recorder gets all events.
 */
#include <pthread.h>
#include <stdio.h>

#include <syscap.h>

#define N_THREADS 3
#define N_MARKS   200

SYSCAP_COUNTER(rounds, "events", "rounds", "Rounds done", SYSCAP_INT64);
SYSCAP_COUNTER(ratio, "events", "ratio", "A number with a fraction",
               SYSCAP_DOUBLE);

static void *emit(void *unused)
{
	for (int i = 0; i < N_MARKS; i++) {
		SYSCAP_SCOPE("events", "scope");
		SYSCAP_INSTANT("events", "instant", "an instant");
	}
	return unused;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, emit, NULL) != 0)
			return 1;
	for (int i = 0; i < 50; i++) {
		SYSCAP_COUNTER_SET(rounds, i + 1);
		SYSCAP_COUNTER_SET(ratio, (i + 1) / 4.0);
		SYSCAP_LOG_PRINTF(SYSCAP_INFO, "events", "round %d", i);
		SYSCAP_MARK_PRINTF("events", "printf", syscap_clock(), 0,
		                   "round %d", i);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("mark events scope %d\n", N_THREADS * N_MARKS);
	printf("mark events instant %d\n", N_THREADS * N_MARKS);
	printf("mark events printf 50\n");
	printf("counter events rounds 50\n");
	printf("counter events ratio 12.5\n");
	printf("log 50\n");
	return 0;
}
