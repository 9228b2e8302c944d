/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_fd.c - fds: their owner, their closing, and valid
 * values of SYSPROF_TRACE_FD.
 *
 * This program replaces close(), to count calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW    SYSPROF_CAPTURE_CURRENT_TIME
#define N_EACH 3000

static int watched = -1, n_closed, n_stray;

int close(int fd)
{
	const int got = (int)syscall(SYS_close, fd);

	if (fd == watched)
		n_closed++;
	if (got < 0 && errno == EBADF)
		n_stray++;
	return got;
}

static SysprofCaptureWriter *from_env(const char *value)
{
	NEED(setenv("SYSPROF_TRACE_FD", value, 1) == 0);
	return sysprof_capture_writer_new_from_env(4096);
}

static SysprofCaptureWriter *from_env_fd(int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	return from_env(number);
}

static int empty_file(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	NEED(fd > 2);
	return fd;
}

static void add_marks(SysprofCaptureWriter *writer, unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++)
		MUST(sysprof_capture_writer_add_mark(writer, NOW, -1, 7, i, "g",
		                                     "n", "m"));
}

/* --- two writers on one file */

static void two_in_a_process(int arg)
{
	const char *const path = defect_path("two.syscap");
	const int fd = empty_file(path);
	SysprofCaptureWriter *first, *second;
	struct bytes bytes;

	(void)arg;
	first = from_env_fd(fd);
	NEED(first != NULL);
	add_marks(first, 0, 100);
	NEED(sysprof_capture_writer_flush(first));
	second = from_env_fd(fd);
	MUST(second != NULL);
	add_marks(second, 100, 100);
	MUST(sysprof_capture_writer_flush(second));
	add_marks(first, 200, 100);
	sysprof_capture_writer_unref(first);
	sysprof_capture_writer_unref(second);
	bytes = bytes_load(path);
	marks_are_complete(&bytes, NULL, 300);
}

/* Parent and child both write all the time. */
static void parent_and_child(int arg)
{
	const char *const path = defect_path("child.syscap");
	const int fd = empty_file(path);
	SysprofCaptureWriter *writer;
	struct bytes bytes;
	int status;
	pid_t pid;

	(void)arg;
	pid = fork();
	NEED(pid >= 0);
	writer = from_env_fd(fd);
	MUST(writer != NULL);
	add_marks(writer, pid ? 0 : N_EACH, N_EACH);
	sysprof_capture_writer_unref(writer);
	if (pid == 0)
		_exit(0);
	NEED(waitpid(pid, &status, 0) == pid);
	MUST(status == 0);
	bytes = bytes_load(path);
	marks_are_complete(&bytes, NULL, 2 * N_EACH);
}

/* Names and counters of two writers must stay separate. */
static void names_of_two(int arg)
{
	const char *const path = defect_path("names.syscap");
	const int fd = empty_file(path);
	SysprofCaptureWriter *first, *second;
	struct bytes bytes;
	const char *name;
	uint64_t a, b;

	(void)arg;
	first = from_env_fd(fd);
	second = from_env_fd(fd);
	MUST(first != NULL && second != NULL);
	a = sysprof_capture_writer_add_jitmap(first, "of the first");
	b = sysprof_capture_writer_add_jitmap(second, "of the second");
	MUST(a != 0 && b != 0);
	MUST(sysprof_capture_writer_request_counter(first, 1) !=
	     sysprof_capture_writer_request_counter(second, 1));
	sysprof_capture_writer_unref(first);
	sysprof_capture_writer_unref(second);
	bytes = bytes_load(path);
	name = jit_name(&bytes, a, bytes.size);
	MUST(name != NULL && strcmp(name, "of the first") == 0);
	name = jit_name(&bytes, b, bytes.size);
	MUST(name != NULL && strcmp(name, "of the second") == 0);
}

/* --- values of SYSPROF_TRACE_FD */

static void standard_error(int arg)
{
	const char *const path = defect_path("stderr.txt");
	const int fd = empty_file(path);
	struct stat st;

	(void)arg;
	NEED(dup2(fd, STDERR_FILENO) >= 0);
	MUST(from_env("2") == NULL);
	NEED(stat(path, &st) == 0);
	MUST(st.st_size == 0);
}

/* A value that only begins like a number is invalid. */
static void no_number(int arg)
{
	static const char *const tails[] = { "x", " ", ".0", ",4", "e0" };
	const char *const path = defect_path("number.syscap");
	const int fd = empty_file(path);
	struct stat st;
	char value[16];

	(void)arg;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		snprintf(value, sizeof(value), "%d%s", fd, tails[i]);
		MUST(from_env(value) == NULL);
	}
	NEED(stat(path, &st) == 0);
	MUST(st.st_size == 0);
	MUST(from_env("") == NULL);
	MUST(from_env("-1") == NULL);
	MUST(from_env("0") == NULL);
	MUST(from_env("99999") == NULL);
	MUST(from_env("4294967299") == NULL);
}

/* The variable names an fd that refers to another file. */
static void file_of_somebody_else(int flags)
{
	static const char text[] =
		"This file is not a capture, and must not be emptied.";
	const char *const path = defect_path("letter.txt");
	struct bytes bytes;
	int fd;

	bytes_store(path, text, sizeof(text));
	fd = open(path, flags);
	NEED(fd > 2);
	MUST(from_env_fd(fd) == NULL);
	bytes = bytes_load(path);
	MUST(bytes.size == sizeof(text));
	MUST(memcmp(bytes.data, text, sizeof(text)) == 0);
}

static void duplicate_is_closed_in_children(int arg)
{
	const int fd = empty_file(defect_path("dup.syscap"));
	bool was_open[64];

	(void)arg;
	for (int i = 0; i < 64; i++)
		was_open[i] = fcntl(i, F_GETFD) >= 0;
	MUST(from_env_fd(fd) != NULL);
	for (int i = 0; i < 64; i++) {
		const int flags = was_open[i] ? -1 : fcntl(i, F_GETFD);

		MUST(flags < 0 || (flags & FD_CLOEXEC));
	}
}

/* --- closing of fds */

static int n_open(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void watch(int fd)
{
	NEED(fd > 2);
	watched = fd;
	n_closed = n_stray = 0;
}

static void closed_once(void)
{
	MUST(n_closed == 1);
	MUST(n_stray == 0);
	MUST(fcntl(watched, F_GETFD) < 0);
}

static void writer_not_made(int arg)
{
	const char *const path = defect_path("readonly.syscap");
	static const size_t sizes[] = { 0, 4096, (SIZE_MAX / 2) & ~4095ul };
	static const char *const names[] = { "/dev/full", "/dev/full", NULL };

	bytes_store(path, "", 0);
	if (arg == 0)
		watch(open(path, O_RDONLY));
	else if (names[arg])
		watch(open(names[arg], O_WRONLY));
	else
		watch(open(path, O_RDWR));
	MUST(sysprof_capture_writer_new_from_fd(watched, sizes[arg]) == NULL);
	closed_once();
}

static void writer_by_name_not_made(int arg)
{
	const int before = n_open();

	(void)arg;
	n_stray = 0;
	MUST(sysprof_capture_writer_new("/dev/full", 0) == NULL);
	MUST(n_stray == 0);
	MUST(n_open() == before);
}

static void reader_not_made(int size)
{
	static const char zeros[300];
	const char *const path = defect_path("zeros.syscap");
	const int before = n_open();

	bytes_store(path, zeros, (size_t)size);
	watch(open(path, O_RDONLY));
	MUST(sysprof_capture_reader_new_from_fd(watched) == NULL);
	closed_once();
	watched = -1;
	n_stray = 0;
	MUST(sysprof_capture_reader_new(path) == NULL);
	MUST(n_stray == 0);
	MUST(n_open() == before);
}

const struct defect defects[] = {
	{ "W-10", "two writers of a process", two_in_a_process, 0 },
	{ "W-10", "writers of two processes", parent_and_child, 0 },
	{ "W-10", "names and counters of two writers", names_of_two, 0 },
	{ "W-11", "standard error is no trace", standard_error, 0 },
	{ "W-11", "only a number is a descriptor", no_number, 0 },
	{ "W-11", "a file that is no capture", file_of_somebody_else, O_RDWR },
	{ "W-11", "a file that is only read", file_of_somebody_else, O_RDONLY },
	{ "W-11", "the duplicate is closed by exec",
	  duplicate_is_closed_in_children, 0 },
	{ "W-12", "a writer that may not write", writer_not_made, 0 },
	{ "W-12", "a writer to a full device", writer_not_made, 1 },
	{ "W-12", "a buffer larger than memory", writer_not_made, 2 },
	{ "W-12", "a file that can't be written", writer_by_name_not_made, 0 },
	{ "W-12", "a reader of an empty file", reader_not_made, 0 },
	{ "W-12", "a reader of zeros", reader_not_made, 300 },
	{ NULL, NULL, NULL, 0 },
};
