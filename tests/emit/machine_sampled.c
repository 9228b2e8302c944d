/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_sampled.c - a program whose stacks are known, for machine.sh: of a
 * call, and of ticks. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#define OWN_FRAME __attribute__((noinline))

static volatile unsigned sink;

static OWN_FRAME void takes_a_stack(void)
{
	for (int i = 0; i < 10; i++)
		syscap_sample(syscap_backtrace, NULL);
	sink++;
}

static OWN_FRAME void calls_taker(void)
{
	takes_a_stack();
	sink++;
}

/* Run until 50 samples are taken, or for 5 seconds. */
static OWN_FRAME void ticked(void)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };
	const time_t end = time(NULL) + 5;

	do {
		for (int i = 0; i < 100000; i++)
			sink += (unsigned)i;
		syscap_sampler_get_stats(&stats);
	} while (stats.n_samples < 50 && time(NULL) < end);
}

static OWN_FRAME void calls_ticked(void)
{
	ticked();
	sink++;
}

/* With an argument, the timers of this machine's kernel work. */
int main(int argc, char **argv)
{
	struct syscap_sampler_options options = {
		.size = sizeof(options),
		.clock = SYSCAP_SAMPLER_WALL,
	};

	(void)argv;
	calls_taker();
	if (syscap_sampler_start(&options) != 0) {
		fprintf(stderr, "%s\n", options.message);
		return 1;
	}
	if (argc > 1)
		calls_ticked();
	return syscap_sampler_stop() == 0 ? 0 : 2;
}
