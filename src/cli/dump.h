/* SPDX-License-Identifier: BSD-2-Clause */
/* dump.h - one frame of `syscap dump` as text or as JSON. */
#ifndef SYC_CLI_DUMP_H
#define SYC_CLI_DUMP_H

#include "capture/line_table.h"
#include "cli/stat_summary.h"
#include "common/json.h"

struct syc_dump {
	const struct syscap_reader *reader;
	int64_t begin;   /* beginning of the capture, to which times in text are
	                  * relative */
	bool is_foreign; /* the capture has the other byte order */
	/*
	 * Types of values: all definitions at first, then each definition when
	 * it is read.
	 */
	struct syc_counter_stats counters;
	struct syc_json json;
	/* For names of addresses in text: the profile and the stack of the
	 * frame; NONE: no stack, or no names. */
	const struct syscap_profile *profile;
	uint32_t stack;
	struct syc_line_table lines; /* the capture's source lines, for names */
};

void syc_dump_json(struct syc_dump *dump, const struct syscap_frame *frame);
void syc_dump_text(const struct syc_dump *dump,
                   const struct syscap_frame *frame);

#endif
