/* SPDX-License-Identifier: BSD-2-Clause */
/* part.c - a copy of the library, by its functions: see part.h. */
#include "copies/part.h"

#include <stdlib.h>
#include <string.h>

#include <syscap.h>
#include <syscap/runtime.h>

#ifndef PART_NAME
#define PART_NAME "program"
#endif

static char *put_number(char *end, unsigned n)
{
	do {
		*--end = (char)('0' + n % 10);
		n /= 10;
	} while (n != 0);
	return end;
}

/* No printf: runs in handlers, and single-stepped. */
static const char *two_numbers(char text[32], unsigned a, unsigned b)
{
	char *at = text + 31;

	*at = '\0';
	at = put_number(at, b);
	*--at = ' ';
	return put_number(at, a);
}

static void mark(unsigned emitter, unsigned n)
{
	char text[32];

	SYSCAP_INSTANT(PART_NAME, "n", two_numbers(text, emitter, n));
}

static void log_numbers(unsigned emitter, unsigned n)
{
	char text[32];

	SYSCAP_LOG(SYSCAP_INFO, PART_NAME, two_numbers(text, emitter, n));
}

static void note(const char *name)
{
	if (syscap_is_active())
		syscap_mark(PART_NAME, name, syscap_clock(), 0, NULL);
}

/* -------------------------------------------------------------- counters */

SYSCAP_COUNTER(value, PART_NAME, "value", "", SYSCAP_INT64);

static void count(int64_t to)
{
	SYSCAP_COUNTER_SET(value, to);
}

static uint32_t counter_id(void)
{
	return value.id;
}

static struct syscap_counter many[100];

__attribute__((constructor)) static void name_counters(void)
{
	for (unsigned i = 0; i < 100; i++) {
		strcpy(many[i].category, PART_NAME);
		memcpy(many[i].name, "one 00", 7);
		many[i].name[4] = (char)('0' + i / 10);
		many[i].name[5] = (char)('0' + i % 10);
	}
}

static void count_one(unsigned i, int64_t to)
{
	SYSCAP_COUNTER_SET(many[i % 100], to);
}

/* ----------------------------------------------------------------- names */

static uint64_t intern(const char *name)
{
	return syscap_jit_intern(name, strlen(name));
}

static int one_frame(uint64_t *addrs, unsigned n, void *user)
{
	(void)n;
	memcpy(addrs, user, sizeof(*addrs));
	return 1;
}

static void stack(uint64_t address)
{
	SYSCAP_SAMPLE(one_frame, &address);
}

/* ------------------------------------------------------------------ life */

static bool is_active(void)
{
	return syscap_is_active();
}

static void stats(struct syscap_stats *ret_stats)
{
	memset(ret_stats, 0, sizeof(*ret_stats));
	ret_stats->size = sizeof(*ret_stats);
	syscap_get_stats(ret_stats);
}

static int start(const char *output, unsigned flags, char *message)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = output,
		                          .flags = flags };
	const int r = syscap_start(&options);

	if (message != NULL)
		memcpy(message, options.message, sizeof(options.message));
	return r;
}

static bool tells_end;

static void at_exit(void)
{
	note("atexit");
}

static void tell_end(void)
{
	tells_end = true;
	atexit(at_exit);
}

__attribute__((destructor)) static void at_unload(void)
{
	if (tells_end)
		note("destructor");
}

__attribute__((visibility("default"))) const struct part *part_get(void)
{
	static const struct part part = {
		.name = PART_NAME,
		.mark = mark,
		.log = log_numbers,
		.note = note,
		.count = count,
		.counter_id = counter_id,
		.count_one = count_one,
		.intern = intern,
		.stack = stack,
		.is_active = is_active,
		.stats = stats,
		.start = start,
		.stop = syscap_stop,
		.drain = syscap_drain,
		.tell_end = tell_end,
	};

	return &part;
}
