/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.h - writers of every export format, and their common helpers.
 *
 * Output errors stay in @out; the caller checks ferror(). docs/export.md lists
 * what each format cannot hold.
 */
#ifndef SYC_EXPORT_EXPORT_H
#define SYC_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

struct syc_export {
	struct syscap_profile *profile;
	const struct syscap_view *view; /* view of the samples */
	/* View of the allocations, or NULL. */
	const struct syscap_view *heap;
	/* Filter of events by time and thread. */
	const struct syscap_filter *filter;
	struct syscap_reader *reader; /* reader of the capture, for texts that
	                               * the profile lacks */
	const char *name;             /* title for the viewer */
	int64_t capture_time;         /* seconds since 1970; 0: unknown */
	FILE *out;
	/*
	 * Set by the writer: number of omitted marks, which are in another
	 * lane.
	 */
	uint64_t n_overlaps;
	/* Set by the writer: number of omitted values of counters, which are
	 * not finite. */
	uint64_t n_no_numbers;
	uint64_t n_ticks; /* ticks of omitted samples */
};

/** Whether @mark passes the filter. */
bool syc_export_has_mark(const struct syc_export *export,
                         const struct syscap_profile_mark *mark);

/** Returns 0 or -ENOMEM. */
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

/** Whether @unit is time, in ns. */
bool syc_amount_is_time(enum syscap_view_unit unit);

/** Print "12.3 ms", "17 ticks" or "4096 bytes". */
void syc_amount_print(FILE *out, enum syscap_view_unit unit, uint64_t amount);

/*
 * Category and name have at most 32 bytes each, and each byte may become three
 * bytes.
 */
#define SYC_COUNTER_NAME_SIZE 256

/**
 * Store "CATEGORY: NAME", or "counter ID" for a counter without a definition.
 */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE]);

struct syc_pids {
	/* Pid of each process; -1: pid of events without a process. */
	int32_t *items;
	size_t n;
};

/** Returns 0 or -ENOMEM. */
int syc_pids_init(struct syc_pids *pids, const struct syscap_profile *profile);
void syc_pids_fini(struct syc_pids *pids);

#endif
