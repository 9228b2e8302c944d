/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_unwind.c - a stack of 32 functions without frame pointers.
 *
 *	warm    the whole stack was walked before; against backtrace() of the
 *	        C library, and libunwind's loop of unw_step() and its
 *	        unw_backtrace(), which has a cache as well
 *	cold    no walk before: every return address is looked up in the tables
 *
 * The program records nothing.  Turns alternate.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#include <syscap/sampler.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "os/threads.h"
#include "unwind/unwind.h"
#include "unwind/walk.h"

#if BENCH_HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#define DEPTH  32u
#define ROOM   128u
#define BURST  20u
#define ROUNDS 500u
#define COLD   300u

static uint64_t addrs[ROOM];
static void *pointers[ROOM];
static struct syc_unwind unwind = { .addrs = addrs, .max = ROOM };
static struct syc_unwind elsewhere = { .addrs = addrs, .max = ROOM };
static int (*libc_backtrace)(void **buffer, int size);
static ucontext_t context;
static unsigned depth_wanted, depth_seen;

BENCH_EVENT(here, syc_unwind_here(&unwind, 0))
BENCH_EVENT(unknown, syc_unwind_here(&elsewhere, 0))
BENCH_EVENT(from, syc_unwind_from(&unwind, &context))
BENCH_EVENT(public, syscap_backtrace(addrs, ROOM, NULL))
BENCH_EVENT(libc, libc_backtrace(pointers, ROOM))

#if BENCH_HAVE_LIBUNWIND
static void step_through(void)
{
	unw_context_t registers;
	unw_cursor_t cursor;
	unsigned n = 0;

	unw_getcontext(&registers);
	unw_init_local(&cursor, &registers);
	do {
		unw_word_t ip;

		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		pointers[n] = (void *)ip;
	} while (++n < ROOM && unw_step(&cursor) > 0);
}

BENCH_EVENT(unw_step, step_through())
BENCH_EVENT(unw_backtrace, unw_backtrace(pointers, ROOM))
#endif

enum {
	HERE,
	FROM,
	PUBLIC,
	UNKNOWN,
	LIBC,
	UNW_STEP,
	UNW_BACKTRACE
};

static struct variant {
	void (*bulk)(unsigned n);
	struct bench_samples samples;
	double median;
} variants[] = {
	[HERE] = { .bulk = bulk_here },
	[FROM] = { .bulk = bulk_from },
	[PUBLIC] = { .bulk = bulk_public },
	[UNKNOWN] = { .bulk = bulk_unknown },
	[LIBC] = { .bulk = bulk_libc },
#if BENCH_HAVE_LIBUNWIND
	[UNW_STEP] = { .bulk = bulk_unw_step },
	[UNW_BACKTRACE] = { .bulk = bulk_unw_backtrace },
#endif
};

#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void measure_warm(void)
{
	for (size_t i = 0; i < N_VARIANTS; i++)
		bench_samples_init(&variants[i].samples, ROUNDS);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < N_VARIANTS; i++) {
			struct variant *const v = &variants[i];

			if (v->bulk == bulk_libc && libc_backtrace == NULL)
				continue;
			v->bulk(2); /* fetches the code */
			const uint64_t start = bench_ticks();
			v->bulk(BURST);
			bench_samples_add(&v->samples, bench_ticks() - start);
		}
	for (size_t i = 0; i < N_VARIANTS; i++) {
		struct variant *const v = &variants[i];

		if (v->samples.n > 0)
			v->median = bench_samples_at(&v->samples, 0.5) *
			            bench_ns_per_tick() / BURST;
		bench_samples_free(&v->samples);
	}
}

static double cold_median(void (*bulk)(unsigned n), void (*forget)(void))
{
	struct bench_samples samples;

	bench_samples_init(&samples, COLD);
	for (unsigned round = 0; round < COLD; round++) {
		forget();
		const uint64_t start = bench_ticks();
		bulk(1);
		bench_samples_add(&samples, bench_ticks() - start);
	}
	const double median =
		bench_samples_at(&samples, 0.5) * bench_ns_per_tick();

	bench_samples_free(&samples);
	return median;
}

/* Clears the cache lines of the last walk's rules. */
static void forget_ours(void)
{
	for (unsigned i = 0; i < unwind.n; i++)
		memset(&syc_rule_cache_get()[syc_rule_cache_home(
						     (uintptr_t)addrs[i]) &
		                             ~(SYC_RULE_CACHE_LINE - 1)],
		       0,
		       SYC_RULE_CACHE_LINE *
		               sizeof(struct syc_rule_cache_entry));
}

#if BENCH_HAVE_LIBUNWIND
static void nothing(void)
{
}
#endif

static void report(const char *what, double median, const char *other,
                   double other_median, double bound)
{
	const struct bench_row row = {
		.what = what,
		.median = median,
		.p999 = BENCH_NONE,
		.other = other,
		.other_median = other_median,
		.other_p999 = BENCH_NONE,
		.target = bound > 0 ? BENCH_RATIO_MOST : BENCH_REPORTED,
		.bound = bound,
	};

	bench_report_row(&row);
}

static void report_all(void)
{
	const double here = variants[HERE].median;

	bench_report_note("a stack of %u frames, %.1f ns a frame", depth_seen,
	                  here / depth_seen);
	if (libc_backtrace != NULL)
		report("unwind", here, "backtrace", variants[LIBC].median,
		       0.15);
#if BENCH_HAVE_LIBUNWIND
	report("unwind", here, "unw_step loop", variants[UNW_STEP].median,
	       0.05);
	report("unwind", here, "unw_backtrace", variants[UNW_BACKTRACE].median,
	       2.0);
#endif
	report("unwind from a signal's context", variants[FROM].median,
	       "unwind", here, 0);
	report("syscap_backtrace", variants[PUBLIC].median, "unwind", here, 0);
	report("unwind, stack not known", variants[UNKNOWN].median, "unwind",
	       here, 0);
	const double cold = cold_median(bulk_here, forget_ours);
#if BENCH_HAVE_LIBUNWIND
	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);
	report("unwind, cold", cold, "unw_step, no cache",
	       cold_median(bulk_unw_step, nothing), 0);
#endif
	if (libc_backtrace != NULL)
		report("unwind, cold", cold, "backtrace", variants[LIBC].median,
		       0);
}

static __attribute__((noinline)) int innermost(void)
{
	syc_unwind_here(&unwind, 0);
	depth_seen = unwind.n;
	if ((unwind.flags & ~1u) != 0)
		bench_fail("the walk stopped after %u frames", unwind.n);
	if (depth_wanted == 0)
		return 0;
	getcontext(&context);
	measure_warm();
	report_all();
	return 0;
}

/* Distinct functions, so that each has its own cache entry. */
static int (*links[DEPTH + 1])(void);

#define LINK(i)                                                              \
	static __attribute__((noinline)) int link_##i(void)                  \
	{                                                                    \
		volatile char room[8 + 24 * (i % 5)];                        \
		room[0] = 1;                                                 \
		const int r =                                                \
			(i + 1 < depth_wanted ? links[i + 1] : innermost)(); \
		return r + room[0];                                          \
	}                                                                    \
	_Static_assert(i < DEPTH, "each variant has a row")

LINK(0);
LINK(1);
LINK(2);
LINK(3);
LINK(4);
LINK(5);
LINK(6);
LINK(7);
LINK(8);
LINK(9);
LINK(10);
LINK(11);
LINK(12);
LINK(13);
LINK(14);
LINK(15);
LINK(16);
LINK(17);
LINK(18);
LINK(19);
LINK(20);
LINK(21);
LINK(22);
LINK(23);
LINK(24);
LINK(25);
LINK(26);
LINK(27);
LINK(28);
LINK(29);
LINK(30);
LINK(31);
static int (*links[DEPTH + 1])(void) = {
	link_0,  link_1,  link_2,  link_3,  link_4,    link_5,  link_6,
	link_7,  link_8,  link_9,  link_10, link_11,   link_12, link_13,
	link_14, link_15, link_16, link_17, link_18,   link_19, link_20,
	link_21, link_22, link_23, link_24, link_25,   link_26, link_27,
	link_28, link_29, link_30, link_31, innermost,
};

int main(void)
{
	bench_ns_per_tick();
	if (syc_unwind_prepare() != 0)
		bench_fail("no list of modules");
	syc_stack_bounds(&unwind.low, &unwind.high);
#ifdef __GLIBC__
	/* libunwind also has a backtrace() */
	*(void **)&libc_backtrace =
		dlsym(dlopen("libc.so.6", RTLD_NOW), "backtrace");
#endif
	innermost(); /* measures the depth */
	depth_wanted = DEPTH - depth_seen;
	return links[0]() < 0;
}
