/* SPDX-License-Identifier: BSD-2-Clause */
/* quantity.c - numbers with a unit, as people type them. */
#include "cli/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 9e18

/* A plain decimal number: neither "inf", nor "0x", nor blanks before it. */
static bool read_number(const char *text, double *number, const char **end)
{
	const size_t n = strspn(text, "0123456789.");
	char *stop;

	if (n == 0)
		return false;
	*number = strtod(text, &stop);
	*end = text + n;
	return stop == *end && isfinite(*number);
}

bool syc_quantity_duration(const char *text, int64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },     { "s", 1e9 },         { "ms", 1e6 },
		{ "us", 1e3 },   { "\xC2\xB5s", 1e3 }, { "ns", 1 },
		{ "min", 60e9 },
	};
	const char *unit;
	double number;

	if (!read_number(text, &number, &unit))
		return false;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const double ns = number * units[i].ns;

		if (strcmp(unit, units[i].name) != 0)
			continue;
		if (ns > MOST_NS)
			return false;
		*ret_ns = (int64_t)llround(ns);
		return true;
	}
	return false;
}

bool syc_quantity_percent(const char *text, double *ret_percent)
{
	const char *unit;
	double number;

	if (!read_number(text, &number, &unit) || strcmp(unit, "%") != 0 ||
	    number > 100)
		return false;
	*ret_percent = number;
	return true;
}

bool syc_quantity_count(const char *text, uint64_t *ret_count)
{
	char *end;
	uint64_t count;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	count = strtoull(text, &end, 10);
	if (*end != 0 || errno != 0 || count == 0)
		return false;
	*ret_count = count;
	return true;
}
