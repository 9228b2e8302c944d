/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_ends.c - a program that does everything that the recorder collects, in
 * rounds: record_ends ROUNDS kill|exit, or record_ends FILE, which ends when
 * FILE exists.
 *
 * A round is an allocation that is kept, a sleep, a line of syslog, a line on
 * standard error, and a loop iteration that takes too long.  The program prints
 * the number of rounds, and ends with status 7 or by a SIGKILL.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void keep_block(void)
{
	kept = malloc(1000);
}

static void stand_still(void)
{
	struct timespec now, begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec -
	                 begin.tv_nsec <
	         3000000);
}

static void do_round(unsigned n)
{
	const struct timespec while_ms = { 0, 1000000 };
	struct pollfd none = { -1, 0, 0 };
	char line[32];

	keep_block();
	nanosleep(&while_ms, NULL);
	syslog(LOG_INFO, "round %u", n);
	snprintf(line, sizeof(line), "line %u\n", n);
	if (write(2, line, strlen(line)) < 0)
		exit(3);
	stand_still();
	poll(&none, 1, 1);
}

int main(int argc, char **argv)
{
	unsigned n = 0, rounds;

	if (argc < 2)
		return 2;
	rounds = (unsigned)atoi(argv[1]);
	while (argc > 2 ? n < rounds : access(argv[1], F_OK) != 0)
		do_round(n++);
	printf("%u rounds\n", n);
	fflush(stdout);
	if (argc > 2 && strcmp(argv[2], "kill") == 0)
		raise(SIGKILL);
	return 7;
}
