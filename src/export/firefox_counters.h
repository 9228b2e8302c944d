/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_counters.h - the counters of a Firefox profile. */
#ifndef SYC_EXPORT_FIREFOX_COUNTERS_H
#define SYC_EXPORT_FIREFOX_COUNTERS_H

#include "data/json.h"
#include "export/export.h"

struct syc_firefox_value {
	int64_t time;
	uint64_t bits;
};

struct syc_firefox_counters {
	const struct syc_export *export;
	uint64_t *counts;      /* of each, values that pass the filter */
	bool *threads;         /* those that have one */
	uint64_t n_no_numbers; /* values that would pass but are none */
	/* Values of the counters from @first to @end - 1, one after another. */
	struct syc_firefox_value *values;
	size_t first, end;
	size_t at; /* of those of the next one to be written */
};

/** 0 or -ENOMEM. */
int syc_firefox_counters_init(struct syc_firefox_counters *counters,
                              const struct syc_export *export);
void syc_firefox_counters_fini(struct syc_firefox_counters *counters);

/** Has @counter anything that is written? */
bool syc_firefox_counters_has(const struct syc_firefox_counters *counters,
                              size_t counter);

/**
 * Three members of the object of @counter: what it is, how it is drawn, and its
 * samples.  Counters are written in order.  0 or -ENOMEM.
 */
int syc_firefox_counters_write(struct syc_firefox_counters *counters,
                               struct syc_json *json, uint32_t counter);

#endif
