/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * std_fds.c - a program without standard streams that records itself, or is
 * recorded.
 *
 *	std_fds WHAT
 *
 * WHAT is `events` (10 marks in each of two threads), `start FILE` (these marks
 * after syscap_start() without a thread of the library), or `kill` (these
 * marks, then SIGKILL).  The program closes 0 to 2, if open.  During the events
 * another thread writes to 1 and 2 and reads from 0.  Exits 1 if any write
 * succeeded, or 4 if only reads succeeded.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

static volatile int is_over, n_written, n_read, n_tries;

static void try_all(void)
{
	char byte = '\n';

	n_written += write(1, &byte, 1) >= 0;
	n_written += write(2, &byte, 1) >= 0;
	n_read += read(0, &byte, 1) >= 0;
	n_tries++;
}

static void *keep_trying(void *nothing)
{
	while (is_over == 0)
		try_all();
	return nothing;
}

static void *emit(void *what)
{
	for (int i = 0; i < 10; i++) {
		SYSCAP_INSTANT("std", "mark", what);
		syscap_drain();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .flags = SYSCAP_NO_THREAD };
	pthread_t trying, emitting;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (argc < 2 || pthread_create(&trying, NULL, keep_trying, NULL) != 0)
		return 2;
	if (argc == 3) {
		options.output = argv[2];
		if (syscap_start(&options) != 0)
			return 3;
	}
	emit("first");
	if (pthread_create(&emitting, NULL, emit, "other") != 0)
		return 2;
	pthread_join(emitting, NULL);
	if (argc == 3)
		syscap_stop();
	while (n_tries < 10)
		;
	is_over = 1;
	pthread_join(trying, NULL);
	if (n_written + n_read == 0 && strcmp(argv[1], "kill") == 0)
		kill(getpid(), SIGKILL);
	return n_written != 0 ? 1 : n_read != 0 ? 4 : 0;
}
