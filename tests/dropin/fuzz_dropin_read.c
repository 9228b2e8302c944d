/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_dropin_read.c - reads of any bytes through every function of the
 * drop-in's reader and cursor, in turn and out of turn.
 *
 * A plain walk gives the capture's content.  All other walks must give the same
 * frames: with unrelated calls in between, through copies, in a cursor,
 * backwards, and file by file.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/fuzz_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILES_MOST 3 /* embedded files to read */
#define SHORT      300 /* number of frames; longer captures get fewer costly calls */

static volatile uint64_t sink;

static SysprofCaptureReader *open_reader(int fd)
{
	return sysprof_capture_reader_new_from_fd(dup(fd));
}

/* ------------------------------------------------------------------- ends */

static void check_end(SysprofCaptureReader *reader, bool is_whole, size_t size)
{
	SysprofCaptureFrameType type;
	SysprofCaptureFrame frame;
	const char *message = NULL;
	uint64_t offset = 0;

	fuzz_demand(!sysprof_capture_reader_peek_type(reader, &type));
	fuzz_demand(!sysprof_capture_reader_peek_frame(reader, &frame));
	fuzz_demand(!sysprof_capture_reader_skip(reader));
	for (unsigned i = 0; i <= SYSPROF_CAPTURE_FRAME_LAST; i++)
		fuzz_demand(fuzz_read(reader, i) == NULL);
	fuzz_demand(sysprof_capture_reader_find_file(reader, "") == NULL);

	const bool has_error =
		syscap_dropin_reader_get_error(reader, &offset, &message);
	fuzz_demand(has_error == !is_whole);
	fuzz_demand(syscap_dropin_reader_get_error(reader, NULL, NULL) ==
	            has_error);
	if (has_error) {
		fuzz_demand(offset <= size && message != NULL);
		fuzz_demand(message[0] != '\0');
	}
}

static void check_facts(SysprofCaptureReader *reader)
{
	const int order = sysprof_capture_reader_get_byte_order(reader);
	SysprofCaptureStat stat = { .frame_count = { 1, 2 } }, got;

	fuzz_demand(order == __LITTLE_ENDIAN || order == __BIG_ENDIAN);
	fuzz_demand(strlen(sysprof_capture_reader_get_time(reader)) < 64);
	fuzz_demand(sysprof_capture_reader_get_filename(reader) == NULL);
	sink += (uint64_t)sysprof_capture_reader_get_start_time(reader);
	sink += (uint64_t)sysprof_capture_reader_get_end_time(reader);
	fuzz_demand(!sysprof_capture_reader_get_stat(reader, &got));
	sysprof_capture_reader_set_stat(reader, &stat);
	fuzz_demand(sysprof_capture_reader_get_stat(reader, &got));
	fuzz_demand(memcmp(&stat, &got, sizeof(stat)) == 0);
	sysprof_capture_reader_set_stat(reader, NULL);
	fuzz_demand(!sysprof_capture_reader_get_stat(reader, NULL));
}

/* ------------------------------------------------------------ out of turn */

/* None of these calls may move the reader, or change the next frame. */
static void read_wrong(SysprofCaptureReader *reader, unsigned type)
{
	for (unsigned i = 0; i <= SYSPROF_CAPTURE_FRAME_LAST; i++)
		if (i != type)
			fuzz_demand(fuzz_read(reader, i) == NULL);
}

static void list_in_copy(SysprofCaptureReader *reader)
{
	SysprofCaptureReader *const copy = sysprof_capture_reader_copy(reader);
	SysprofCaptureReader *second;

	fuzz_demand(copy != NULL);
	free((void *)sysprof_capture_reader_list_files(copy));
	second = sysprof_capture_reader_copy(copy);
	fuzz_demand(second != NULL);
	sysprof_capture_reader_unref(copy);
	free((void *)sysprof_capture_reader_list_files(second));
	sysprof_capture_reader_find_file(second, "/nowhere");
	sysprof_capture_reader_unref(second);
}

static void look_around(SysprofCaptureReader *reader, unsigned type,
                        unsigned how)
{
	SysprofCaptureFrame frame;
	SysprofCaptureReader *copy;

	switch (how) {
	case 1:
		read_wrong(reader, type);
		break;
	case 2:
		fuzz_demand(sysprof_capture_reader_peek_frame(reader, &frame));
		fuzz_demand(frame.type == type && frame.len >= 24);
		break;
	case 3:
		copy = sysprof_capture_reader_copy(reader);
		fuzz_demand(copy != NULL);
		fuzz_demand(fuzz_read(copy, type) != NULL);
		sysprof_capture_reader_unref(copy);
		break;
	case 4:
		check_facts(reader);
		break;
	case 5:
		sysprof_capture_cursor_unref(
			sysprof_capture_cursor_new(reader));
		break;
	case 6:
		list_in_copy(reader);
		break;
	default:
		break;
	}
}

/* Reads like fuzz_walk(), with other calls chosen by @script. */
static SysprofCaptureReader *walk_crookedly(SysprofCaptureReader *reader,
                                            const struct fuzz_walk *plain,
                                            const uint8_t *script)
{
	const size_t n_scripted = plain->n <= SHORT ? 64 : 8;
	SysprofCaptureFrameType type;
	size_t n = 0;

	while (sysprof_capture_reader_peek_type(reader, &type)) {
		const unsigned how =
			n < n_scripted ? script[n % FUZZ_SCRIPT_LEN] % 10 : 0;

		fuzz_demand(n < plain->n);
		look_around(reader, type, how);
		if (how == 7) {
			SysprofCaptureReader *const old = reader;

			reader = sysprof_capture_reader_copy(old);
			fuzz_demand(reader != NULL);
			sysprof_capture_reader_unref(old);
		}
		if (how == 8) {
			fuzz_demand(sysprof_capture_reader_skip(reader));
		} else {
			const SysprofCaptureFrame *const frame =
				fuzz_read(reader, type);

			fuzz_demand(frame != NULL);
			fuzz_check(frame);
			fuzz_demand(fuzz_hash(frame) == plain->hashes[n]);
		}
		n++;
	}
	fuzz_demand(n == plain->n);
	return reader;
}

/* --------------------------------------------------------- embedded files */

/*
 * Writes the parts of @path up to the last; false: no last part.
 */
static bool join_parts(SysprofCaptureReader *reader, const char *path, int fd)
{
	const SysprofCaptureFileChunk *part;
	SysprofCaptureFrameType type;

	sysprof_capture_reader_reset(reader);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		if (type != SYSPROF_CAPTURE_FRAME_FILE_CHUNK) {
			fuzz_demand(sysprof_capture_reader_skip(reader));
			continue;
		}
		part = sysprof_capture_reader_read_file(reader);
		fuzz_demand(part != NULL);
		if (strcmp(part->path, path) != 0)
			continue;
		fuzz_demand(write(fd, part->data, part->len) == part->len);
		if (part->is_last)
			return true;
	}
	return false;
}

static void check_file(SysprofCaptureReader *reader, const char *path)
{
	const int expected_fd = fuzz_file(), fd = fuzz_file();
	const SysprofCaptureFileChunk *part;
	size_t expected_size, size;

	sysprof_capture_reader_reset(reader);
	part = sysprof_capture_reader_find_file(reader, path);
	fuzz_demand(part != NULL && strcmp(part->path, path) == 0);
	fuzz_check(&part->frame);

	const bool is_whole = join_parts(reader, path, expected_fd);
	sysprof_capture_reader_reset(reader);
	errno = 0;
	fuzz_demand(sysprof_capture_reader_read_file_fd(reader, path, fd) ==
	            is_whole);
	fuzz_demand(is_whole || errno == EBADMSG);
	uint8_t *const expected = fuzz_content(expected_fd, &expected_size);
	uint8_t *const content = fuzz_content(fd, &size);
	fuzz_demand(size == expected_size);
	fuzz_demand(memcmp(content, expected, size) == 0);
	free(expected);
	free(content);
	close(expected_fd);
	close(fd);
}

static void check_files(SysprofCaptureReader *reader,
                        const struct fuzz_walk *plain)
{
	const bool has_any = plain->types[SYSPROF_CAPTURE_FRAME_FILE_CHUNK] > 0;
	const char **files;
	size_t n = 0;

	sysprof_capture_reader_reset(reader);
	files = sysprof_capture_reader_list_files(reader);
	fuzz_demand(files != NULL);
	for (; files[n] != NULL; n++)
		fuzz_demand(n == 0 || strcmp(files[n - 1], files[n]) < 0);
	fuzz_demand((n > 0) == has_any);
	for (size_t i = 0; i < n && i < FILES_MOST; i++)
		check_file(reader, files[n - 1 - i]);
	sysprof_capture_reader_reset(reader);
	errno = 0;
	fuzz_demand(!sysprof_capture_reader_read_file_fd(
		reader, "\x01 is in no corpus", STDOUT_FILENO));
	fuzz_demand(errno == ENOENT);
	free((void *)files);
}

/* ---------------------------------------------------------------- cursors */

struct passing {
	const struct fuzz_walk *plain;
	const SysprofCaptureCondition *condition;
	size_t n, n_matching;
	bool is_backwards;
};

static bool pass(const SysprofCaptureFrame *frame, void *user_data)
{
	struct passing *const p = user_data;

	fuzz_check(frame);
	fuzz_demand(p->n < p->plain->n);
	if (p->condition == NULL)
		fuzz_demand(fuzz_hash(frame) ==
		            p->plain->hashes[p->is_backwards
		                                     ? p->plain->n - 1 - p->n
		                                     : p->n]);
	else
		fuzz_demand(
			sysprof_capture_condition_match(p->condition, frame));
	p->n++;
	return true;
}

static bool count_matching(const SysprofCaptureFrame *frame, void *user_data)
{
	struct passing *const p = user_data;

	p->n_matching += sysprof_capture_condition_match(p->condition, frame);
	return true;
}

static bool stop_at_once(const SysprofCaptureFrame *frame, void *user_data)
{
	(void)frame;
	++*(unsigned *)user_data;
	return false;
}

/* Conditions of every kind, in trees; the numbers come from @script. */
static SysprofCaptureCondition *make_condition(const uint8_t *script)
{
	const SysprofCaptureFrameType types[] = { script[0] % 20,
		                                  script[1] % 20 };
	const int32_t pids[] = { script[2], -1, 7 };
	const unsigned counters[] = { script[3], 1, 300 };
	SysprofCaptureCondition *const either =
		sysprof_capture_condition_new_or(
			sysprof_capture_condition_new_where_counter_in(
				3, counters),
			sysprof_capture_condition_new_where_file("/f"));
	SysprofCaptureCondition *const both = sysprof_capture_condition_new_and(
		sysprof_capture_condition_new_where_pid_in(3, pids),
		sysprof_capture_condition_new_where_time_between(
			10000, script[4] * 10));
	SysprofCaptureCondition *const tree = sysprof_capture_condition_new_or(
		sysprof_capture_condition_new_or(
			sysprof_capture_condition_new_where_type_in(2, types),
			either),
		both);
	SysprofCaptureCondition *const copy =
		sysprof_capture_condition_copy(tree);

	fuzz_demand(copy != NULL);
	sysprof_capture_condition_unref(tree);
	return copy;
}

static void check_condition(SysprofCaptureCursor *cursor,
                            const struct fuzz_walk *plain,
                            const uint8_t *script)
{
	SysprofCaptureCondition *const condition = make_condition(script);
	struct passing passing = { .plain = plain, .condition = condition };

	sysprof_capture_cursor_reset(cursor);
	sysprof_capture_cursor_foreach(cursor, count_matching, &passing);
	sysprof_capture_cursor_add_condition(
		cursor, sysprof_capture_condition_ref(condition));
	sysprof_capture_cursor_reset(cursor);
	sysprof_capture_cursor_foreach(cursor, pass, &passing);
	fuzz_demand(passing.n == passing.n_matching);
	sysprof_capture_condition_unref(condition);
}

static void check_cursor(SysprofCaptureReader *reader,
                         const struct fuzz_walk *plain, const uint8_t *script)
{
	SysprofCaptureCursor *const cursor = sysprof_capture_cursor_new(reader);
	struct passing forwards = { .plain = plain };
	struct passing back = { .plain = plain, .is_backwards = true };
	unsigned n_called = 0;

	fuzz_demand(cursor != NULL);
	fuzz_demand(sysprof_capture_cursor_get_reader(cursor) != reader);
	sysprof_capture_cursor_foreach(cursor, pass, &forwards);
	fuzz_demand(forwards.n == plain->n);
	sysprof_capture_cursor_reverse(cursor);
	for (unsigned i = 0; i < 2 && plain->n <= SHORT; i++) {
		back.n = 0;
		sysprof_capture_cursor_foreach(cursor, pass, &back);
		fuzz_demand(back.n == plain->n);
		sysprof_capture_cursor_reset(cursor);
	}
	sysprof_capture_cursor_reverse(cursor);
	sysprof_capture_cursor_foreach(cursor, stop_at_once, &n_called);
	fuzz_demand(n_called == (plain->n > 0));
	check_condition(cursor, plain, script);
	sysprof_capture_cursor_unref(cursor);
}

/* ----------------------------------------------------------------- copies */

static void check_save(SysprofCaptureReader *reader, int fd)
{
	const char *const folder = getenv("TMPDIR");
	char path[4096];
	size_t size, saved_size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/fuzz-dropin-%d",
	         folder != NULL ? folder : "/tmp", (int)getpid());
	fuzz_demand(sysprof_capture_reader_save_as(reader, path));
	uint8_t *const content = fuzz_content(fd, &size);
	file = fopen(path, "rb");
	fuzz_demand(file != NULL);
	uint8_t *const saved = fuzz_content(fileno(file), &saved_size);
	fuzz_demand(size == saved_size && memcmp(content, saved, size) == 0);
	fclose(file);
	unlink(path);
	free(content);
	free(saved);
}

/* ---------------------------------------------------------- other writers */

/*
 * The file is cut or changed during reading.  The returned frame must still be
 * complete, and reading must end.
 */
static void check_changing(const uint8_t *data, size_t size, unsigned how)
{
	const int fd = fuzz_file();
	const size_t file_size = fuzz_fill(fd, data, size);
	SysprofCaptureReader *const reader = open_reader(fd);
	SysprofCaptureFrameType type;
	size_t n = 0;

	fuzz_demand(reader != NULL);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		const SysprofCaptureFrame *frame;

		if (n == how / 2 && how % 2 != 0)
			fuzz_demand(ftruncate(fd, 300) == 0);
		if (n == how / 2 && how % 2 == 0)
			fuzz_demand(pwrite(fd, data, size, 300) ==
			            (ssize_t)size);
		frame = fuzz_read(reader, type);
		if (frame != NULL)
			fuzz_check(frame);
		else if (!sysprof_capture_reader_skip(reader))
			break;
		fuzz_demand(++n <= (file_size + size) / 24);
	}
	sysprof_capture_reader_unref(reader);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct fuzz_walk plain = { 0 };
	SysprofCaptureReader *reader;

	if (fd < 0)
		fd = fuzz_file();
	const size_t data_size = size;
	size = fuzz_fill(fd, data, size);
	errno = 0;
	reader = open_reader(fd);
	if (reader == NULL) {
		/* The file is no capture, or has a future version */
		fuzz_demand(errno == EBADMSG ||
		            (errno == ENOTSUP && data[4] != 1));
		return 0;
	}
	/* If the open succeeds, the file has a header. */
	const uint8_t *const script = data + FUZZ_SCRIPT;
	fuzz_demand(size >= 256);
	fuzz_walk(reader, &plain);
	fuzz_demand(plain.bytes <= size - 256);
	const bool is_whole = plain.bytes == size - 256;
	check_end(reader, is_whole, size);
	fuzz_demand(sysprof_capture_reader_reset(reader));
	check_facts(reader);
	reader = walk_crookedly(reader, &plain, script);
	check_end(reader, is_whole, size);
	check_files(reader, &plain);
	check_cursor(reader, &plain, script);
	if (script[FUZZ_SCRIPT_LEN - 2] != 0)
		check_save(reader, fd);
	if (script[FUZZ_SCRIPT_LEN - 3] != 0)
		check_changing(data, data_size, script[FUZZ_SCRIPT_LEN - 3]);
	sysprof_capture_reader_unref(reader);
	fuzz_walk_free(&plain);
	return 0;
}
