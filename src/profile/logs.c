/* SPDX-License-Identifier: BSD-2-Clause */
/* logs.c - the lines of logs of a capture; their messages stay in the file. */
#include "profile/logs.h"

#include <stdlib.h>
#include <string.h>

void syc_logs_fini(struct syc_logs *logs)
{
	free(logs->items.items);
}

int syc_logs_add(struct syc_logs *logs, struct syc_texts *texts,
                 const struct syscap_frame *frame, uint32_t thread)
{
	struct syscap_profile_log log = {
		.time = frame->time,
		.offset = frame->offset,
		.thread = thread,
		.severity = frame->log.severity,
	};
	int r = syc_texts_keep(texts, frame->log.domain,
	                       strlen(frame->log.domain), &log.domain);

	return r == 0 ? syc_array_push(&logs->items, log) : r;
}
