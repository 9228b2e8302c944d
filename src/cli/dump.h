/* SPDX-License-Identifier: BSD-2-Clause */
/* dump.h - the two forms of `syscap dump`, one line a frame. */
#ifndef SYC_CLI_DUMP_H
#define SYC_CLI_DUMP_H

#include <syscap/profile.h>

#include "capture/line_table.h"
#include "cli/counter_stats.h"
#include "data/json.h"

struct syc_dump {
	const struct syscap_reader *reader;
	int64_t begin;   /* of the capture; text shows times after it */
	bool is_foreign; /* of the other byte order */
	/* Types of values: all definitions at first, then as they are met. */
	struct syc_counter_stats counters;
	struct syc_json json;
	/* Names of addresses, for text: the profile and the stack of the frame
	 * that is shown; NONE: it has none, or there are no names. */
	const struct syscap_profile *profile;
	uint32_t stack;
	struct syc_line_table lines; /* the capture's, for them */
};

void syc_dump_json(struct syc_dump *dump, const struct syscap_frame *frame);
void syc_dump_text(const struct syc_dump *dump,
                   const struct syscap_frame *frame);

#endif
