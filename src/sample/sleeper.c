/* SPDX-License-Identifier: BSD-2-Clause */
/* sleeper.c - threads that sleep are woken less often. */
#define _GNU_SOURCE
#include "sample/sleeper.h"

#include <stdbool.h>
#include <time.h>

#include "os/kernel_clock.h"
#include "sample/registers.h"
#include "sample/state.h"
#include "sample/timer.h"

#define SLOW_NS  INT64_C(1000000)
#define NOISE_NS 20000 /* to be woken, and to enter our handler */
#define FOUND    4u    /* ticks in a row in the same place */

static bool is_where_it_was(struct syc_sleeper *s, const ucontext_t *context)
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
	struct syc_sleeper *const s = &t->sleeper;
	const int64_t cpu = s->cpu_ns;
	const uint64_t taken = s->taken_ns;

	s->cpu_ns = syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
	s->taken_ns = t->taken_ns;
	const int64_t ns = s->cpu_ns - cpu - (int64_t)(s->taken_ns - taken);
	return ns > NOISE_NS ? ns : 0;
}

/* Where a timer is just made anew, that is at full rate, and stays so. */
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
	struct syc_sleeper *const s = &t->sleeper;

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
	if (!syc_state_is_boxed(syc_sampler))
		set_pace(t, true);
	/* It sleeps; and nobody saw it at work since it did before */
	return n + take(&s->n_asleep) + take(&s->n_awake);
}

static uint32_t weigh_slow(struct syc_target *t, uint32_t n, bool is_found)
{
	struct syc_sleeper *const s = &t->sleeper;
	const int64_t period = syc_sampler->period_ns;
	const uint32_t each = (uint32_t)(SLOW_NS / period);
	const bool is_boxed = syc_state_is_boxed(syc_sampler);
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

uint32_t syc_sleeper_weigh(struct syc_target *t, uint32_t n,
                           const ucontext_t *context)
{
	struct syc_sleeper *const s = &t->sleeper;

	if (syc_sampler->period_ns >= SLOW_NS)
		return n;
	const bool is_found = is_where_it_was(s, context);
	return __atomic_load_n(&s->is_slow, __ATOMIC_RELAXED)
	               ? weigh_slow(t, n, is_found)
	               : weigh_fast(t, n, is_found);
}
