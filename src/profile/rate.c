/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rate.c - what a tick of a sampler is, as METADATA frames say it.
 *
 *	syscap.sampler	each thread 1000 times a second of its processor time,
 *			by signal 23		what a process does
 *	syscap.sample	1000,auto		what the recorder asked for
 */
#include "profile/rate.h"

#include <stdlib.h>
#include <string.h>

#define SECOND  1000000000
#define MOST_HZ 1000000u

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The text behind a number of @text; NULL: there is none. */
static const char *read_hz(const char *text, int64_t *ret_period_ns)
{
	unsigned long hz;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return NULL;
	hz = strtoul(text, &end, 10);
	if (hz < 1 || hz > MOST_HZ)
		return NULL;
	*ret_period_ns = (int64_t)(SECOND / hz);
	return end;
}

static bool read_sampler(const char *text, enum syscap_profile_clock *clock,
                         int64_t *period_ns)
{
	static const char begin[] = "each thread ";

	if (!begins_with(text, begin))
		return false;
	text = read_hz(text + sizeof(begin) - 1, period_ns);
	if (text == NULL)
		return false;
	if (begins_with(text, " times a second of its processor time"))
		*clock = SYSCAP_CLOCK_CPU;
	else if (begins_with(text, " times a second, asleep or not"))
		*clock = SYSCAP_CLOCK_WALL;
	else
		return false;
	return true;
}

static bool read_sample(const char *text, enum syscap_profile_clock *clock,
                        int64_t *period_ns)
{
	text = read_hz(text, period_ns);
	if (text == NULL)
		return false;
	if (strcmp(text, ",wall") == 0)
		*clock = SYSCAP_CLOCK_WALL;
	else if (strcmp(text, ",auto") == 0 || strcmp(text, ",cpu") == 0 ||
	         strcmp(text, ",perf") == 0)
		*clock = SYSCAP_CLOCK_CPU;
	else
		return false;
	return true;
}

bool syc_rate_read(const char *id, const char *value,
                   enum syscap_profile_clock *ret_clock, int64_t *ret_period_ns)
{
	enum syscap_profile_clock clock;
	int64_t period_ns;
	bool is_good = false;

	if (strcmp(id, "syscap.sampler") == 0)
		is_good = read_sampler(value, &clock, &period_ns);
	else if (strcmp(id, "syscap.sample") == 0)
		is_good = read_sample(value, &clock, &period_ns);
	if (is_good) {
		*ret_clock = clock;
		*ret_period_ns = period_ns;
	}
	return is_good;
}
