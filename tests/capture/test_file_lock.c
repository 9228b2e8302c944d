/* SPDX-License-Identifier: BSD-2-Clause */
/* test_file_lock.c - locks of writers, seen by other processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/files.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define PATH_SIZE 64

static void make_path(char *path)
{
	strcpy(path, "/tmp/syscap-lock-XXXXXX");
	const int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
}

static int open_again(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

/* A child with @how many locks: 2: both of a writer; 1: only the lock on its
 * own byte.  The child lives until a kill. */
static pid_t start_writer(const char *path, int how)
{
	int ends[2];
	char c;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	const pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		const int fd = open_again(path, O_WRONLY);
		struct flock lock = { .l_type = F_WRLCK,
			              .l_start = 1 + (off_t)getpid(),
			              .l_len = 1 };

		if (how == 2)
			CHECK_EQ(syc_file_lock_take(fd, NULL), 0);
		else
			CHECK_EQ(fcntl(fd, F_SETLK, &lock), 0);
		CHECK_EQ(write(ends[1], "x", 1), 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	CHECK_EQ(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

static void kill_writer(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}

static void check_names(const struct syscap_error *error, pid_t pid)
{
	char who[32];

	snprintf(who, sizeof(who), "process %d (", (int)pid);
	if (strncmp(error->message, who, strlen(who)) != 0)
		test_fail(__FILE__, __LINE__, "no '%s': %s", who,
		          error->message);
}

static void check_is_refused(const char *path, pid_t pid)
{
	const int fd = open_again(path, O_RDWR);
	struct syscap_error error;

	CHECK_EQ(syc_file_lock_take(fd, &error), -EBUSY);
	check_names(&error, pid);
	CHECK_EQ(syc_file_lock_check(fd, &error), -EBUSY);
	check_names(&error, pid);
	CHECK_EQ(syc_file_lock_check_writers(fd, &error), -EBUSY);
	check_names(&error, pid);
	CHECK(syc_file_lock_is_held(fd));
	close(fd);
}

TEST(lock_names_the_writer_and_excludes_others)
{
	char path[PATH_SIZE];

	make_path(path);
	for (int how = 1; how <= 2; how++) {
		const pid_t pid = start_writer(path, how);
		struct syscap_error error;

		check_is_refused(path, pid);
		kill_writer(pid);
		const int fd = open_again(path, O_RDWR);
		CHECK(!syc_file_lock_is_held(fd));
		CHECK_EQ(syc_file_lock_take(fd, &error), 0);
		close(fd);
	}
	unlink(path);
}

/* A recorder reads its capture at its end. */
TEST(closing_another_descriptor_keeps_the_lock)
{
	char path[PATH_SIZE];
	int status;

	make_path(path);
	const int fd = open_again(path, O_RDWR);
	CHECK_EQ(syc_file_lock_take(fd, NULL), 0);
	close(open_again(path, O_RDONLY));
	const pid_t child = fork();
	if (child == 0) {
		const int own = open_again(path, O_RDWR);

		CHECK_EQ(syc_file_lock_check(own, NULL), -EBUSY);
		CHECK_EQ(syc_file_lock_take(own, NULL), -EBUSY);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	close(fd);
	unlink(path);
}

/* ---------------------------------------------------- the view of readers */

static void count(const char *path, unsigned *ret_n, int *ret_result)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;

	*ret_n = 0;
	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while ((*ret_result = syscap_reader_next(reader, &frame, &error)) == 1)
		++*ret_n;
	syscap_reader_close(reader);
}

TEST(unfinished_frame_of_a_writer_is_no_damage)
{
	struct make_capture capture;
	char path[PATH_SIZE];
	unsigned n;
	int r;

	make_path(path);
	make_begin(&capture, false, 1000, 0);
	make_mark(&capture, 7, 8, 1500, 10, "g", "n", "m");
	const size_t one = capture.size;
	make_mark(&capture, 7, 8, 1600, 10, "g", "n", "another");
	for (size_t size = one; size <= capture.size; size++) {
		const int fd = open_again(path, O_RDWR | O_TRUNC);
		CHECK_EQ(write(fd, capture.data, size), (ssize_t)size);
		close(fd);
		const pid_t pid = start_writer(path, 1);
		count(path, &n, &r);
		CHECK_EQ(r, 0);
		CHECK_EQ(n, size == capture.size ? 2 : 1);
		kill_writer(pid);
		count(path, &n, &r);
		CHECK_EQ(r, size == one || size == capture.size ? 0 : -EBADMSG);
	}
	make_free(&capture);
	unlink(path);
}
