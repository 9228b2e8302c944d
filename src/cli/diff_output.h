/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_output.h - output of `syscap diff` for people, for Markdown and as JSON.
 */
#ifndef SYC_CLI_DIFF_OUTPUT_H
#define SYC_CLI_DIFF_OUTPUT_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "common/array.h"
#include "compare/comparison.h"

/** --fail-above: a factor, and a pattern of names, or NULL. */
struct syc_diff_gate {
	double factor;
	const char *glob;
};

struct syc_diff_report {
	struct syc_comparison comparison;
	char **files[2];
	size_t n_files[2];
	bool has_blocks; /* the units are blocks of time */
	bool has_unit;   /* the comparison has rows of functions */
	enum syscap_view_unit unit;
	/* Sums of syscap's own code, and of all samples that pass, by side. */
	double recording[2], whole[2];
	bool with_recording;
	bool total, by_share;
	bool all; /* rows without a difference are shown, too */
	SYC_ARRAY(struct syc_diff_gate) gates;
};

/** Number of rows above the limits of --fail-above. */
size_t syc_diff_count_failing(const struct syc_diff_report *report);

/** Print tables of text.  Returns 0 or -ENOMEM. */
int syc_diff_text(const struct syc_diff_report *report);
int syc_diff_markdown(const struct syc_diff_report *report);
void syc_diff_json(const struct syc_diff_report *report);

#endif
