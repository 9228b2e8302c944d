/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.c - bases and rates of the threads' clocks. */
#define _GNU_SOURCE
#include "ring/clock.h"

#include <string.h>

#include <syscap/emit.h>

#include "copies/copies.h"
#include "os/fd.h"
#include "os/syscalls.h"

#define WINDOW_NS          INT64_C(10000000)
#define RATE_TOLERANCE_PPM 450
#define RATE_SPAN_MIN_NS   INT64_C(5000000)
#define RATE_SPAN_MAX_NS   INT64_C(1000000000)

struct reading {
	uint64_t ticks;
	int64_t ns;
	uint64_t span; /* duration in ticks; the error is at most half of the
	                * duration */
};

/* A reading that took longer was interrupted, and makes no base. */
#define SPAN_MAX_NS UINT64_C(1000)

/*
 * Each thread that takes a base writes these words of the block, and all
 * threads read them.  The accesses are relaxed, because the words do not depend
 * on each other.  A rate is nanoseconds * 2^32 per tick.
 *
 *	clock_is_tsc         set once, before the first event
 *	clock_first_ticks    first reading; set once, too
 *	clock_measured       newest measured rate; 0: none
 *	clock_trusted        the newest rate if it agreed with the rate before;
 *	                     or 0
 *
 * Each copy has its own error_ns, for the bases that the copy took.
 */
static uint32_t error_ns = 5000;

uint32_t syc_clock_error(void)
{
	return __atomic_load_n(&error_ns, __ATOMIC_RELAXED);
}

bool syc_clock_is_tsc(void)
{
	return syc_block_is_there() && syc_block->clock_is_tsc != 0;
}

int64_t syc_clock_kernel(void)
{
	return syc_kernel_clock(CLOCK_MONOTONIC);
}

#if defined(__x86_64__)

static bool kernel_uses_tsc(void)
{
	char name[16];

	syc_small_file_read("/sys/devices/system/clocksource/clocksource0/"
	                    "current_clocksource",
	                    name, sizeof(name));
	return strcmp(name, "tsc\n") == 0;
}

/* Read both clocks at one instant, and take the shortest of three tries. */
static struct reading read_both(void)
{
	struct reading best = { 0, 0, UINT64_MAX };

	for (int i = 0; i < 3 && best.span > 200; i++) {
		const uint64_t before = __builtin_ia32_rdtsc();
		const int64_t ns = syc_clock_kernel();
		const uint64_t span = __builtin_ia32_rdtsc() - before;

		if (span < best.span) {
			best.span = span;
			best.ticks = before + span / 2;
			best.ns = ns;
		}
	}
	return best;
}

static bool rates_agree(uint64_t a, uint64_t b)
{
	const uint64_t difference = a > b ? a - b : b - a;

	return difference <= a / 1000000 * RATE_TOLERANCE_PPM;
}

/* Store and return the rate between two readings.  Returns 0 if the readings
 * are too near or too far apart.  A changed rate is not trusted. */
static uint64_t measure_rate(const struct reading *from,
                             const struct reading *to)
{
	const int64_t ns = to->ns - from->ns;
	const uint64_t ticks = to->ticks - from->ticks;

	if (ns < RATE_SPAN_MIN_NS || ns > RATE_SPAN_MAX_NS || ticks == 0 ||
	    ticks >> 40 != 0)
		return 0;
	const uint64_t rate = ((uint64_t)ns << 32) / ticks;
	if (rate == 0 || rate >> 33 != 0)
		return 0; /* below 0.5 GHz: the counter is not used */
	if (to->span >= (SPAN_MAX_NS << 32) / rate)
		return 0;
	const uint64_t before = __atomic_exchange_n(&syc_block->clock_measured,
	                                            rate, __ATOMIC_RELAXED);
	__atomic_store_n(&syc_block->clock_trusted,
	                 before != 0 && rates_agree(before, rate) ? rate : 0,
	                 __ATOMIC_RELAXED);
	return rate;
}

struct base {
	uint64_t ticks, mult, window;
	int64_t ns;
};

/* Load the words of one base.  A handler may take another base between the
 * loads. */
static struct base load_base(const struct syc_thread *st)
{
	struct base base;

	do {
		base.ticks = st->base_tsc;
		SYC_SIGNAL_FENCE();
		base.ns = st->base_ns;
		base.mult = st->mult;
		base.window = st->window;
		SYC_SIGNAL_FENCE();
	} while (st->base_tsc != base.ticks);
	return base;
}

/* Store the newest time that an event can have read by @base. */
static void note_newest(struct syc_thread *st, const struct base *base)
{
	uint64_t ticks = __builtin_ia32_rdtsc() - base->ticks;

	if (base->window == 0)
		return;
	if (ticks >= base->window)
		ticks = base->window - 1;
	const int64_t newest = base->ns + (int64_t)(ticks * base->mult >> 32);
	if (newest > st->last_ns)
		st->last_ns = newest;
}

/*
 * End the thread's base, and return it.  From then on nested calls find no
 * window, and read the kernel's clock.  Before the end, the function stores the
 * newest time of the base for such calls.
 */
static struct base end_base(struct syc_thread *st)
{
	struct base base;
	uint64_t window = 0;

	do {
		base = load_base(st);
		if (base.window == 0) /* ended by this call; maybe a handler's
		                       * base */
			base.window = window;
		note_newest(st, &base);
		window = __atomic_exchange_n(&st->window, 0, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
	} while (st->base_tsc != base.ticks);
	note_newest(st, &base);
	return base;
}

/* Begin a base by a single instruction.  Returns false if a handler has taken a
 * base since @before. */
static bool begin_base(struct syc_thread *st, uint64_t before, uint64_t ticks)
{
	return __atomic_compare_exchange_n(&st->base_tsc, &before, ticks, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * Raise the error's bound after a base with the rate @used, while the kernel's
 * true rate was @rate.  The kernel changes the rate by at most 10 %.  A larger
 * change is a suspend, during which the counter runs.
 */
static void note_error(uint64_t used, uint64_t rate)
{
	const uint64_t difference = used > rate ? used - rate : rate - used;

	if (difference > used / 8)
		return;
	const uint64_t error = difference * (WINDOW_NS / 256) / (used / 256);
	uint32_t bound = syc_clock_error();
	while (bound < error)
		bound *= 2;
	__atomic_store_n(&error_ns, bound, __ATOMIC_RELAXED);
}

/* Returns false if a handler has taken a base in between. */
static bool take_base(struct syc_thread *st, int64_t *ret_ns)
{
	const struct base old = end_base(st);
	const struct reading base = { old.ticks, st->read_ns, 0 };
	const struct reading now = read_both();

	/* Without a rate, keep the base until it is old enough */
	if (__atomic_load_n(&syc_block->clock_trusted, __ATOMIC_RELAXED) == 0 &&
	    base.ns != 0 && now.ns - base.ns < RATE_SPAN_MIN_NS) {
		if (now.ns > st->last_ns)
			st->last_ns = now.ns;
		*ret_ns = st->last_ns;
		return true;
	}

	const struct reading first = { syc_block->clock_first_ticks,
		                       (int64_t)syc_block->clock_first_ns, 0 };
	const uint64_t measured =
		measure_rate(base.ns != 0 ? &base : &first, &now);
	uint64_t rate =
		__atomic_load_n(&syc_block->clock_trusted, __ATOMIC_RELAXED);
	int64_t ns = now.ns;
	if (rate != 0 && ns < st->last_ns) {
		/*
		 * The base was fast: the clock runs slower instead of stepping
		 * back
		 */
		const int64_t ahead = st->last_ns - ns;
		const int64_t most = WINDOW_NS / 2;

		ns = st->last_ns;
		rate -= rate / (uint64_t)WINDOW_NS *
		        (uint64_t)(ahead < most ? ahead : most);
	}
	if (!begin_base(st, old.ticks, now.ticks))
		return false;
	if (old.window != 0 && measured != 0)
		note_error(old.mult, measured);
	SYC_SIGNAL_FENCE();
	st->base_ns = ns;
	st->read_ns = now.ns;
	st->mult = rate;
	if (ns > st->last_ns)
		st->last_ns = ns;
	SYC_SIGNAL_FENCE();
	/* The stored words may belong to two bases */
	if (st->base_tsc != now.ticks)
		return false;
	if (rate != 0 && now.span < (SPAN_MAX_NS << 32) / rate)
		st->window = ((uint64_t)WINDOW_NS << 32) / rate;
	*ret_ns = ns;
	return true;
}

int64_t syc_clock_rebase(struct syc_thread *st)
{
	int64_t ns;

	while (!take_base(st, &ns))
		;
	return ns;
}

void syc_clock_init(struct syc_block *block)
{
	const struct reading first = read_both();

	block->clock_is_tsc = kernel_uses_tsc();
	block->clock_first_ticks = first.ticks;
	block->clock_first_ns = (uint64_t)first.ns;
}

#else

int64_t syc_clock_rebase(struct syc_thread *st)
{
	(void)st;
	return syc_clock_kernel();
}

void syc_clock_init(struct syc_block *block)
{
	(void)block;
}

#endif
