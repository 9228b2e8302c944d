/* SPDX-License-Identifier: BSD-2-Clause */
/* join_state.h - what the parts of a join share: join*.c only. */
#ifndef SYC_CAPTURE_JOIN_STATE_H
#define SYC_CAPTURE_JOIN_STATE_H

#include "capture/join.h"
#include "capture/join_counters.h"
#include "capture/join_files.h"
#include "capture/join_jit.h"
#include "capture/join_pids.h"
#include "capture/join_symbols.h"

struct syc_join_input {
	char *name;
	struct syscap_reader *reader;
	struct syscap_file_info info;
	bool big;
	int64_t end; /* of the header and of all frames */
	uint64_t damaged;
	struct syc_join_counters counters;
	struct syc_join_jit jit;
	struct syc_join_pids pids;
	struct syc_join_files files;
};

struct syc_join {
	struct syc_join_options options;
	struct syc_join_totals totals;
	SYC_ARRAY(struct syc_join_input *) inputs;
	struct syc_join_paths paths;
	unsigned char *symbols; /* the merged table, or NULL */
	size_t symbols_size;
	int64_t symbols_time; /* of the first of the tables */
	unsigned char *lines; /* the same of source lines */
	size_t lines_size;
	int64_t lines_time;
	uint64_t done, all; /* bytes read, and to be read */
	uint64_t next_progress;
};

/** Tell of @input, which may be NULL, what printf() makes of @format. */
void syc_join_tell(struct syc_join *join, const struct syc_join_input *input,
                   bool is_problem, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** @bytes more were read. */
void syc_join_advance(struct syc_join *join, uint64_t bytes);

#endif
