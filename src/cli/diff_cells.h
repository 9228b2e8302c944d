/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_cells.h - what tables of `syscap diff` consist of, for people. */
#ifndef SYC_CLI_DIFF_CELLS_H
#define SYC_CLI_DIFF_CELLS_H

#include "cli/diff_report.h"

#define SYC_DIFF_CELL 100

/** Rows of one table. */
enum syc_diff_kind {
	SYC_DIFF_FUNCTIONS,
	SYC_DIFF_MARKS,
	SYC_DIFF_COUNTERS,
	SYC_DIFF_KINDS
};

enum syc_diff_kind syc_diff_kind_of(const struct syc_compared *row);

/** Its rows, and those that differ. */
struct syc_diff_sum {
	size_t n, n_differing;
};

struct syc_diff_sum syc_diff_sum_of(const struct syc_diff_report *report,
                                    enum syc_diff_kind kind);

/** Is the row told? */
bool syc_diff_is_told(const struct syc_diff_report *report,
                      const struct syc_compared *row);

/** "Functions, alone, processor time" */
void syc_diff_title(const struct syc_diff_report *report,
                    enum syc_diff_kind kind, FILE *out);

/** "p50"; "time" */
const char *syc_diff_measure_name(enum syc_measure measure);

/* "+15.3 %"; "+13.6 … +17.1 %"; "1.105 ms".  Into SYC_DIFF_CELL bytes. */
void syc_diff_change(const struct syc_compared *row, char *text);
void syc_diff_interval(const struct syc_compared *row, char *text);
void syc_diff_value(const struct syc_diff_report *report,
                    const struct syc_compared *row, double value, char *text);

/** What there is to know about the units. */
void syc_diff_preface(const struct syc_diff_report *report, FILE *out);

#endif
