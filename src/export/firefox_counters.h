/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_counters.h - the counters of a Firefox profile. */
#ifndef SYC_EXPORT_FIREFOX_COUNTERS_H
#define SYC_EXPORT_FIREFOX_COUNTERS_H

#include "data/json.h"
#include "export/export.h"
#include "export/group.h"

struct syc_firefox_counters {
	const struct syc_export *export;
	struct syscap_profile_values values;
	struct syc_group by_counter; /* values that pass the filter */
	bool *threads;               /* those that have one */
	uint64_t n_no_numbers;       /* values that would pass but are none */
};

/** 0 or -ENOMEM. */
int syc_firefox_counters_init(struct syc_firefox_counters *counters,
                              const struct syc_export *export);
void syc_firefox_counters_fini(struct syc_firefox_counters *counters);

/** Has @counter anything that is written? */
bool syc_firefox_counters_has(const struct syc_firefox_counters *counters,
                              size_t counter);

/** Three members of the object of @counter: what it is, how it is drawn, and
 * its samples. */
void syc_firefox_counters_write(const struct syc_firefox_counters *counters,
                                struct syc_json *json, uint32_t counter);

#endif
