/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - what a page is asked for. */
#ifndef SYC_REPORT_ASKED_H
#define SYC_REPORT_ASKED_H

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
	/* What it is compared with, and whose samples; or NULL. */
	const struct syscap_profile *other;
	const struct syscap_view *other_view;
	const char *other_name;
	const struct syscap_filter *asked; /* of the views */
	const char *filter;                /* as it was given, or "" */
	const char *version;               /* of syscap */
	const char *check; /* what `syscap check` says, lines, or "" */
	bool redact;       /* leave out what tells of people and machines */
	uint64_t max_size; /* bytes; marks that do not fit are summed up */
	FILE *out;

	/* Told: */
	uint64_t n_marks_summed;
};

#endif
