/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_markers.h - the markers of a Firefox profile: marks, logs and lost
 * intervals, by thread and time.
 */
#ifndef SYC_EXPORT_FIREFOX_MARKERS_H
#define SYC_EXPORT_FIREFOX_MARKERS_H

#include "data/json.h"
#include "export/export.h"
#include "export/firefox_tables.h"
#include "export/group.h"

struct syc_firefox_markers {
	const struct syc_export *export;
	const struct syc_firefox_tables *tables;
	const struct syscap_profile_log *logs;
	const struct syscap_profile_loss *losses;
	size_t n_marks, n_logs;
	struct syc_group by_thread; /* marks, then logs, then the view's losses,
	                             * by number */
};

/** Those that pass the filter.  0 or -ENOMEM. */
int syc_firefox_markers_init(struct syc_firefox_markers *markers,
                             const struct syc_export *export,
                             const struct syc_firefox_tables *tables);
void syc_firefox_markers_fini(struct syc_firefox_markers *markers);

/** The value of meta.markerSchema. */
void syc_firefox_markers_schema(struct syc_json *json);

/** The value of a thread's member "markers".  0 or -ENOMEM. */
int syc_firefox_markers_write(const struct syc_firefox_markers *markers,
                              struct syc_json *json, uint32_t thread);

/** @time in ms after the beginning of the capture, at @begin. */
void syc_firefox_time(struct syc_json *json, int64_t begin, int64_t time);

#endif
