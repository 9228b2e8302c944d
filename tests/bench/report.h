/* SPDX-License-Identifier: BSD-2-Clause */
/* report.h - the rows of the table that the benchmarks print together. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/** A negative number is left out. */
#define BENCH_NONE (-1.0)

enum bench_target {
	BENCH_REPORTED,       /* no target */
	BENCH_RATIO_MOST,     /* syscap / other <= bound */
	BENCH_RATIO_LEAST,    /* other / syscap, of throughput, >= bound */
	BENCH_DIFFERENCE_MOST /* syscap - other <= bound, in ns */
};

struct bench_row {
	const char *what;
	double median, p999; /* ns an event */
	const char *other;   /* name of the compared variant, or NULL */
	double other_median, other_p999;
	enum bench_target target;
	double bound;
};

void bench_report_row(const struct bench_row *row);

/** A line of text inside the table. */
__attribute__((format(printf, 1, 2))) void bench_report_note(const char *format,
                                                             ...);

#endif
