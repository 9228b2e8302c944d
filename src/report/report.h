/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - a capture as one HTML file, which needs nothing else.
 *
 * The page is written from front to back: a policy that forbids it every
 * connection, its style and its skeleton, what its first picture is made of,
 * its script, and then the bulk, column by column.  docs/decisions/0021 has
 * the columns' names.
 */
#ifndef SYC_REPORT_REPORT_H
#define SYC_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

struct syc_report {
	struct syscap_profile *profile;
	const struct syscap_view *view; /* of the samples */
	const struct syscap_view *heap; /* of the allocations, or NULL */
	struct syscap_reader *reader;   /* for texts that the profile has not */
	const char *name;               /* the capture's */
	const char *filter;             /* as it was given, or "" */
	const char *version;            /* of syscap */
	const char *check; /* what `syscap check` says, lines, or "" */
	bool redact;       /* leave out what tells of people and machines */
	uint64_t max_size; /* of the page; 0: any */
	FILE *out;
	/* Set by the writer: marks that are only in sums. */
	uint64_t n_marks_summed;
};

/** 0 or -ENOMEM; errors of @out are its own. */
int syc_report_write(struct syc_report *report);

#endif
