/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soak.c - a program that has the sampler and records itself, and whose threads
 * are sampled 20,000 times a second in all.
 *
 *	soak SECONDS CAPTURE
 *
 * Prints the sampler's counts.  Exits 0, or 1 if a thread was harmed.
 */
#include <stdio.h>
#include <stdlib.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "harness/tsan.h"
#include "sampler/soak_deeds.h"

#define TOTAL_HZ 20000u

static void stop(void)
{
	if (syscap_sampler_stop() != 0)
		soak_harmed("sampling did not stop");
}

static void report(int64_t ns)
{
	struct syscap_sampler_stats s = { .size = sizeof(s) };
	struct syscap_stats all = { .size = sizeof(all) };
	const double seconds = (double)ns / 1e9;

	syscap_sampler_get_stats(&s);
	syscap_get_stats(&all);
	printf("%.1f s: %.0f samples a second taken, %.0f due, %.0f requested;"
	       " %llu overruns; %llu cut, %llu stopped, %llu refused, "
	       "%llu foreign; %llu frames dropped\n",
	       seconds, (double)s.n_samples / seconds,
	       (double)s.n_due / seconds, (double)TOTAL_HZ,
	       (unsigned long long)(s.n_due - s.n_samples),
	       (unsigned long long)s.n_cut, (unsigned long long)s.n_stopped,
	       (unsigned long long)s.n_refused, (unsigned long long)s.n_foreign,
	       (unsigned long long)all.n_dropped);
	if (s.n_samples == 0)
		soak_harmed("no samples");
}

int main(int argc, char **argv)
{
	const int seconds = argc > 1 ? atoi(argv[1]) : 3;
	struct syscap_options recording = { .size = sizeof(recording),
		                            .output = argc > 2 ? argv[2] : NULL,
		                            .ring_kib = 1024 };
	struct syscap_sampler_options options = {
		.size = sizeof(options),
		.clock = SYSCAP_SAMPLER_WALL,
		.hz = TOTAL_HZ / (SOAK_N_DEEDS + 1),
	};

	if (argc <= 2 || syscap_start(&recording) != 0 ||
	    syscap_sampler_start(&options) != 0) {
		fprintf(stderr, "soak: %s %s\n", recording.message,
		        options.message);
		return 2;
	}
	/* Under ThreadSanitizer no thread ends while it is sampled */
	const int64_t passed =
		soak_run(seconds, soak_deeds,
	                 TEST_HAS_TSAN ? SOAK_N_FOR_TSAN : SOAK_N_DEEDS,
	                 TEST_HAS_TSAN ? stop : NULL);
	if (!TEST_HAS_TSAN)
		stop();
	report(passed);
	if (syscap_stop() != 0)
		soak_harmed("the recording did not end");
	return soak_count_harmed() != 0;
}
