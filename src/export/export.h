/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.h - write what a profile says in the formats of other viewers.
 *
 * Errors of the output are @out's: who called looks at ferror().  What a
 * format cannot hold is listed in docs/export.md.
 */
#ifndef SYC_EXPORT_EXPORT_H
#define SYC_EXPORT_EXPORT_H

#include <stdio.h>

#include <syscap/profile.h>

struct syc_export {
	struct syscap_profile *profile;
	const struct syscap_view *view;     /* of the samples */
	const struct syscap_view *heap;     /* of the allocations, or NULL */
	const struct syscap_filter *filter; /* for events: time and thread */
	struct syscap_reader *reader; /* of the capture: for texts that the
	                               * profile has not */
	const char *name;             /* what the viewer calls it */
	int64_t capture_time;         /* seconds since 1970; 0: not known */
	FILE *out;
	/* Set by the writer: marks that another lane holds, and that are left
	 * out therefore. */
	uint64_t n_overlaps;
	/* The same: values of counters that are not finite. */
	uint64_t n_no_numbers;
	uint64_t n_ticks; /* ticks of samples that are left out */
};

/** Does the filter let @mark pass? */
bool syc_export_has_mark(const struct syc_export *export,
                         const struct syscap_profile_mark *mark);

/** 0 or -ENOMEM. */
int syc_export_folded(struct syc_export *export);
int syc_export_speedscope(struct syc_export *export);
int syc_export_firefox(struct syc_export *export);
int syc_export_pprof(struct syc_export *export);
int syc_export_callgrind(struct syc_export *export);
int syc_export_chrome(struct syc_export *export);
int syc_export_perfetto(struct syc_export *export);
int syc_export_csv_functions(struct syc_export *export);
int syc_export_csv_samples(struct syc_export *export);
int syc_export_csv_marks(struct syc_export *export);
int syc_export_csv_counters(struct syc_export *export);
int syc_export_csv_logs(struct syc_export *export);
int syc_export_csv_allocations(struct syc_export *export);
int syc_export_csv_losses(struct syc_export *export);

#endif
