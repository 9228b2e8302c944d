/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self.c - a process with four copies that records itself by its
 * environment. Whichever copy begins, there is one file, and with
 * SYSCAP_THREAD=1 one thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "copies/everywhere.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static const struct part *parts[PARTS_ALL];
static struct census census;

/* ------------------------------------------------------- the environment's */

CHILD(records_itself)
{
	const unsigned n_threads = getenv("SYSCAP_THREAD") != NULL;

	everywhere_load(parts, peer_arg());
	everywhere_emit(EVERYWHERE_THREADS);
	everywhere_run_threads(0);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
	/* The thread sets its name when it is first scheduled */
	while (!TEST_HAS_TSAN && parts_count_threads("syscap") < n_threads)
		usleep(1000);
	if (!TEST_HAS_TSAN)
		CHECK_EQ(parts_count_threads("syscap"), n_threads);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		int r;

		do
			r = parts[i]->drain();
		while (r == -EAGAIN); /* the pipe's reader may be busy */
		CHECK_EQ(r, 0);
	}
	if (!TEST_HAS_TSAN)
		CHECK_EQ(parts_count_threads("syscap"), n_threads);
}

static void output_of(char path[4096], char variable[4200], const char *dir)
{
	snprintf(path, 4096, "%s/x", dir);
	snprintf(variable, 4200, "SYSCAP_OUTPUT=%s", path);
}

static void check_output(const char *child, const char *arg, bool has_thread,
                         void (*check)(const char *path))
{
	char *const dir = written_make_dir();
	char path[4096], variable[4200];
	const char *const env[] = { variable,
		                    has_thread ? "SYSCAP_THREAD=1" : NULL,
		                    NULL };

	output_of(path, variable, dir);
	written_run(child, arg, env, -1);
	CHECK_EQ(written_count_files(dir, ""), 1);
	check(path);
	written_remove_dir(dir);
}

static void check_first_five(const char *path)
{
	everywhere_check(&census, path, 0, 0);
	everywhere_check(&census, path, 1, 0);
}

TEST(four_copies_write_one_file_by_one_thread)
{
	check_output("records_itself", "0", true, check_first_five);
	check_output("records_itself", "2", true, check_first_five);
}

TEST(four_copies_write_one_file_without_a_thread)
{
	check_output("records_itself", "0", false, check_first_five);
	check_output("records_itself", "1", false, check_first_five);
	check_output("records_itself", "3", false, check_first_five);
}

/* --------------------------------------------------------------- trace fd */

static void copy_to_file(int from, const char *path)
{
	char bytes[1 << 16];
	ssize_t n;
	const int to =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	CHECK(to >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		CHECK_EQ(write(to, bytes, (size_t)n), n);
	close(to);
}

static void check_trace(bool is_socket, const char *first)
{
	const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char path[4096];
	int pair[2];

	snprintf(path, sizeof(path), "%s/x", dir);
	CHECK_EQ(is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
	                                pair)
	                   : pipe2(pair, O_CLOEXEC),
	         0);
	const pid_t pid = written_start("records_itself", first, env, pair[1]);
	close(pair[1]);
	copy_to_file(pair[0], path);
	close(pair[0]);
	CHECK_EQ(written_wait(pid), 0);
	check_first_five(path);
	written_remove_dir(dir);
}

TEST(four_copies_write_one_capture_into_a_pipe)
{
	check_trace(false, "0");
	check_trace(false, "3");
}

TEST(four_copies_write_one_capture_into_a_socket)
{
	check_trace(true, "1");
	check_trace(true, "3");
}

static void check_trace_file(const char *child, const char *first)
{
	const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char path[4096];

	snprintf(path, sizeof(path), "%s/x", dir);
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	written_run(child, first, env, fd);
	close(fd);
	check_first_five(path);
	written_remove_dir(dir);
}

TEST(four_copies_write_one_capture_into_a_file_that_is_open)
{
	check_trace_file("records_itself", "0");
	check_trace_file("records_itself", "1");
	check_trace_file("records_itself", "3");
}

/* ----------------------------------------------------- without a thread */

CHILD(drains)
{
	everywhere_load(parts, peer_arg());
	everywhere_emit(EVERYWHERE_THREADS);
	everywhere_run_threads(0);
	CHECK_EQ(parts_count_threads("syscap"), 0);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK_EQ(parts[i]->drain(), 0);
}

static void check_drains(const char *first)
{
	const char *const env[] = { "SYSPROF_TRACE_FD=3", "SYSCAP_THREAD=0",
		                    NULL };
	char *const dir = written_make_dir();
	char path[4096];

	snprintf(path, sizeof(path), "%s/x", dir);
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	written_run("drains", first, env, fd);
	close(fd);
	check_first_five(path);
	written_remove_dir(dir);
}

TEST(any_copy_writes_the_rings_without_a_thread)
{
	check_drains("0");
	check_drains("3");
}

/* syscap_start() replaces the environment's recording. */
CHILD(started_beside)
{
	char *const dir = written_make_dir();
	char path[4096], file[1024];

	snprintf(path, sizeof(path), "%s/x", dir);
	everywhere_load(parts, peer_arg());
	everywhere_emit(EVERYWHERE_THREADS);
	CHECK_EQ(parts[2]->start(path, 0, file), 0);
	everywhere_run_threads(20);
	CHECK_EQ(parts[1]->stop(), 0);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK(parts[i]->is_active());
	everywhere_check(&census, file, 20, 0);
	CHECK_EQ(census_marks(&census, "a", EVERYWHERE_THREADS), 0);
	written_remove_dir(dir);
	everywhere_run_threads(0);
}

TEST(after_a_stop_the_environments_recording_goes_on_in_all_copies)
{
	check_trace_file("started_beside", "0");
	check_trace_file("started_beside", "3");
}

/* -------------------------------------------------------------------- exit */

CHILD(tells_ends)
{
	everywhere_load(parts, peer_arg());
	for (unsigned i = 0; i < PARTS_ALL; i++)
		parts[i]->tell_end();
	everywhere_emit(0);
}

static void check_ends(const char *path)
{
	unsigned n_destructors = 0;

	census_of_file(&census, path);
	CHECK_EQ(census.n_parts, PARTS_ALL);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		CHECK_EQ(census.parts[i].marks[0], EVERYWHERE_EVENTS);
		CHECK(census.parts[i].n_notes >= 1);
		n_destructors += census.parts[i].n_notes - 1;
	}
	/* the capture may lack the destructors of the last copy and of later
	 * libraries */
	CHECK(n_destructors >= 2);
}

TEST(events_of_copies_at_exit_are_in_the_file)
{
	check_output("tells_ends", "0", false, check_ends);
	check_output("tells_ends", "2", false, check_ends);
}
