/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading.h - one reading of all sources: who says what, and the frames of it.
 *
 * Values are gathered in the order in which they were set; those of one
 * process are one CTRSET.
 */
#ifndef SYC_COLLECT_READING_H
#define SYC_COLLECT_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/asked.h"
#include "collect/kept_file.h"
#include "data/array.h"

struct syc_reading_value {
	uint32_t id;
	uint64_t value;
};

struct syc_reading {
	const struct syc_counters_options *options;
	int64_t now;
	int64_t before;            /* the last reading; 0: this is the first */
	struct syc_kept_file stat; /* /proc/stat, that two sources want */
	bool has_stat;
	uint64_t defined;
	SYC_ARRAY(struct syc_reading_value) system;
	SYC_ARRAY(struct syc_reading_value) process;
	SYC_ARRAY(struct syscap_wire_counter) fresh; /* not written yet */
	SYC_ARRAY(bool) fresh_is_process;
};

/** A counter of the machine, or of the process. */
enum syc_reading_of {
	SYC_READING_SYSTEM,
	SYC_READING_PROCESS
};

enum syc_reading_type {
	SYC_READING_INT,
	SYC_READING_DOUBLE
};

struct syc_reading_counter {
	enum syc_reading_of of;
	enum syc_reading_type type;
	const char *category, *name, *description;
};

/** Returns an id for its values; 0, which is no counter, where there is no
 * more. */
uint32_t syc_reading_define(struct syc_reading *reading,
                            const struct syc_reading_counter *counter);

/** The value that a counter of @id has now; nothing for 0. */
void syc_reading_set(struct syc_reading *reading, uint32_t id, int64_t value);
void syc_reading_set_double(struct syc_reading *reading, uint32_t id,
                            double value);
void syc_reading_set_process(struct syc_reading *reading, uint32_t id,
                             int64_t value);

/** The text of /proc/stat, the same for all of one reading; or NULL. */
const char *syc_reading_stat(struct syc_reading *reading);

void syc_reading_begin(struct syc_reading *reading, int64_t now);

/** Write what is new, then the values. */
void syc_reading_end(struct syc_reading *reading);

void syc_reading_fini(struct syc_reading *reading);

#endif
