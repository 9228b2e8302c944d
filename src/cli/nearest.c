/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest.c - of many names the one that was perhaps meant. */
#define _GNU_SOURCE
#include "cli/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Longer ones are not compared: nobody types them. */
#define MOST_BYTES 64

static bool differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b, size_t c)
{
	const size_t less = a < b ? a : b;

	return less < c ? less : c;
}

/* How many bytes have to be put in, taken out or changed (Levenshtein). */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[MOST_BYTES + 1];

	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			const size_t above = row[j];

			row[j] = least(row[j] + 1, row[j - 1] + 1,
			               before + differ(a[i - 1], b[j - 1]));
			before = above;
		}
	}
	return row[b_len];
}

void syc_nearest_see(struct syc_nearest *nearest, const char *name)
{
	const size_t a = strlen(nearest->wanted), b = strlen(name);
	const size_t most = a / 3, apart = a > b ? a - b : b - a;
	size_t far;

	if (a == 0 || a > MOST_BYTES || b > MOST_BYTES)
		return;
	if (strcasestr(name, nearest->wanted) != NULL)
		far = 0;
	else if (apart <= most)
		far = distance(nearest->wanted, a, name, b);
	else
		return;
	if (far > most || (nearest->name != NULL && far >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = far;
}
