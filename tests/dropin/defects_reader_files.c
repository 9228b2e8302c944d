/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_reader_files.c - files embedded in a capture, and copies of a reader,
 * and cursors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"
#include "harness/make_capture.h"

static SysprofCaptureReader *reader_of(struct make_capture *capture)
{
	const char *const path = defect_path("reader.syscap");
	SysprofCaptureReader *reader;

	bytes_store(path, capture->data, capture->size);
	reader = sysprof_capture_reader_new(path);
	NEED(reader != NULL);
	return reader;
}

static void chunk(struct make_capture *capture, const char *path,
                  const char *text, bool is_last)
{
	make_file_chunk(capture, 1001, is_last, path, text,
	                (unsigned)strlen(text));
}

/* --- contents of files */

static void must_hold(struct make_capture *capture, const char *path,
                      const char *want)
{
	SysprofCaptureReader *const reader = reader_of(capture);
	const int fd = open(defect_path("extracted"),
	                    O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct bytes bytes;

	NEED(fd >= 0);
	if (!sysprof_capture_reader_read_file_fd(reader, path, fd))
		defect_shows("%s is not found", path);
	NEED(lseek(fd, 0, SEEK_SET) == 0);
	bytes = bytes_read(fd);
	if (bytes.size != strlen(want) ||
	    memcmp(bytes.data, want, bytes.size) != 0)
		defect_shows("%s is \"%.*s\"", path, (int)bytes.size,
		             (const char *)bytes.data);
	sysprof_capture_reader_unref(reader);
	close(fd);
}

static void one_behind_another(int arg)
{
	struct make_capture capture;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	chunk(&capture, "/a", "of a", true);
	chunk(&capture, "/b", "of b", true);
	must_hold(&capture, "/a", "of a");
	must_hold(&capture, "/b", "of b");
}

static void interleaved(int arg)
{
	struct make_capture capture;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	chunk(&capture, "/a", "one ", false);
	chunk(&capture, "/b", "1 ", false);
	chunk(&capture, "/a", "two ", false);
	chunk(&capture, "/b", "2 ", false);
	make_timestamp(&capture, 1002);
	chunk(&capture, "/b", "3", true);
	chunk(&capture, "/a", "three", true);
	must_hold(&capture, "/a", "one two three");
	must_hold(&capture, "/b", "1 2 3");
}

/* --- lists of files */

static void must_list(SysprofCaptureReader *reader, const char *const *want)
{
	const char **const list = sysprof_capture_reader_list_files(reader);
	size_t i;

	MUST(list != NULL);
	for (i = 0; want[i]; i++)
		MUST(list[i] != NULL && strcmp(list[i], want[i]) == 0);
	MUST(list[i] == NULL);
	free(list);
}

static const char *const three[] = { "/a", "/b", "/c", NULL };

static void make_three(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 2000);
	chunk(capture, "/b", "of b", true);
	chunk(capture, "/c", "of", false);
	chunk(capture, "/a", "of a", true);
	chunk(capture, "/c", " c", true);
}

static void list_of_torn(int cut)
{
	struct make_capture capture;

	make_three(&capture);
	make_process(&capture, 7, 1003, "the last");
	capture.size -= (size_t)cut;
	must_list(reader_of(&capture), three);
}

static void list_of_damaged(int n_files)
{
	const char **list;
	struct make_capture capture;
	SysprofCaptureReader *reader;
	uint64_t state = 88172645463325252u;
	const char *const path = defect_path("damaged.syscap");

	make_three(&capture);
	make_process(&capture, 7, 1003, "a process");
	make_mark(&capture, 7, 0, 1004, 5, "g", "n", "m");
	chunk(&capture, "/d", "of d", true);
	const struct make_capture sound = capture;

	capture.data = malloc(capture.size);
	NEED(capture.data != NULL);
	while (n_files--) {
		memcpy(capture.data, sound.data, sound.size);
		for (int i = 0; i < 4; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			capture.data[256 + state % (sound.size - 256)] =
				(unsigned char)(state >> 40);
		}
		bytes_store(path, capture.data, sound.size);
		reader = sysprof_capture_reader_new(path);
		NEED(reader != NULL);
		list = sysprof_capture_reader_list_files(reader);
		MUST(list != NULL);
		free(list);
		sysprof_capture_reader_unref(reader);
	}
}

/* --- a reader and its copy share nothing */

static void copy_after_list(int is_copy_first)
{
	SysprofCaptureReader *reader, *copy;
	struct make_capture capture;

	mallopt(M_PERTURB, 0x55);
	make_three(&capture);
	reader = reader_of(&capture);
	must_list(reader, three);
	copy = sysprof_capture_reader_copy(reader);
	NEED(copy != NULL);
	sysprof_capture_reader_unref(is_copy_first ? copy : reader);
	reader = is_copy_first ? reader : copy;
	MUST(sysprof_capture_reader_reset(reader));
	must_list(reader, three);
	sysprof_capture_reader_unref(reader);
}

static bool go_on(const SysprofCaptureFrame *frame, void *data)
{
	(void)frame;
	(*(int *)data)++;
	return true;
}

static void cursor_after_list(int arg)
{
	SysprofCaptureReader *reader;
	SysprofCaptureCursor *cursor;
	struct make_capture capture;
	int n = 0;

	(void)arg;
	mallopt(M_PERTURB, 0x55);
	make_three(&capture);
	reader = reader_of(&capture);
	must_list(reader, three);
	cursor = sysprof_capture_cursor_new(reader);
	NEED(cursor != NULL);
	sysprof_capture_cursor_foreach(cursor, go_on, &n);
	MUST(n == 4);
	sysprof_capture_cursor_unref(cursor);
	must_list(reader, three);
	sysprof_capture_reader_unref(reader);
}

/* --- cursors */

struct times {
	int64_t times[8];
	int n;
};

static bool take_time(const SysprofCaptureFrame *frame, void *data)
{
	struct times *const times = data;

	MUST(times->n < 8);
	times->times[times->n++] = frame->time;
	return true;
}

static void backwards(int arg)
{
	SysprofCaptureReader *reader;
	SysprofCaptureCursor *cursor;
	struct make_capture capture;
	struct times times = { .n = 0 };

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	for (int i = 0; i < 5; i++)
		make_mark(&capture, 7, 0, 1001 + i, i, "g", "n", "m");
	reader = reader_of(&capture);
	cursor = sysprof_capture_cursor_new(reader);
	NEED(cursor != NULL);
	sysprof_capture_cursor_reverse(cursor);
	sysprof_capture_cursor_foreach(cursor, take_time, &times);
	MUST(times.n == 5);
	for (int i = 0; i < 5; i++)
		MUST(times.times[i] == 1005 - i);
	times.n = 0;
	sysprof_capture_cursor_reverse(cursor);
	sysprof_capture_cursor_foreach(cursor, take_time, &times);
	MUST(times.n == 5 && times.times[0] == 1001);
	sysprof_capture_cursor_unref(cursor);
}

/* The reader can't be copied: no fd is left. */
static void no_descriptor_left(int arg)
{
	SysprofCaptureReader *reader;
	SysprofCaptureCursor *cursor;
	struct make_capture capture;
	struct rlimit limit;
	int n = 0;

	(void)arg;
	make_three(&capture);
	reader = reader_of(&capture);
	NEED(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 0;
	NEED(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	cursor = sysprof_capture_cursor_new(reader);
	if (cursor != NULL) {
		sysprof_capture_cursor_reset(cursor);
		sysprof_capture_cursor_foreach(cursor, go_on, &n);
		MUST(n == 0 || n == 4);
		sysprof_capture_cursor_unref(cursor);
	}
	sysprof_capture_reader_unref(reader);
}

const struct defect defects[] = {
	{ "R-2", "two files, one behind the other", one_behind_another, 0 },
	{ "R-2", "two files in turns", interleaved, 0 },
	{ "R-4", "the files of a cut capture", list_of_torn, 6 },
	{ "R-4", "with 4 bytes of a frame at its end", list_of_torn, 28 },
	{ "R-4", "the files of damaged captures", list_of_damaged, 400 },
	{ "R-5", "a reader is copied after it listed", copy_after_list, 0 },
	{ "R-5", "and goes first", copy_after_list, 1 },
	{ "R-5", "a cursor after a list", cursor_after_list, 0 },
	{ "R-11", "backwards", backwards, 0 },
	{ "R-11", "no descriptor for a cursor", no_descriptor_left, 0 },
	{ NULL, NULL, NULL, 0 },
};
