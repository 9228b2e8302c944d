/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - printer of rows.  run.sh prints the heading, and counts the last
 * column: "met" or "MISSED".
 */
#include "bench/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/fail.h"

void bench_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("bench: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_Exit(1);
}

static void print_number(double number, int width)
{
	if (number <= BENCH_NONE)
		printf("%*s", width, "");
	else
		printf("%*.*f", width, number < 100 ? 2 : 0, number);
}

static void print_verdict(const struct bench_row *row)
{
	const double ratio = row->target == BENCH_RATIO_LEAST
	                             ? row->other_median / row->median
	                             : row->median / row->other_median;
	const double difference = row->median - row->other_median;

	switch (row->target) {
	case BENCH_REPORTED:
		printf(" %6.2f x", ratio);
		break;
	case BENCH_RATIO_MOST:
		printf(" %6.2f x  <= %-8.2f %s", ratio, row->bound,
		       ratio <= row->bound ? "met" : "MISSED");
		break;
	case BENCH_RATIO_LEAST:
		printf(" %6.2f x  >= %-8.2f %s", ratio, row->bound,
		       ratio >= row->bound ? "met" : "MISSED");
		break;
	case BENCH_DIFFERENCE_MOST:
		printf(" %+6.2f ns <= %-4.2f ns  %s", difference, row->bound,
		       difference <= row->bound ? "met" : "MISSED");
		break;
	}
}

void bench_report_row(const struct bench_row *row)
{
	printf("%-34s", row->what);
	print_number(row->median, 9);
	print_number(row->p999, 9);
	if (row->other != NULL) {
		printf("  %-20s", row->other);
		print_number(row->other_median, 9);
		print_number(row->other_p999, 9);
		print_verdict(row);
	}
	putchar('\n');
	fflush(stdout);
}

void bench_report_note(const char *format, ...)
{
	va_list args;

	fputs("  . ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}
