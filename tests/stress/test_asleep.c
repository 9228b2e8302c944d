/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_asleep.c - the drain thread goes to sleep, and just then an event is
 * made: it must be drained all the same, by a wake-up or by the thread's last
 * look.  Each round aims at the moment, a nap after the last drain, by a
 * delay that differs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define ROUNDS 3000u
#define LATE   INT64_C(2000000000)

static uint64_t written(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_written;
}

static void spin_until(int64_t time)
{
	while (syscap_clock() < time)
		;
}

CHILD(aims)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg(),
		                          .interval_ms = 1 };
	uint64_t state = 88172645463325252u;

	CHECK_EQ(syscap_start(&options), 0);
	for (unsigned n = 0; n < ROUNDS; n++) {
		const uint64_t before = written();
		const int64_t begin = syscap_clock();

		written_mark(0, n);
		while (written() == before) {
			if (syscap_clock() - begin > LATE) {
				fprintf(stderr,
				        "round %u: the event stays in the "
				        "ring\n",
				        n);
				_exit(1);
			}
			usleep(20);
		}
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* the nap of 1 ms, the timer's slack, an empty pass */
		spin_until(syscap_clock() + 950000 + (int64_t)(state % 250000));
	}
	CHECK_EQ(syscap_stop(), 0);
}

TEST(an_event_made_while_the_drain_thread_falls_asleep_is_drained)
{
	char *const dir = written_make_dir();
	char path[300];
	struct tally t;

	snprintf(path, sizeof(path), "%s/out", dir);
	written_run("aims", path, NULL, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], ROUNDS);
	CHECK_EQ(t.gaps + t.doubles, 0);
	written_remove_dir(dir);
}
