/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer.c - invalid arguments of a writer: sizes, names, numbers and
 * NULLs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW SYSPROF_CAPTURE_CURRENT_TIME

static const char *path;
static SysprofCaptureWriter *writer;

static void begin(size_t buffer_size)
{
	path = defect_path("writer.syscap");
	writer = sysprof_capture_writer_new(path, buffer_size);
	NEED(writer != NULL);
}

static struct bytes finish(void)
{
	sysprof_capture_writer_unref(writer);
	return bytes_load(path);
}

static char *text_of(const char *unit, size_t size)
{
	char *const text = malloc(size + 1);

	NEED(text != NULL);
	for (size_t i = 0; i < size; i++)
		text[i] = unit[i % strlen(unit)];
	text[size] = '\0';
	return text;
}

static void mark_larger_than_buffer(int size)
{
	char *const text = text_of("abcdefg", (size_t)size);
	struct bytes bytes;

	begin(4096);
	MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g", "n",
	                                     "before"));
	MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 1, "g", "n",
	                                     text));
	MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 2, "g", "n",
	                                     "behind"));
	bytes = finish();
	marks_are_complete(&bytes, NULL, 3);
	MUST(memmem(bytes.data, bytes.size, text, (size_t)size + 1) != NULL);
}

static void stack_larger_than_buffer(int n_addrs)
{
	SysprofCaptureAddress *const addrs = calloc((size_t)n_addrs, 8);
	struct bytes bytes;
	struct frame sample;

	NEED(addrs != NULL);
	for (int i = 0; i < n_addrs; i++)
		addrs[i] = 0x400000u + (unsigned)i;
	begin(4096);
	MUST(sysprof_capture_writer_add_sample(writer, NOW, 0, 7, 8, addrs,
	                                       (unsigned)n_addrs));
	bytes = finish();
	sample = frames_first(&bytes, 2);
	MUST(bytes_u16(sample.data + 24) == n_addrs);
	MUST(memcmp(sample.data + 32, addrs, 8 * (size_t)n_addrs) == 0);
}

static void file_that_cannot_be_read(int arg)
{
	const int fd = open(defect_path("."), O_RDONLY | O_DIRECTORY);
	struct bytes bytes;

	(void)arg;
	NEED(fd >= 0);
	begin(0);
	errno = 0;
	MUST(!sysprof_capture_writer_add_file_fd(writer, NOW, -1, -1, "/dir",
	                                         fd));
	MUST(errno == EISDIR);
	MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g", "n",
	                                     ""));
	bytes = finish();
	marks_are_complete(&bytes, NULL, 1);
	MUST(bytes.size < 4096);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void feed(int fd, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i += size / 10) {
		usleep(10000);
		NEED(write(fd, text + i, size / 10) == (ssize_t)(size / 10));
	}
	_exit(0);
}

/* Signals interrupt the reads again and again. */
static void file_read_under_signals(int arg)
{
	const size_t size = 5000;
	char *const text = text_of("0123456", size);
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 700 }, { 0, 700 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct frame frame = { .at = 0 };
	bool is_ended = false;
	struct bytes bytes;
	size_t at = 0;
	int ends[2];

	(void)arg;
	begin(0);
	NEED(pipe(ends) == 0);
	if (fork() == 0)
		feed(ends[1], text, size);
	close(ends[1]);
	NEED(sigaction(SIGALRM, &action, NULL) == 0);
	NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
	MUST(sysprof_capture_writer_add_file_fd(writer, NOW, -1, -1, "/text",
	                                        ends[0]));
	NEED(setitimer(ITIMER_REAL, &never, NULL) == 0);
	bytes = finish();
	while (frame_next(&bytes, &frame)) {
		if (frame.type != 13)
			continue;
		const size_t len = bytes_u16(frame.data + 26);

		MUST(!is_ended && len <= size - at);
		MUST(memcmp(frame.data + 284, text + at, len) == 0);
		at += len;
		is_ended = frame.data[24] & 1;
	}
	MUST(is_ended && at == size);
}

/* Checks that a long name is in the file, complete or cut between
 * characters. */
static void long_name(int size)
{
	char *const name = text_of("\xC3\xA9", (size_t)size & ~1u);
	uint64_t address;
	const char *found;
	struct bytes bytes;

	begin(0);
	NEED(sysprof_capture_writer_add_jitmap(writer, "short") != 0);
	address = sysprof_capture_writer_add_jitmap(writer, name);
	MUST(address != 0);
	MUST(sysprof_capture_writer_add_sample(writer, NOW, 0, 7, 8, &address,
	                                       1));
	MUST(sysprof_capture_writer_add_jitmap(writer, name) == address);
	bytes = finish();
	found = jit_name(&bytes, address, bytes.size);
	MUST(found != NULL);
	MUST(strncmp(found, name, strlen(found)) == 0);
	MUST(strlen(found) == strlen(name) || strlen(found) >= 16000);
	MUST(strlen(found) % 2 == 0);
}

/* Checks that a writer refuses @arg ids at once, and still gives out free
 * ids. */
static void ids_beyond_the_last(int arg)
{
	begin(0);
	MUST(sysprof_capture_writer_request_counter(writer, (unsigned)arg) ==
	     0);
	const unsigned id = sysprof_capture_writer_request_counter(writer, 2);

	MUST(id >= 1 && id < 0x1000000);
	MUST(sysprof_capture_writer_request_counter(writer, 1) >= id + 2);
}

static void ids_used_up(int arg)
{
	unsigned id, n = 0;

	(void)arg;
	begin(0);
	while ((id = sysprof_capture_writer_request_counter(writer, 0x10000))) {
		MUST(id + 0xFFFF <= 0xFFFFFF);
		MUST(++n <= 0x100);
	}
	MUST(n >= 0xFE);
}

static void metadata_of_nothing(int arg)
{
	struct bytes bytes;
	struct frame frame;

	(void)arg;
	begin(0);
	if (!sysprof_capture_writer_add_metadata(writer, NOW, -1, -1, "id",
	                                         NULL, 10))
		return;
	bytes = finish();
	frame = frames_first(&bytes, 11);
	for (unsigned i = 64; i < frame.len; i++)
		MUST(frame.data[i] == 0);
}

/* Writes long names first, so that bytes after a short name are not zero. */
static void names_behind_the_last(int arg)
{
	struct frame frame = { .at = 0 };
	struct bytes bytes;

	(void)arg;
	begin(0);
	for (int i = 0; i < 10; i++) {
		char name[100];

		snprintf(name, sizeof(name), "%080d", i);
		NEED(sysprof_capture_writer_add_jitmap(writer, name) != 0);
	}
	NEED(sysprof_capture_writer_flush(writer));
	NEED(sysprof_capture_writer_add_jitmap(writer, "x") != 0);
	bytes = finish();
	while (frame_next(&bytes, &frame)) {
		if (frame.type != 7)
			continue;
		unsigned at = 28, n = bytes_u32(frame.data + 24);

		while (n--)
			at += 8 +
			      (unsigned)strlen((const char *)frame.data + at +
			                       8) +
			      1;
		while (at < frame.len)
			MUST(frame.data[at++] == 0);
	}
}

#define N_CYCLED 700

/* Each name must have one address, and be written once. */
static void many_names(int n_calls)
{
	static uint64_t addresses[N_CYCLED];
	struct frame frame = { .at = 0 };
	struct bytes bytes;
	size_t n = 0;

	begin(0);
	for (int i = 0; i < n_calls; i++) {
		uint64_t *const first = &addresses[i % N_CYCLED];
		char name[32];

		snprintf(name, sizeof(name), "function %d", i % N_CYCLED);
		const uint64_t address =
			sysprof_capture_writer_add_jitmap(writer, name);

		NEED(address != 0);
		if (*first && *first != address)
			defect_shows("%s has two addresses", name);
		*first = address;
		if (i % 1000 == 0)
			NEED(sysprof_capture_writer_flush(writer));
	}
	bytes = finish();
	while (frame_next(&bytes, &frame))
		n += frame.type == 7 ? bytes_u32(frame.data + 24) : 0;
	if (n != N_CYCLED)
		defect_shows("%zu names were written", n);
}

#if SYSPROF_CAPTURE_FRAME_LAST > 16

static void statistics(int arg)
{
	SysprofCaptureStat stat;
	SysprofCaptureAddress address = 0x401000;

	(void)arg;
	begin(0);
	NEED(sysprof_capture_writer_add_trace(writer, NOW, 0, 7, 8, &address, 1,
	                                      true));
	NEED(sysprof_capture_writer_add_trace(writer, NOW, 0, 7, 8, &address, 1,
	                                      false));
	NEED(sysprof_capture_writer_add_dbus_message(writer, NOW, 0, 7, 1, 0,
	                                             (const uint8_t *)"l", 1));
	sysprof_capture_writer_stat(writer, &stat);
	/* A trace counts as a sample; the newer type's count is after the
	 * original array. */
	MUST(stat.frame_count[2] == 2);
	MUST(stat.padding[0] == 0);
	MUST(stat.padding[1] == 1);
}

#else
#define statistics NULL
#endif

const struct defect defects[] = {
	{ "W-1", "a mark larger than the buffer", mark_larger_than_buffer,
	  60000 },
	{ "W-1", "a mark as large as a frame can be", mark_larger_than_buffer,
	  65431 },
	{ "W-1", "a stack larger than the buffer", stack_larger_than_buffer,
	  8187 },
	{ "W-2", "a file that is a directory", file_that_cannot_be_read, 0 },
	{ "W-2", "a file read while signals come", file_read_under_signals, 0 },
	{ "W-3", "a name that just fits", long_name, 16000 },
	{ "W-3", "a name of 16,376 bytes", long_name, 16376 },
	{ "W-3", "a name of 20,000 bytes", long_name, 20000 },
	{ "W-3", "a name of 60,000 bytes", long_name, 60000 },
	{ "W-3", "a name of a million bytes", long_name, 1000000 },
	{ "W-7", "ids that wrap around", ids_beyond_the_last, -16 },
	{ "W-7", "one id more than there are", ids_beyond_the_last, 0x1000000 },
	{ "W-7", "all ids there are", ids_used_up, 0 },
	{ "W-13", "metadata of 10 bytes at NULL", metadata_of_nothing, 0 },
	{ "W-13", "bytes after the last name", names_behind_the_last, 0 },
	{ "W-15", "traces and messages are counted", statistics, 0 },
	{ "W-19", "700 names, again and again", many_names, 200000 },
	{ NULL, NULL, NULL, 0 },
};
