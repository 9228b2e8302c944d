/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throttle.c - skipped ticks of threads whose ticks take long, and of threads
 * that sleep.
 *
 * A walk of 16,384 frames takes longer than a period of 20,000 Hz.  Without
 * limits, a thread with a deep stack would only execute walks.  After a long
 * tick, the handler skips ticks until the long tick's share of time is at most
 * the allowed share.  The next sample has the weight of the skipped ticks.
 *
 * The kernel's clock, which is fast to read, measures the duration of a tick.
 * If the duration is long, the thread may have been interrupted.  So the
 * following ticks are measured in the thread's processor time.
 *
 * Idle back-off: by wall time, threads that sleep are woken 1,000 times a
 * second at most.  A tick wakes a waiting thread only to find the thread in the
 * same place.  The ticks of 100 threads at 10,000 Hz would be a million
 * wake-ups a second, which occupy the whole machine.  So a thread gets a timer
 * of a millisecond if several ticks found the thread in the same place, without
 * work in between.  The slow timer's ticks have the weight of the skipped
 * ticks.  The first tick that finds the thread elsewhere, or finds that the
 * thread has worked, restores the full rate.
 *
 * The thread's processor time shows how long the thread worked between two slow
 * ticks.  The skipped ticks of this time belong to the next place at which the
 * thread is found at work.  The other skipped ticks belong to the place where
 * the thread sleeps.  No skipped tick is lost, except at most a millisecond's
 * ticks at the thread's end.  Work of less than 20 us at a time is ignored.
 *
 * Under a seccomp filter the rate never changes, because a filter may forbid
 * the setting of a timer.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <time.h>

#include "os/syscalls.h"
#include "ring/clock.h"
#include "sampler/compose.h"
#include "sampler/state.h"
#include "sampler/tick.h"
#include "sampler/timer.h"

/* Number of ticks that are measured after a tick that seemed to take long */
#define N_MEASURED 8u

/* A tick that takes more than 1 / LONG_PART of the period seems long */
#define LONG_PART 20

/* Return the thread's processor time, or 0 without a measurement.  A filter may
 * forbid the measurement's system call. */
static int64_t measure_cpu_time(const struct syc_target *t)
{
	return t->n_measured == 0 || syc_state_has_filter(syc_sampler)
	               ? 0
	               : syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Return the time of the clock that the ticks use. */
static int64_t thread_time(const struct syc_throttle *pace)
{
	return syc_sampler->clock == SYSCAP_SAMPLER_WALL || pace->cpu_ns == 0
	               ? pace->kernel_ns
	               : pace->cpu_ns;
}

/* Return the time without a tick that must follow a tick of @ns. */
static int64_t rest_after(int64_t ns)
{
	const int64_t share = syc_sampler->max_share;

	return ns * (100 - share) / share;
}

bool syc_throttle_begin(struct syc_target *t, struct syc_throttle *ret_pace)
{
	*ret_pace = (struct syc_throttle){ syc_clock_kernel(),
		                           measure_cpu_time(t) };
	return thread_time(ret_pace) >= t->rest_until;
}

void syc_throttle_end(struct syc_target *t, const struct syc_throttle *pace)
{
	const struct syc_throttle now = { syc_clock_kernel(),
		                          measure_cpu_time(t) };
	const bool is_measured = pace->cpu_ns != 0 && now.cpu_ns != 0;
	const int64_t took = is_measured ? now.cpu_ns - pace->cpu_ns
	                                 : now.kernel_ns - pace->kernel_ns;

	const bool seems_long = took * LONG_PART > syc_sampler->period_ns;
	const bool is_too_long = rest_after(took) > syc_sampler->period_ns;

	/* A tick that seems long may have waited for a processor */
	if (took > 0 && (is_measured || !seems_long))
		__atomic_store_n(&t->taken_ns, t->taken_ns + (uint64_t)took,
		                 __ATOMIC_RELAXED);
	t->rest_until = 0;
	/* Skip no ticks before a measurement has confirmed a long tick */
	if (is_too_long && (is_measured || syc_state_has_filter(syc_sampler)))
		t->rest_until = thread_time(&now) + rest_after(took);
	if (seems_long || is_too_long)
		t->n_measured = N_MEASURED;
	else
		t->n_measured -= t->n_measured != 0;
}

#define SLOW_NS  INT64_C(1000000)
#define NOISE_NS 20000 /* time to wake up, and to enter the library's handler */
#define FOUND    4u    /* ticks in a row at the same place */

static bool is_where_it_was(struct syc_idle_backoff *s,
                            const ucontext_t *context)
{
	const uintptr_t pc = s->pc, sp = s->sp;
	struct syscap_regs regs;

	syc_registers_of(context, &regs);
	s->pc = regs.pc;
	s->sp = regs.sp;
	return regs.pc == pc && regs.sp == sp;
}

/* Return the processor time since the last call, without the time of ticks. */
static int64_t worked_ns(struct syc_target *t)
{
	struct syc_idle_backoff *const s = &t->sleeper;
	const int64_t cpu = s->cpu_ns;
	const uint64_t taken = s->taken_ns;

	s->cpu_ns = syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
	s->taken_ns = t->taken_ns;
	const int64_t ns = s->cpu_ns - cpu - (int64_t)(s->taken_ns - taken);
	return ns > NOISE_NS ? ns : 0;
}

/* Set the rate of ticks.  A timer that is being recreated keeps the full
 * rate. */
static void set_pace(struct syc_target *t, bool is_slow)
{
	if (syc_timer_set_period(t, is_slow ? SLOW_NS : syc_sampler->period_ns))
		__atomic_store_n(&t->sleeper.is_slow, is_slow,
		                 __ATOMIC_RELAXED);
}

static uint32_t take(uint32_t *n)
{
	const uint32_t all = *n;

	*n = 0;
	return all;
}

static uint32_t weigh_fast(struct syc_target *t, uint32_t n, bool is_found)
{
	struct syc_idle_backoff *const s = &t->sleeper;

	if (!is_found) {
		s->n_found = 0;
		return n + take(&s->n_awake);
	}
	s->n_found++;
	if (s->n_found == FOUND)
		worked_ns(t);
	if (s->n_found <= FOUND)
		return n;
	s->n_found = 0;
	if (worked_ns(t) != 0) /* the thread has worked since the last tick */
		return n + take(&s->n_awake);
	if (!syc_state_has_filter(syc_sampler))
		set_pace(t, true);
	/* The thread sleeps, and no tick found it at work since its last
	 * sleep */
	return n + take(&s->n_asleep) + take(&s->n_awake);
}

static uint32_t weigh_slow(struct syc_target *t, uint32_t n, bool is_found)
{
	struct syc_idle_backoff *const s = &t->sleeper;
	const int64_t period = syc_sampler->period_ns;
	const uint32_t each = (uint32_t)(SLOW_NS / period);
	const bool is_boxed = syc_state_has_filter(syc_sampler);
	const uint32_t due = n * each;

	s->worked_ns += is_boxed ? 0 : worked_ns(t);
	uint32_t awake = (uint32_t)(s->worked_ns / period);
	if (awake > due)
		awake = due;
	s->worked_ns -= awake * period;
	s->n_awake += awake;
	s->n_asleep += due - awake;
	const uint32_t weight = take(is_found ? &s->n_asleep : &s->n_awake);
	if (!is_boxed && (!is_found || s->n_awake >= each))
		set_pace(t, false);
	return weight != 0 ? weight : 1; /* the tick itself belongs to this
	                                  * place */
}

uint32_t syc_idle_backoff_weigh(struct syc_target *t, uint32_t n,
                                const ucontext_t *context)
{
	struct syc_idle_backoff *const s = &t->sleeper;

	if (syc_sampler->period_ns >= SLOW_NS)
		return n;
	const bool is_found = is_where_it_was(s, context);
	return __atomic_load_n(&s->is_slow, __ATOMIC_RELAXED)
	               ? weigh_slow(t, n, is_found)
	               : weigh_fast(t, n, is_found);
}
