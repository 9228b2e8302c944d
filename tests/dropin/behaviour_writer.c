/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_writer.c - files of a writer, and times of its writes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "behaviour.h"

#define HEADER 256

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static off_t size_of(const char *name)
{
	struct stat st;

	CHECK(stat(name, &st) == 0);
	return st.st_size;
}

static void a_new_file_has_its_header_at_once(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureFileHeader header;

	CHECK(size_of("capture") == HEADER);
	CHECK(behaviour_load("capture", &header, HEADER) == HEADER);
	CHECK(header.magic == SYSPROF_CAPTURE_MAGIC);
	CHECK(header.version == 1);
	CHECK(header.little_endian ==
	      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
	CHECK(header.time > 0);
	CHECK(header.time <= SYSPROF_CAPTURE_CURRENT_TIME);
	CHECK(strlen(header.capture_time) == 20);
	CHECK(header.capture_time[19] == 'Z');
	sysprof_capture_writer_unref(writer);
}

static void a_new_file_replaces_an_old_one(void)
{
	static const char old[5000];
	SysprofCaptureWriter *writer;

	behaviour_store("capture", old, sizeof(old));
	writer = behaviour_writer_open();
	sysprof_capture_writer_unref(writer);
	CHECK(size_of("capture") == HEADER);
}

static void others_may_not_read_a_new_file(void)
{
	SysprofCaptureWriter *writer;
	struct stat st;

	umask(0);
	writer = behaviour_writer_open();
	CHECK(stat("capture", &st) == 0);
	CHECK((st.st_mode & 07777) == 0640);
	sysprof_capture_writer_unref(writer);
}

static void a_file_that_cannot_be_made_is_an_error(void)
{
	errno = 0;
	CHECK(sysprof_capture_writer_new("missing/capture", 0) == NULL);
	CHECK(errno == ENOENT);
	CHECK(sysprof_capture_writer_new_from_fd(-1, 0) == NULL);
}

static void the_buffer_has_the_size_that_was_asked_for(void)
{
	size_t page = sysprof_getpagesize();
	SysprofCaptureWriter *writer = behaviour_writer_open();

	CHECK(sysprof_capture_writer_get_buffer_size(writer) == 64 * page);
	sysprof_capture_writer_unref(writer);
	writer = sysprof_capture_writer_new("capture", 16 * page);
	CHECK(writer != NULL);
	CHECK(sysprof_capture_writer_get_buffer_size(writer) == 16 * page);
	sysprof_capture_writer_unref(writer);
}

static void the_last_reference_closes_the_descriptor(void)
{
	int fd = sysprof_memfd_create("capture");
	SysprofCaptureWriter *writer =
		sysprof_capture_writer_new_from_fd(fd, 0);

	CHECK(writer != NULL);
	CHECK(sysprof_capture_writer_ref(writer) == writer);
	sysprof_capture_writer_unref(writer);
	CHECK(is_open(fd));
	CHECK(sysprof_capture_writer_add_timestamp(writer, 1, CPU, PID));
	sysprof_capture_writer_unref(writer);
	CHECK(!is_open(fd));
}

static void a_descriptor_loses_what_it_held(void)
{
	int fd = sysprof_memfd_create("capture"), same = dup(fd);
	SysprofCaptureWriter *writer;
	struct stat st;

	CHECK(ftruncate(fd, 100000) == 0);
	writer = sysprof_capture_writer_new_from_fd(fd, 0);
	CHECK(writer != NULL);
	CHECK(fstat(same, &st) == 0 && st.st_size == HEADER);
	sysprof_capture_writer_unref(writer);
	close(same);
}

static void a_pipe_gets_header_and_frames(void)
{
	SysprofCaptureWriter *writer;
	SysprofCaptureFrame frame;
	uint8_t data[4096];
	int ends[2];

	CHECK(pipe(ends) == 0);
	writer = sysprof_capture_writer_new_from_fd(ends[1], 0);
	CHECK(writer != NULL);
	CHECK(sysprof_capture_writer_add_exit(writer, 77, CPU, PID));
	sysprof_capture_writer_unref(writer);
	CHECK(read(ends[0], data, sizeof(data)) == HEADER + sizeof(frame));
	memcpy(&frame, data + HEADER, sizeof(frame));
	CHECK(frame.type == SYSPROF_CAPTURE_FRAME_EXIT);
	CHECK(frame.len == sizeof(frame) && frame.time == 77);
	close(ends[0]);
}

static void flush_writes_what_was_added(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureFileHeader header;
	int64_t before;

	CHECK(sysprof_capture_writer_add_timestamp(writer, 1, CPU, PID));
	before = SYSPROF_CAPTURE_CURRENT_TIME;
	CHECK(sysprof_capture_writer_flush(writer));
	CHECK(size_of("capture") == HEADER + 24);
	CHECK(behaviour_load("capture", &header, HEADER) == HEADER);
	CHECK(header.end_time >= before - 1000000);
	CHECK(sysprof_capture_writer_flush(writer));
	CHECK(size_of("capture") == HEADER + 24);
	sysprof_capture_writer_unref(writer);
}

static void a_full_buffer_is_written_by_itself(void)
{
	SysprofCaptureWriter *writer =
		sysprof_capture_writer_new("capture", sysprof_getpagesize());
	SysprofCaptureReader *reader;
	int i;

	CHECK(writer != NULL);
	for (i = 0; i < 10000; i++)
		CHECK(sysprof_capture_writer_add_timestamp(writer, i, CPU,
		                                           PID));
	CHECK(size_of("capture") >= 9000 * 24);
	reader = behaviour_reader_open(writer);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_TIMESTAMP) ==
	      10000);
	sysprof_capture_reader_unref(reader);
}

static void a_write_that_fails_returns_its_errno(void)
{
	SysprofCaptureWriter *writer;
	bool is_written = true;
	int ends[2], i;

	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(ends) == 0);
	writer = sysprof_capture_writer_new_from_fd(ends[1], 0);
	CHECK(writer != NULL);
	close(ends[0]);
	for (i = 0; is_written && i < 100000; i++) {
		errno = 0;
		is_written = sysprof_capture_writer_add_mark(
			writer, 1, CPU, PID, 1, "group", "name", "message");
	}
	CHECK(!is_written && errno == EPIPE);
	errno = 0;
	CHECK(!sysprof_capture_writer_flush(writer) && errno == EPIPE);
	sysprof_capture_writer_unref(writer);
}

static void stat_counts_what_was_added(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureStat counts;
	int i;

	for (i = 0; i < 5; i++)
		CHECK(sysprof_capture_writer_add_exit(writer, i, CPU, PID));
	CHECK(sysprof_capture_writer_add_fork(writer, 9, CPU, PID, 4));
	memset(&counts, 0xff, sizeof(counts));
	sysprof_capture_writer_stat(writer, &counts);
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_EXIT] == 5);
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_FORK] == 1);
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_MARK] == 0);
	sysprof_capture_writer_unref(writer);
}

static void a_reader_can_be_made_of_a_writer(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;
	SysprofCaptureStat counts;

	CHECK(sysprof_capture_writer_add_exit(writer, 1, CPU, PID));
	reader = sysprof_capture_writer_create_reader(writer);
	CHECK(reader != NULL);
	CHECK(sysprof_capture_reader_get_stat(reader, &counts));
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_EXIT] == 1);
	CHECK(sysprof_capture_writer_add_fork(writer, 2, CPU, PID, 4));
	sysprof_capture_writer_unref(writer);
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void save_as_copies_what_was_added_so_far(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_exit(writer, 1, CPU, PID));
	CHECK(sysprof_capture_writer_save_as(writer, "copy"));
	CHECK(sysprof_capture_writer_add_exit(writer, 2, CPU, PID));
	CHECK(size_of("copy") == HEADER + 24);
	reader = behaviour_reader_open(writer);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_EXIT) == 2);
	sysprof_capture_reader_unref(reader);
	reader = sysprof_capture_reader_new("copy");
	CHECK(reader != NULL);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_EXIT) == 1);
	sysprof_capture_reader_unref(reader);
}

static void save_as_to_nowhere_is_an_error(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();

	errno = 0;
	CHECK(!sysprof_capture_writer_save_as(writer, "missing/copy"));
	CHECK(errno == ENOENT);
	CHECK(sysprof_capture_writer_add_exit(writer, 2, CPU, PID));
	sysprof_capture_writer_unref(writer);
	CHECK(size_of("capture") == HEADER + 24);
}

static void the_environment_names_a_descriptor(void)
{
	int fd = sysprof_memfd_create("capture");
	SysprofCaptureWriter *writer;
	SysprofCaptureReader *reader;
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	setenv("SYSPROF_TRACE_FD", number, 1);
	writer = sysprof_capture_writer_new_from_env(0);
	CHECK(writer != NULL);
	CHECK(sysprof_capture_writer_add_exit(writer, 1, CPU, PID));
	sysprof_capture_writer_unref(writer);
	CHECK(is_open(fd));
	reader = sysprof_capture_reader_new_from_fd(fd);
	CHECK(reader != NULL);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_EXIT) == 1);
	sysprof_capture_reader_unref(reader);
}

static void the_environment_may_name_none(void)
{
	static const char *const others[] = { "", "0", "1", "-1", "frog" };
	size_t i;

	unsetenv("SYSPROF_TRACE_FD");
	errno = EDOM;
	CHECK(sysprof_capture_writer_new_from_env(0) == NULL);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		setenv("SYSPROF_TRACE_FD", others[i], 1);
		CHECK(sysprof_capture_writer_new_from_env(0) == NULL);
	}
	CHECK(errno == EDOM);
}

const struct behaviour behaviour_writer[] = {
	BEHAVIOUR(a_new_file_has_its_header_at_once),
	BEHAVIOUR(a_new_file_replaces_an_old_one),
	BEHAVIOUR(others_may_not_read_a_new_file),
	BEHAVIOUR(a_file_that_cannot_be_made_is_an_error),
	BEHAVIOUR(the_buffer_has_the_size_that_was_asked_for),
	BEHAVIOUR(the_last_reference_closes_the_descriptor),
	BEHAVIOUR(a_descriptor_loses_what_it_held),
	BEHAVIOUR(a_pipe_gets_header_and_frames),
	BEHAVIOUR(flush_writes_what_was_added),
	BEHAVIOUR(a_full_buffer_is_written_by_itself),
	BEHAVIOUR(a_write_that_fails_returns_its_errno),
	BEHAVIOUR(stat_counts_what_was_added),
	BEHAVIOUR(a_reader_can_be_made_of_a_writer),
	BEHAVIOUR(save_as_copies_what_was_added_so_far),
	BEHAVIOUR(save_as_to_nowhere_is_an_error),
	BEHAVIOUR(the_environment_names_a_descriptor),
	BEHAVIOUR(the_environment_may_name_none),
	{ NULL, NULL },
};
