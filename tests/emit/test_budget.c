/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_budget.c - upper bounds for the instructions of an event. budget.txt
 * has the bound of each event, with and without another emit of the thread in
 * progress.
 *
 * The processor raises one trap per instruction, so the count is the same on a
 * busy machine. Code of another compiler may have a few instructions more.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"

#define NEVER 1000000L

SYSCAP_COUNTER(counted, "budget", "counter", "", SYSCAP_INT64);

static const char *volatile group = "budget", *volatile name = "mark";
static const char *volatile message = "a message of 24 chars...";

static void call_nothing(void)
{
	__asm__ volatile("");
}

static void call_is_active(void)
{
	volatile bool is_active = syscap_is_active();

	(void)is_active;
}

static void call_mark(void)
{
	SYSCAP_MARK("budget", "mark", 1000, 10, NULL);
}

static void call_mark_clocks(void)
{
	const int64_t begin = syscap_begin();

	SYSCAP_MARK_SINCE("budget", "mark", begin, NULL);
}

static void call_mark_text(void)
{
	SYSCAP_MARK("budget", "mark", 1000, 10, message);
}

static void call_mark_given(void)
{
	syscap_mark(group, name, 1000, 10, NULL);
}

static void call_counter(void)
{
	syscap_counter_set_int64(&counted, 7);
}

static void call_log(void)
{
	SYSCAP_LOG(SYSCAP_INFO, "budget", "sixteen letters.");
}

static const struct event {
	const char *name;
	void (*call)(void);
	bool has_clock;
} events[] = {
	{ "is_active", call_is_active, false },
	{ "mark", call_mark, false },
	{ "mark_clocks", call_mark_clocks, true },
	{ "mark_text", call_mark_text, false },
	{ "mark_given", call_mark_given, false },
	{ "counter", call_counter, true },
	{ "log", call_log, true },
};
#define N_EVENTS (sizeof(events) / sizeof(*events))

static void never(void)
{
}

/* Instructions of the counting itself. */
static long n_around;

static long count(void (*call)(void))
{
	struct stepper stepper;

	/* Steps are slow: the clock's base would become too old */
	if (syc_self != NULL) {
		syscap_clock();
		syc_self->window = UINT32_MAX / 2;
	}
	stepper_run(&stepper, NEVER, call, never);
	return stepper.count - n_around;
}

/* The minimum of five counts, since some events renew the clock's base or wrap
 * at the end of the ring. */
static long cost(void (*call)(void))
{
	long least = NEVER;

	for (int i = 0; i < 5; i++) {
		const long n = count(call);

		least = n < least ? n : least;
	}
	return least;
}

/* -------------------------------------------------- during another emit */

#define N_ROUNDS  3
#define STEPS_MAX 256

static void (*nested_call)(void);
static long *nested_least;

static void step_on_top(void)
{
	const long n = count(nested_call);

	*nested_least = n < *nested_least ? n : *nested_least;
}

/*
 * The maximum cost of @call at each fourth instruction of a mark.  Each cost is
 * the minimum of several rounds, since some work is due only from time to time.
 */
static long most_nested(void (*call)(void))
{
	struct stepper stepper;
	long least[STEPS_MAX], most = 0;

	for (int i = 0; i < STEPS_MAX; i++)
		least[i] = NEVER;
	nested_call = call;
	for (int round = 0; round < N_ROUNDS; round++) {
		nested_least = least;
		for (long k = 1;
		     stepper_run(&stepper, k, call_mark, step_on_top); k += 4)
			CHECK(++nested_least < least + STEPS_MAX);
	}
	for (int i = 0; i < STEPS_MAX; i++)
		if (least[i] != NEVER && least[i] > most)
			most = least[i];
	return most;
}

CHILD(counts_instructions)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	FILE *const out = fopen(peer_arg(), "w");

	CHECK(out != NULL);
	stepper_install(false);
	n_around = count(call_nothing);
	for (size_t i = 0; i < N_EVENTS; i++)
		events[i].call();
	syscap_get_stats(&stats);
	/* clock_gettime() has no bound */
	for (size_t i = 0; i < N_EVENTS; i++)
		if (stats.clock_is_tsc || !events[i].has_clock)
			fprintf(out, "%s %ld %ld\n", events[i].name,
			        cost(events[i].call),
			        most_nested(events[i].call));
	CHECK_EQ(fclose(out), 0);
}

/* ------------------------------------------------------------ the budget */

static void check_event(const char *event, long alone, long nested)
{
	char path[512], line[200], listed[64];
	long may_alone, may_nested;
	bool is_listed = false;

	snprintf(path, sizeof(path), "%s/tests/emit/budget.txt",
	         getenv("SYSCAP_SOURCE"));
	FILE *const budget = fopen(path, "r");
	CHECK(budget != NULL);
	while (!is_listed && fgets(line, sizeof(line), budget) != NULL)
		is_listed = sscanf(line, "%63s %ld %ld", listed, &may_alone,
		                   &may_nested) == 3 &&
		            strcmp(listed, event) == 0;
	fclose(budget);
	printf("%s: %ld of %ld alone, %ld of %ld nested\n", event, alone,
	       may_alone, nested, may_nested);
	CHECK(is_listed);
	CHECK(alone <= may_alone);
	CHECK(nested <= may_nested);
}

TEST(no_event_takes_more_instructions_than_its_budget)
{
	char results[] = "/tmp/budget.XXXXXX", event[64];
	const int fd = mkstemp(results);
	unsigned n = 0;
	long alone, nested;
	struct peer peer;

#if !defined(__x86_64__)
	SKIP("this test counts x86-64 instructions only");
#elif defined(__clang__) || !defined(__OPTIMIZE__) || __GNUC__ != 12
	SKIP("the budget applies only to code of gcc 12 at -O2");
#endif
	if (test_is_sanitized())
		SKIP("sanitizers add instructions");
	CHECK(fd >= 0);
	peer_start_arg(&peer, "counts_instructions", results, 1 << 20,
	               PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
	FILE *const in = fdopen(fd, "r");
	CHECK(in != NULL);
	while (fscanf(in, "%63s %ld %ld", event, &alone, &nested) == 3) {
		check_event(event, alone, nested);
		n++;
	}
	fclose(in);
	unlink(results);
	CHECK(n >= 4);
}
