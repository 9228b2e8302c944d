/* SPDX-License-Identifier: BSD-2-Clause */
/* pace.c - the share of a thread's time that its ticks may take. */
#define _GNU_SOURCE
#include "sample/pace.h"

#include <time.h>

#include "os/kernel_clock.h"
#include "ring/clock.h"
#include "sample/state.h"

/* Ticks that are measured after one that seemed to take long */
#define N_MEASURED 8u

/* A tick that takes more than this part of the period seems long */
#define LONG_PART 20

/* 0: not asked for.  A call that a box of the program's may forbid. */
static int64_t measure_cpu_time(const struct syc_target *t)
{
	return t->n_measured == 0 || syc_state_is_boxed(syc_sampler)
	               ? 0
	               : syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* A thread's time is what its ticks are of. */
static int64_t thread_time(const struct syc_pace *pace)
{
	return syc_sampler->clock == SYSCAP_SAMPLER_WALL || pace->cpu_ns == 0
	               ? pace->kernel_ns
	               : pace->cpu_ns;
}

/* How long nothing may follow what took @ns. */
static int64_t rest_after(int64_t ns)
{
	const int64_t share = syc_sampler->max_share;

	return ns * (100 - share) / share;
}

bool syc_pace_begin(struct syc_target *t, struct syc_pace *ret_pace)
{
	*ret_pace =
		(struct syc_pace){ syc_clock_kernel(), measure_cpu_time(t) };
	return thread_time(ret_pace) >= t->rest_until;
}

void syc_pace_end(struct syc_target *t, const struct syc_pace *pace)
{
	const struct syc_pace now = { syc_clock_kernel(), measure_cpu_time(t) };
	const bool is_measured = pace->cpu_ns != 0 && now.cpu_ns != 0;
	const int64_t took = is_measured ? now.cpu_ns - pace->cpu_ns
	                                 : now.kernel_ns - pace->kernel_ns;

	const bool seems_long = took * LONG_PART > syc_sampler->period_ns;
	const bool is_too_long = rest_after(took) > syc_sampler->period_ns;

	/* One that seems long may have waited for a processor */
	if (took > 0 && (is_measured || !seems_long))
		__atomic_store_n(&t->taken_ns, t->taken_ns + (uint64_t)took,
		                 __ATOMIC_RELAXED);
	t->rest_until = 0;
	/* What only seems long is no reason yet */
	if (is_too_long && (is_measured || syc_state_is_boxed(syc_sampler)))
		t->rest_until = thread_time(&now) + rest_after(took);
	if (seems_long || is_too_long)
		t->n_measured = N_MEASURED;
	else
		t->n_measured -= t->n_measured != 0;
}
