/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_files.c - files that are embedded in a capture. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "behaviour.h"

#define LARGEST_CHUNK 65244
#define SIZE          40000

static void a_chunk_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	uint8_t *data = malloc(LARGEST_CHUNK + 1);
	const SysprofCaptureFileChunk *got;
	SysprofCaptureReader *reader;

	behaviour_pattern(data, LARGEST_CHUNK + 1);
	CHECK(sysprof_capture_writer_add_file(writer, 10, CPU, PID, "/a", false,
	                                      data, LARGEST_CHUNK));
	CHECK(sysprof_capture_writer_add_file(writer, 11, CPU, PID, "/a", true,
	                                      data, 0));
	CHECK(!sysprof_capture_writer_add_file(writer, 12, CPU, PID, "/a", true,
	                                       data, LARGEST_CHUNK + 1));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_file(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_FILE_CHUNK);
	CHECK(got->frame.time == 10 && got->frame.len == 65528);
	CHECK(got->frame.pid == PID && got->frame.cpu == CPU);
	CHECK_STR(got->path, "/a");
	CHECK(!got->is_last && got->len == LARGEST_CHUNK);
	CHECK(memcmp(got->data, data, LARGEST_CHUNK) == 0);
	got = sysprof_capture_reader_read_file(reader);
	CHECK(got != NULL);
	CHECK(got->is_last && got->len == 0);
	CHECK(sysprof_capture_reader_read_file(reader) == NULL);
	sysprof_capture_reader_unref(reader);
	free(data);
}

/*
 * "/first" from an fd, "/second" in two chunks with a mark between the chunks.
 * A frame of another type precedes each file, which the reference's reader
 * needs.
 */
static SysprofCaptureReader *two_files(const uint8_t *data)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	int fd;

	behaviour_store("first", data, SIZE);
	fd = open("first", O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(sysprof_capture_writer_add_timestamp(writer, 1, CPU, PID));
	CHECK(sysprof_capture_writer_add_file_fd(writer, 2, CPU, PID, "/first",
	                                         fd));
	CHECK(lseek(fd, 0, SEEK_CUR) == SIZE);
	close(fd);
	CHECK(sysprof_capture_writer_add_timestamp(writer, 3, CPU, PID));
	CHECK(sysprof_capture_writer_add_file(writer, 4, CPU, PID, "/second",
	                                      false, data + 5, 1000));
	CHECK(sysprof_capture_writer_add_mark(writer, 5, CPU, PID, 0, "g", "n",
	                                      "m"));
	CHECK(sysprof_capture_writer_add_file(writer, 6, CPU, PID, "/second",
	                                      true, data + 1005, 500));
	return behaviour_reader_open(writer);
}

static void check_file(SysprofCaptureReader *reader, const char *path,
                       const uint8_t *data, size_t size)
{
	int fd = sysprof_memfd_create("file");
	uint8_t *got = malloc(size + 1);

	CHECK(sysprof_capture_reader_reset(reader));
	CHECK(sysprof_capture_reader_read_file_fd(reader, path, fd));
	CHECK(behaviour_load_fd(fd, got, size + 1) == size);
	CHECK(memcmp(got, data, size) == 0);
	free(got);
	close(fd);
}

static void files_are_written_out_as_they_were(void)
{
	uint8_t *data = malloc(SIZE);
	SysprofCaptureReader *reader;
	int fd;

	behaviour_pattern(data, SIZE);
	reader = two_files(data);
	check_file(reader, "/first", data, SIZE);
	check_file(reader, "/second", data + 5, 1500);
	check_file(reader, "/first", data, SIZE);

	CHECK(sysprof_capture_reader_reset(reader));
	fd = sysprof_memfd_create("file");
	CHECK(!sysprof_capture_reader_read_file_fd(reader, "/third", fd));
	CHECK(lseek(fd, 0, SEEK_END) == 0);
	close(fd);
	sysprof_capture_reader_unref(reader);
	free(data);
}

static void files_are_listed_once_and_sorted(void)
{
	uint8_t *data = malloc(SIZE);
	SysprofCaptureReader *reader;
	const char **files, **again;

	behaviour_pattern(data, SIZE);
	reader = two_files(data);
	files = sysprof_capture_reader_list_files(reader);
	CHECK(files != NULL);
	CHECK(files[0] && files[1] && !files[2]);
	CHECK_STR(files[0], "/first");
	CHECK_STR(files[1], "/second");
	again = sysprof_capture_reader_list_files(reader);
	CHECK(again != NULL && again != files);
	CHECK_STR(again[1], "/second");
	free((void *)again);
	free((void *)files);
	sysprof_capture_reader_unref(reader);
	free(data);
}

static void a_capture_without_files_lists_none(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;
	const char **files;

	CHECK(sysprof_capture_writer_add_exit(writer, 1, CPU, PID));
	reader = behaviour_reader_open(writer);
	files = sysprof_capture_reader_list_files(reader);
	CHECK(files != NULL && files[0] == NULL);
	free((void *)files);
	sysprof_capture_reader_unref(reader);
}

static void the_first_chunk_of_a_file_is_found(void)
{
	uint8_t *data = malloc(SIZE);
	const SysprofCaptureFileChunk *got;
	SysprofCaptureReader *reader;

	behaviour_pattern(data, SIZE);
	reader = two_files(data);
	got = sysprof_capture_reader_find_file(reader, "/second");
	CHECK(got != NULL);
	CHECK_STR(got->path, "/second");
	CHECK(got->frame.time == 4 && got->len == 1000 && !got->is_last);
	CHECK(memcmp(got->data, data + 5, 1000) == 0);
	got = sysprof_capture_reader_find_file(reader, "/second");
	CHECK(got != NULL);
	CHECK(got->frame.time == 6 && got->len == 500 && got->is_last);
	CHECK(sysprof_capture_reader_find_file(reader, "/second") == NULL);
	CHECK(sysprof_capture_reader_reset(reader));
	CHECK(sysprof_capture_reader_find_file(reader, "/third") == NULL);
	sysprof_capture_reader_unref(reader);
	free(data);
}

static void an_empty_file_is_a_file(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	int fd = sysprof_memfd_create("empty");
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_file_fd(writer, 2, CPU, PID, "/empty",
	                                         fd));
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	reader = behaviour_reader_open(writer);
	check_file(reader, "/empty", (const uint8_t *)"", 0);
	sysprof_capture_reader_unref(reader);
}

const struct behaviour behaviour_files[] = {
	BEHAVIOUR(a_chunk_is_read_back),
	BEHAVIOUR(files_are_written_out_as_they_were),
	BEHAVIOUR(files_are_listed_once_and_sorted),
	BEHAVIOUR(a_capture_without_files_lists_none),
	BEHAVIOUR(the_first_chunk_of_a_file_is_found),
	BEHAVIOUR(an_empty_file_is_a_file),
	{ NULL, NULL },
};
