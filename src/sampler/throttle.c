/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throttle.c - ticks that are left out: of threads whose ticks take long, and
 * of threads that sleep.
 *
 * A walk of 16,384 frames takes longer than the period of 20,000 Hz: a thread
 * with so deep a stack would do nothing else.  After a tick that took long, the
 * next ones are left out until its share is at most the allowed one.  The next
 * tick that is taken has their weight.
 *
 * The duration of a tick is taken from the kernel's clock, which costs next to
 * nothing.  If that is long, the thread may have been interrupted.  So the
 * following ones are measured in the thread's processor time.
 *
 * Idle back-off: by wall time, threads that sleep are woken 1,000 times a
 * second at most.  A tick wakes a thread that waits, only to find it where it
 * was.  100 threads at 10,000 Hz are a million wake-ups a second, and nothing
 * else is done. So a thread that was found in the same place several times, and
 * did not work in between, gets a timer of a millisecond.  Its ticks have the
 * weight of those that are left out.  The first tick that finds it elsewhere,
 * or that finds that it has worked meanwhile, sets the timer back.
 *
 * Its processor time shows how long it worked between two slow ticks.  So many
 * of the ticks that were left out belong to the next place where it is found at
 * work.  The others belong to the place where it sleeps.  None is lost, except
 * at most a millisecond's when it ends.  Work of less than 20 us at a time does
 * not count.
 *
 * Under a seccomp filter nothing changes: it may forbid to set a timer.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <time.h>

#include "os/kernel_clock.h"
#include "ring/clock.h"
#include "sampler/registers.h"
#include "sampler/state.h"
#include "sampler/tick.h"
#include "sampler/timer.h"

/* Ticks that are measured after one that seemed to take long */
#define N_MEASURED 8u

/* A tick that takes more than this part of the period seems long */
#define LONG_PART 20

/* 0: not asked for.  A call that a box of the program's may forbid. */
static int64_t measure_cpu_time(const struct syc_target *t)
{
	return t->n_measured == 0 || syc_state_has_filter(syc_sampler)
	               ? 0
	               : syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* A thread's time is what its ticks are of. */
static int64_t thread_time(const struct syc_throttle *pace)
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

	/* One that seems long may have waited for a processor */
	if (took > 0 && (is_measured || !seems_long))
		__atomic_store_n(&t->taken_ns, t->taken_ns + (uint64_t)took,
		                 __ATOMIC_RELAXED);
	t->rest_until = 0;
	/* One that only seems long is no reason yet */
	if (is_too_long && (is_measured || syc_state_has_filter(syc_sampler)))
		t->rest_until = thread_time(&now) + rest_after(took);
	if (seems_long || is_too_long)
		t->n_measured = N_MEASURED;
	else
		t->n_measured -= t->n_measured != 0;
}

#define SLOW_NS  INT64_C(1000000)
#define NOISE_NS 20000 /* to be woken, and to enter our handler */
#define FOUND    4u    /* ticks in a row in the same place */

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

/* Since the last call, without what ticks took. */
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

/* A timer that is being made again has the full rate, and keeps it. */
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
	if (worked_ns(t) != 0) /* there */
		return n + take(&s->n_awake);
	if (!syc_state_has_filter(syc_sampler))
		set_pace(t, true);
	/* It sleeps; and nobody saw it at work since it did before */
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
	return weight != 0 ? weight : 1; /* it was found there */
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
