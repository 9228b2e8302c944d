/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - a capture as one self-contained HTML file.
 *
 * The writer writes the page from front to back.  The page begins with a policy
 * (no connections), the style and the skeleton.  The data of the first picture,
 * the script, and all other data follow, column by column. docs/decisions/0021
 * lists the names of the columns.
 */
#ifndef SYC_REPORT_REPORT_H
#define SYC_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

enum {
	SYC_WAITS_BLOCKED,
	SYC_WAITS_STALLED,
	SYC_N_WAITS
};

struct syc_report {
	struct syscap_profile *profile;
	const struct syscap_view *view; /* view of the samples */
	const struct syscap_view *heap; /* view of the allocations, or NULL */
	/* Views of calls that blocked and of stalls, or NULL. */
	const struct syscap_view *waits[SYC_N_WAITS];
	/* Reader for texts that the profile lacks. */
	struct syscap_reader *reader;
	const char *name; /* name of the capture */
	/* The compared capture and the view of its samples, or NULL. */
	const struct syscap_profile *other;
	const struct syscap_view *other_view;
	const char *other_name;
	const struct syscap_filter *asked; /* filter of the views */
	const char *filter;                /* filter options as given, or "" */
	const char *version;               /* version of syscap */
	const char *check;                 /* output of `syscap check`, or "" */
	/* Lines "BINARY=PACKAGE" of binaries without names, or NULL. */
	const char *packages;
	bool with_source;    /* embed the source files of functions */
	bool redact;         /* omit names of people and machines */
	bool with_recording; /* the page first shows syscap's own code, too */
	const char *of;      /* the amount that the page first shows, or "" */
	/* Limit in bytes; fit_page.c describes the omitted data. */
	uint64_t max_size;
	FILE *out;

	/* Results of the writer: */
	uint64_t written; /* size in bytes, at most */
	uint64_t n_marks_summed;
	uint64_t n_values_omitted, n_logs_omitted, n_sources_omitted;
	/* Cells of combined events, ns; 0: events are not combined. */
	uint64_t heap_cell, sample_cell, wait_cells[SYC_N_WAITS];
};

/** Return whether the data of pages are compressed. */
bool syc_report_has_zlib(void);

/** Returns 0 or -ENOMEM; errors of @out stay in @out. */
int syc_report_write(struct syc_report *report);

#endif
