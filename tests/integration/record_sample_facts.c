/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_facts.c main|thread - a program that runs while the recorder is
 * stopped. First the named thread reports that there is no sampler, and then
 * the other thread reports a sampler. The recorder reads both from two rings at
 * once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

static pthread_barrier_t barrier;

static void say_in_turn(bool is_early)
{
	SYSCAP_INSTANT("test", "good", NULL); /* this event requests a ring */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* the recorder is stopped */
	if (is_early)
		SYSCAP_METADATA("syscap.sampler", "none: not yet");
	pthread_barrier_wait(&barrier);
	if (!is_early)
		SYSCAP_METADATA("syscap.sampler", "1");
	pthread_barrier_wait(&barrier);
}

static void *other(void *is_early)
{
	say_in_turn(*(const bool *)is_early);
	return NULL;
}

static void *stop_recorder(void *nothing)
{
	pthread_barrier_wait(&barrier);
	kill(getppid(), SIGSTOP);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	kill(getppid(), SIGCONT);
	return nothing;
}

int main(int argc, char **argv)
{
	const bool is_main = argc > 1 && strcmp(argv[1], "main") == 0;
	bool is_other = !is_main;
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 3);
	/* this event requests the first ring, for the main thread */
	SYSCAP_INSTANT("test", "good", NULL);
	pthread_create(&threads[0], NULL, other, &is_other);
	pthread_create(&threads[1], NULL, stop_recorder, NULL);
	say_in_turn(is_main);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
