/* SPDX-License-Identifier: BSD-2-Clause */
/* test_throttle.c - the maximum share of a thread's time for its ticks. */
#define _GNU_SOURCE
#include <time.h>

#include <syscap/sampler.h>

#include "harness/test.h"
#include "sampler/state.h"
#include "sampler/tick.h"

static int64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void burn_us(int64_t us)
{
	const int64_t until = cpu_now() + us * 1000;

	while (cpu_now() < until)
		;
}

static struct syc_target *begin(unsigned share)
{
	static struct syc_target target;

	CHECK_EQ(syc_state_map(), 0);
	syc_sampler->clock = SYSCAP_SAMPLER_CPU;
	syc_sampler->period_ns = 50000;
	syc_sampler->max_share = share;
	target = (struct syc_target){ .tid = 1 };
	return &target;
}

/* Runs ticks of @us for 0.4 s of processor time; returns their share in
 * percent. */
static int64_t share_of(struct syc_target *t, int64_t us, unsigned *ret_n)
{
	const int64_t from = cpu_now();
	int64_t spent = 0, now;
	struct syc_throttle pace;

	*ret_n = 0;
	while ((now = cpu_now()) < from + 400000000) {
		if (syc_throttle_begin(t, &pace)) {
			burn_us(us);
			syc_throttle_end(t, &pace);
			spent += cpu_now() - now;
			++*ret_n;
		}
		burn_us(5);
	}
	return spent * 100 / (now - from);
}

TEST(long_ticks_get_at_most_their_share)
{
	unsigned n;

	CHECK(share_of(begin(10), 400, &n) <= 13);
	CHECK(n >= 30);
	CHECK(share_of(begin(50), 400, &n) <= 55);
	CHECK(n >= 150);
}

TEST(share_of_100_percent_skips_nothing)
{
	unsigned n;

	share_of(begin(100), 400, &n);
	CHECK(n >= 450);
}

TEST(short_ticks_after_a_long_one_are_kept)
{
	struct syc_target *const t = begin(10);
	struct syc_throttle pace;
	unsigned n;

	share_of(t, 400, &n);
	CHECK(t->rest_until != 0);
	for (n = 0; n < 100; n++) { /* 100 ticks in a row */
		if (syc_throttle_begin(t, &pace)) {
			syc_throttle_end(t, &pace);
		} else {
			burn_us(10);
			n = 0;
		}
	}
	CHECK_EQ(n, 100);
}

TEST(waits_for_a_processor_do_not_count)
{
	struct syc_target *const t = begin(10);
	struct syc_throttle pace;

	/* a long period, as sleeping itself takes little processor time */
	syc_sampler->period_ns = 10000000;
	for (int i = 0; i < 20; i++) {
		CHECK(syc_throttle_begin(t, &pace));
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		syc_throttle_end(t, &pace);
	}
	CHECK(t->taken_ns < 2000000); /* processor time */
}
