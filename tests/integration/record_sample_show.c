/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_show.c - quality of the stacks of a capture.
 *
 *	record_sample_show CAPTURE [NAME PERCENT]
 *
 * Exit status 1: there are fewer than 20 samples; less than 98 % of the uncut
 * stacks reach the outermost frame; or fewer than PERCENT contain NAME.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "integration/record_sample_names.h"

/* Replaces the test_fail() of the harness, because its file has a main(). */
void test_fail(const char *file, int line, const char *format, ...)
{
	va_list list;

	fprintf(stderr, "%s:%d: ", file, line);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(2);
}

static void show(const char *name, uint64_t weight)
{
	printf("  %8" PRIu64 "  %s\n", weight, name);
}

static double percent(size_t n, size_t all)
{
	return all > 0 ? 100 * (double)n / (double)all : 0;
}

int main(int argc, char **argv)
{
	const char *const wanted[] = { argc == 4 ? argv[2] : NULL, NULL };
	struct names names;
	bool is_good = true;

	if (argc != 2 && argc != 4)
		return 2;
	names_look(argv[1], 0, wanted, &names);
	const size_t whole = names.n_samples - names.n_cut;
	const double outermost = percent(whole - names.n_stopped, whole);
	printf("%zu samples of weight %" PRIu64 ": %.2f %% cut; of the others "
	       "%.2f %% reach the outermost frame\n",
	       names.n_samples, names.weight,
	       percent(names.n_cut, names.n_samples), outermost);
	printf("%.2f %% of %zu addresses have a name; %zu processes\n",
	       percent(names.n_named, names.n_addrs), names.n_addrs,
	       names_sampled_processes(argv[1]));
	names_hottest(argv[1], 12, show);
	if (argc == 4) {
		const double found = percent(names.n_found, names.n_samples);

		printf("%.2f %% of the samples have %s\n", found, argv[2]);
		is_good = found >= atof(argv[3]);
	}
	return is_good && names.n_samples >= 20 && outermost >= 98 ? 0 : 1;
}
