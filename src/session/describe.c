/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.c - PROCESS and METADATA frames of this process.
 *
 * capture/compose.c writes the same bytes for the same facts.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "base/text.h"
#include "os/process.h"
#include "session/process_frames.h"

/* A command line is cut to this size, as in emit/process.c */
#define CMDLINE_MAX 1024u

bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data)
{
	struct {
		struct syscap_wire_frame frame;
		char cmdline[CMDLINE_MAX + 8];
	} process;

	memset(&process, 0, sizeof(process));
	size_t n = syc_own_proc_cmdline(process.cmdline, CMDLINE_MAX);
	n = syc_text_cut(process.cmdline, n, CMDLINE_MAX - 1);
	if (n == 0) { /* without /proc, the process still needs a name */
		struct syc_text text = syc_text_begin(process.cmdline, 32);

		syc_text_add(&text, "[pid ");
		syc_text_add_i64(&text, pid);
		syc_text_add(&text, "]");
		n = (size_t)(text.at - process.cmdline);
	}
	memset(process.cmdline + n, 0, sizeof(process.cmdline) - n);
	syc_frame_begin(&process.frame, SYSCAP_FRAME_PROCESS, pid, now);
	return emit(
		data, &process,
		syc_frame_end(&process.frame, sizeof(process.frame) + n + 1));
}

uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value)
{
	return syc_frame_metadata(frame, pid, time, id, value);
}
