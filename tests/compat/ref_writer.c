/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ref_writer.c - a program with a capture writer of the reference.  The program
 * writes 500 marks, a counter with id 1, and samples in two functions with
 * names but no code.  With an argument, the program ends without finishing its
 * file.
 */
#include <string.h>
#include <unistd.h>

#include <syscap.h>
#include <sysprof-capture.h>

#include "harness/have_a_ring.h"

SYSCAP_COUNTER(ours, "both", "ours", "From the library", SYSCAP_INT64);

int main(int argc, char **argv)
{
	SysprofCaptureWriter *const writer =
		sysprof_capture_writer_new_from_env(0);
	SysprofCaptureCounter counter = {
		.type = SYSPROF_CAPTURE_COUNTER_INT64
	};
	SysprofCaptureCounterValue value = { .v64 = 0 };

	(void)argv;
	if (writer == NULL)
		return 1;
	const unsigned id = sysprof_capture_writer_request_counter(writer, 1);
	counter.id = id;
	strcpy(counter.category, "both");
	strcpy(counter.name, "theirs");
	sysprof_capture_writer_define_counters(writer,
	                                       SYSPROF_CAPTURE_CURRENT_TIME, -1,
	                                       getpid(), &counter, 1);
	have_a_ring();
	for (unsigned i = 0; i < 500; i++) {
		const int64_t now = SYSPROF_CAPTURE_CURRENT_TIME;
		const SysprofCaptureAddress frames[2] = {
			sysprof_capture_writer_add_jitmap(writer, "inner"),
			sysprof_capture_writer_add_jitmap(writer, "outer"),
		};

		sysprof_capture_writer_add_mark(writer, now, -1, getpid(), 10,
		                                "writer", "mark", "m");
		sysprof_capture_writer_add_sample(writer, now, -1, getpid(),
		                                  getpid(), frames, 2);
		value.v64 = i;
		sysprof_capture_writer_set_counters(writer, now, -1, getpid(),
		                                    &id, &value, 1);
		SYSCAP_COUNTER_SET(ours, 1000 + i);
	}
	sysprof_capture_writer_flush(writer);
	if (argc != 1)
		_exit(0);
	sysprof_capture_writer_unref(writer);
	return 0;
}
