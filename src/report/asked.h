/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - what a page is asked for. */
#ifndef SYC_REPORT_ASKED_H
#define SYC_REPORT_ASKED_H

#include <stdbool.h>
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
	FILE *out;
};

#endif
