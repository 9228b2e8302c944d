/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading.h - one reading of all sources: who says what, and the frames of it.
 *
 * Values are gathered in the order in which they were set; those of one
 * process are one CTRSET, or several where there are hundreds.  A counter is
 * defined in a frame before the one that has its first value.
 */
#ifndef SYC_COLLECT_READING_H
#define SYC_COLLECT_READING_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/format.h>

#include "collect/kept_file.h"
#include "collect/options.h"

/* Of either in one frame: less than 4 KiB */
#define SYC_READING_DEFINED 31u
#define SYC_READING_GROUPS  42u

/* Of one file; with a thousand processors /proc/stat has 60 KiB */
#define SYC_READING_TEXT (UINT32_C(1) << 20)

/* A counter of the machine, or of the process. */
enum syc_reading_of {
	SYC_READING_SYSTEM,
	SYC_READING_PROCESS,
	SYC_READING_OF
};

enum syc_reading_type {
	SYC_READING_INT,
	SYC_READING_DOUBLE
};

/** What is not written yet. */
struct syc_reading_frames {
	unsigned n_counters, n_values;
	struct {
		struct syscap_wire_ctrdef ctrdef;
		struct syscap_wire_counter counters[SYC_READING_DEFINED];
	} definitions;
	struct {
		struct syscap_wire_ctrset ctrset;
		struct syscap_wire_values groups[SYC_READING_GROUPS];
	} values;
};

struct syc_reading {
	const struct syc_counters_options *options;
	int64_t now;
	int64_t before; /* the last reading; 0: this is the first */
	uint64_t defined;
	struct syc_kept_file stat; /* /proc/stat, that two sources want */
	const char *stat_text;
	bool has_stat;
	struct syc_kept_place place;      /* of `text` */
	struct syc_kept_place stat_place; /* of `of_stat` */
	struct syc_reading_frames frames[SYC_READING_OF];
	char text[SYC_READING_TEXT], of_stat[SYC_READING_TEXT];
};

struct syc_reading_counter {
	enum syc_reading_of of;
	enum syc_reading_type type;
	const char *category, *name, *description;
};

void syc_reading_init(struct syc_reading *reading,
                      const struct syc_counters_options *options);
void syc_reading_fini(struct syc_reading *reading);

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

/** The text of a file, until the next is read; or NULL. */
const char *syc_reading_file(struct syc_reading *reading,
                             struct syc_kept_file *file, const char *path);

/** The same; what it holds is a number. */
bool syc_reading_number(struct syc_reading *reading, struct syc_kept_file *file,
                        const char *path, int64_t *ret_number);

/** The text of /proc/stat, the same for all of one reading; or NULL. */
const char *syc_reading_stat(struct syc_reading *reading);

void syc_reading_begin(struct syc_reading *reading, int64_t now);

/** Write what is left of what is new, then of the values. */
void syc_reading_end(struct syc_reading *reading);

#endif
