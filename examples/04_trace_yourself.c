/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 04_trace_yourself.c - a program that records itself, without a recorder
 * process:
 *
 *	04_trace_yourself [CAPTURE]
 *
 * A program may also call syscap_start() later, after a click or at a signal.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <syscap.h>

SYSCAP_COUNTER(done, "example", "done", "Rounds of work", SYSCAP_INT64);
static atomic_int rounds;

static double work(int n)
{
	SYSCAP_SCOPE("example", "work");
	double sum = 0;

	for (int i = 1; i < n; i++)
		sum += 1.0 / i;
	return sum;
}

static void *run(void *sum)
{
	for (int i = 1; i <= 100; i++) {
		*(double *)sum += work(10000);
		SYSCAP_COUNTER_SET(done, atomic_fetch_add(&rounds, 1) + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct syscap_options options = {
		.size = sizeof(options),
		.output = argc > 1 ? argv[1] : "self.syscap",
	};
	double sums[2] = { 0, 0 };
	pthread_t thread;

	if (syscap_start(&options) != 0) {
		fprintf(stderr, "not recorded: %s\n", options.message);
		return 1;
	}
	const int r = pthread_create(&thread, NULL, run, &sums[0]);
	run(&sums[1]);
	if (r == 0)
		pthread_join(thread, NULL);

	const int stopped = syscap_stop();
	if (stopped != 0) {
		fprintf(stderr, "%s is not all there: %s\n", options.message,
		        strerror(-stopped));
		return 1;
	}
	printf("%f\n", sums[0] + sums[1]);
	/* message: the file's name, perhaps with a suffix */
	puts(options.message);
	return 0;
}
