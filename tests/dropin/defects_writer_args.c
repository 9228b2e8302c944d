/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_args.c - invalid arguments must give false or NULL, and never
 * end the program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW SYSPROF_CAPTURE_CURRENT_TIME

static SysprofCaptureWriter *writer;

static void mark_without_group(void)
{
	sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, NULL, "n", "m");
}

static void mark_without_name(void)
{
	sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g", NULL, NULL);
}

static void metadata_without_id(void)
{
	sysprof_capture_writer_add_metadata(writer, NOW, -1, -1, NULL, "v", -1);
}

static void overlay_without_directories(void)
{
	sysprof_capture_writer_add_overlay(writer, NOW, -1, 7, 0, NULL, NULL);
}

static void file_without_path(void)
{
	sysprof_capture_writer_add_file(writer, NOW, -1, 7, NULL, true,
	                                (const uint8_t *)"x", 1);
}

static void file_without_descriptor(void)
{
	sysprof_capture_writer_add_file_fd(writer, NOW, -1, 7, "/x", -1);
}

static void stack_of_nothing(void)
{
	sysprof_capture_writer_add_sample(writer, NOW, -1, 7, 8, NULL, 3);
	sysprof_capture_writer_add_allocation_copy(writer, NOW, -1, 7, 8, 1, 2,
	                                           NULL, 3);
}

static void allocation_without_function(void)
{
	sysprof_capture_writer_add_allocation(writer, NOW, -1, 7, 8, 1, 2, NULL,
	                                      NULL);
}

static void counter_that_nobody_has(void)
{
	SysprofCaptureCounter counter;

	memset(&counter, 0, sizeof(counter));
	counter.id = 1000;
	sysprof_capture_writer_define_counters(writer, NOW, -1, 7, &counter, 1);
}

static void counters_at_null(void)
{
	sysprof_capture_writer_define_counters(writer, NOW, -1, 7, NULL, 1);
	sysprof_capture_writer_set_counters(writer, NOW, -1, 7, NULL, NULL, 1);
}

static void no_place_for_statistics(void)
{
	sysprof_capture_writer_stat(writer, NULL);
}

static void no_file_to_save_as(void)
{
	MUST(!sysprof_capture_writer_save_as(writer, NULL));
}

static void nothing_to_join(void)
{
	MUST(!sysprof_capture_writer_cat(writer, NULL));
	MUST(!sysprof_capture_writer_splice(writer, NULL));
	MUST(!sysprof_capture_writer_splice(NULL, writer));
}

static void buffer_of_half_a_page(void)
{
	SysprofCaptureWriter *const other =
		sysprof_capture_writer_new(defect_path("half.syscap"), 2048);

	if (other != NULL)
		sysprof_capture_writer_unref(other);
}

static void no_file_name(void)
{
	MUST(sysprof_capture_writer_new(NULL, 0) == NULL);
}

static void add_to_no_writer(void)
{
	MUST(!sysprof_capture_writer_add_mark(NULL, NOW, -1, 7, 0, "g", "n",
	                                      ""));
	MUST(!sysprof_capture_writer_add_process(NULL, NOW, -1, 7, "p"));
	MUST(!sysprof_capture_writer_add_timestamp(NULL, NOW, -1, 7));
	MUST(sysprof_capture_writer_add_jitmap(NULL, "name") == 0);
}

static void ask_no_writer(void)
{
	SysprofCaptureStat stat;

	MUST(!sysprof_capture_writer_flush(NULL));
	MUST(sysprof_capture_writer_request_counter(NULL, 1) == 0);
	MUST(sysprof_capture_writer_get_buffer_size(NULL) == 0);
	sysprof_capture_writer_stat(NULL, &stat);
	MUST(sysprof_capture_writer_create_reader(NULL) == NULL);
	MUST(!sysprof_capture_writer_save_as(NULL, defect_path("none")));
}

static void drop_no_writer(void)
{
	sysprof_capture_writer_unref(NULL);
}

static void (*const deeds[])(void) = {
	mark_without_group,
	mark_without_name,
	metadata_without_id,
	overlay_without_directories,
	file_without_path,
	file_without_descriptor,
	stack_of_nothing,
	allocation_without_function,
	counter_that_nobody_has,
	counters_at_null,
	no_place_for_statistics,
	no_file_to_save_as,
	nothing_to_join,
	buffer_of_half_a_page,
	no_file_name,
	add_to_no_writer,
	ask_no_writer,
	drop_no_writer,
};

/* Checks that program and file continue. */
static void survives(int i)
{
	const char *const path = defect_path("args.syscap");
	struct bytes bytes;
	pid_t pid;
	int status;

	pid = fork();
	NEED(pid >= 0);
	if (pid == 0) {
		const int quiet = open("/dev/null", O_WRONLY);

		dup2(quiet, STDERR_FILENO);
		writer = sysprof_capture_writer_new(path, 4096);
		NEED(writer != NULL);
		deeds[i]();
		MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g",
		                                     "the last", ""));
		sysprof_capture_writer_unref(writer);
		_exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	if (WIFSIGNALED(status))
		defect_shows("the call ends the process by signal %d",
		             WTERMSIG(status));
	if (WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
	bytes = bytes_load(path);
	frames_first(&bytes, 10);
}

const struct defect defects[] = {
	{ "W-6", "a mark without a group", survives, 0 },
	{ "W-6", "a mark without a name", survives, 1 },
	{ "W-6", "metadata without an id", survives, 2 },
	{ "W-6", "an overlay without directories", survives, 3 },
	{ "W-6", "a file without a path", survives, 4 },
	{ "W-6", "a file without a descriptor", survives, 5 },
	{ "W-6", "a stack of nothing", survives, 6 },
	{ "W-6", "an allocation without a function", survives, 7 },
	{ "W-6", "an undefined counter", survives, 8 },
	{ "W-6", "counters at NULL", survives, 9 },
	{ "W-6", "no place for statistics", survives, 10 },
	{ "W-6", "no file to save as", survives, 11 },
	{ "W-6", "nothing to join", survives, 12 },
	{ "W-6", "a buffer of half a page", survives, 13 },
	{ "W-6", "no file name", survives, 14 },
	{ "W-6", "adding to no writer", survives, 15 },
	{ "W-6", "asking no writer", survives, 16 },
	{ "W-6", "dropping no writer", survives, 17 },
	{ NULL, NULL, NULL, 0 },
};
