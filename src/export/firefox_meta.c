/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_meta.c - what a Firefox profile says of itself. */
#include "export/firefox_meta.h"

#include "export/firefox_markers.h"
#include "export/firefox_tables.h"

/*
 * The versions of the formats, processed and Gecko's, that we write.  Viewers
 * read all that are older than theirs, and none that is newer.
 */
#define PROCESSED_VERSION 70
#define GECKO_VERSION     36

#define NS_DIGITS 6 /* of a ms */

/* The shortest there is; the viewer needs one. */
static int64_t find_period(const struct syscap_profile *profile)
{
	const struct syscap_profile_process *processes;
	int64_t period = 0;
	size_t n;

	processes = syscap_profile_processes(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (processes[i].period_ns > 0 &&
		    (period == 0 || processes[i].period_ns < period))
			period = processes[i].period_ns;
	return period > 0 ? period : 1000000;
}

static void write_units(struct syc_json *json)
{
	syc_json_key(json, "sampleUnits");
	syc_json_begin_object(json);
	syc_json_member_text(json, "time", "ms");
	syc_json_member_text(json, "eventDelay", "ms");
	syc_json_member_text(json, "threadCPUDelta", "ns");
	syc_json_end_object(json);
}

void syc_firefox_meta(struct syc_json *json, const struct syc_export *export)
{
	syc_json_key(json, "meta");
	syc_json_begin_object(json);
	syc_json_key(json, "interval");
	syc_json_fixed(json, find_period(export->profile), NS_DIGITS);
	syc_json_member_integer(json, "startTime", export->capture_time * 1000);
	syc_json_member_integer(json, "processType", 0);
	syc_json_member_text(json, "product", export->name);
	syc_json_member_integer(json, "stackwalk", 1);
	syc_json_member_integer(json, "version", GECKO_VERSION);
	syc_json_member_integer(json, "preprocessedProfileVersion",
	                        PROCESSED_VERSION);
	syc_json_member_bool(json, "symbolicated", true);
	syc_json_member_text(json, "importedFrom", "syscap");
	syc_json_member_bool(json, "usesOnlyOneStackType", true);
	syc_json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
	write_units(json);
	syc_json_key(json, "categories");
	syc_firefox_tables_categories(json);
	syc_json_key(json, "markerSchema");
	syc_firefox_markers_schema(json);
	syc_json_end_object(json);
	syc_json_key(json, "libs");
	syc_json_begin_array(json);
	syc_json_end_array(json);
}
