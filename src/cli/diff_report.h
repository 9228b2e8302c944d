/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_report.h - what `syscap diff` has found, and how it is told. */
#ifndef SYC_CLI_DIFF_REPORT_H
#define SYC_CLI_DIFF_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "compare/comparison.h"

/** --fail-above: a factor, and names that it is asked of, or NULL. */
struct syc_diff_gate {
	double factor;
	const char *glob;
};

struct syc_diff_report {
	struct syc_comparison comparison;
	char **files[2];
	size_t n_files[2];
	bool has_blocks; /* the units are blocks of time */
	bool has_unit;   /* there are functions */
	enum syscap_view_unit unit;
	bool total, by_share;
	bool all; /* what does not differ is told, too */
	SYC_ARRAY(struct syc_diff_gate) gates;
};

/** Is the row beyond one of the gates? */
bool syc_diff_fails(const struct syc_diff_report *report,
                    const struct syc_compared *row);

/** How many are. */
size_t syc_diff_count_failing(const struct syc_diff_report *report);

/** Tables for people.  0 or -ENOMEM. */
int syc_diff_text(const struct syc_diff_report *report);
int syc_diff_markdown(const struct syc_diff_report *report);
void syc_diff_json(const struct syc_diff_report *report);

#endif
