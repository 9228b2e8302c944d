/* SPDX-License-Identifier: BSD-2-Clause */
/* test_trace.c - SYSPROF_TRACE_FD: one fd, several writers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static const char *const trace_fd[] = { "SYSPROF_TRACE_FD=3", NULL };

static void emit_marks(void)
{
	const unsigned emitter = (unsigned)atoi(peer_arg());

	for (unsigned i = 0; i < 2000; i++) {
		written_mark(emitter, i);
		if (i % 500 == 499)
			test_sleep_ms(20);
	}
}

CHILD(marks)
{
	emit_marks();
}

static char *file_in(const char *dir, const char *name)
{
	char *text;

	CHECK(asprintf(&text, "%s/%s", dir, name) > 0);
	return text;
}

/* Copies the content of @fd into a file, and reads that. */
static void tally_fd(int fd, struct tally *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	written_tally(path, t);
}

static void check_whole(const struct tally *t, unsigned n_emitters)
{
	for (unsigned i = 0; i < n_emitters; i++)
		CHECK_EQ(t->emitters[i], 2000);
	CHECK_EQ(t->gaps, 0);
	CHECK_EQ(t->doubles, 0);
	CHECK_EQ(t->lost, 0);
	CHECK_EQ(t->torn_at, 0);
	CHECK_EQ(t->processes, n_emitters);
}

static void record_into(const char *dir, int flags)
{
	char *const path = file_in(dir, "out.syscap");
	const int fd = open(path, flags | O_CREAT | O_CLOEXEC, 0666);
	struct tally t;

	CHECK(fd >= 0);
	written_run("marks", "0", trace_fd, fd);
	/* a second program, to the same file */
	written_run("marks", "1", trace_fd, fd);
	close(fd);
	written_tally(path, &t);
	check_whole(&t, 2);
	unlink(path);
	free(path);
}

TEST(a_file_may_be_write_only_or_appended_to_or_read_and_written)
{
	char *const dir = written_make_dir();

	record_into(dir, O_WRONLY | O_TRUNC);
	record_into(dir, O_RDWR);
	record_into(dir, O_WRONLY | O_APPEND);
	written_remove_dir(dir);
}

TEST(a_memfd_of_a_parent_is_written)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	struct tally t;

	written_run("marks", "0", trace_fd, fd);
	tally_fd(fd, &t);
	check_whole(&t, 1);
	/* the fd's offset has not moved */
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

#define TREE 12

TEST(a_tree_of_processes_shares_one_descriptor)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	pid_t pids[TREE];
	char arg[16];
	struct tally t;

	for (unsigned i = 0; i < TREE; i++) {
		snprintf(arg, sizeof(arg), "%u", i);
		pids[i] = written_start("marks", arg, trace_fd, fd);
		if (i % 4 == 3)
			for (unsigned k = i - 3; k <= i; k++)
				CHECK_EQ(written_wait(pids[k]), 0);
	}
	tally_fd(fd, &t);
	check_whole(&t, TREE);
	close(fd);
}

/* The same, but continue until a signal. */
CHILD(marks_of_a_keeper)
{
	sigset_t usr1;
	int signal;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	emit_marks();
	sigwait(&usr1, &signal);
}

/* Copy a stream into a memfd until its end. */
static pid_t start_cat(int from, int to)
{
	const pid_t pid = fork();

	if (pid == 0) {
		char buffer[5000];
		ssize_t n;

		while ((n = read(from, buffer, sizeof(buffer))) > 0)
			if (write(to, buffer, (size_t)n) != n)
				_exit(1);
		_exit(n == 0 ? 0 : 1);
	}
	return pid;
}

/*
 * @has_keeper: the first process writes the header before the others start, and
 * ends last.  Only a living process knows that a named pipe has its header.
 */
static void record_through(int from, int to, unsigned n, bool at_once,
                           bool has_keeper)
{
	const int fd = memfd_create("copy", MFD_CLOEXEC);
	pid_t pids[TREE];
	char arg[16];
	struct tally t;
	struct stat st;

	fcntl(to, F_SETFD, FD_CLOEXEC);
	const pid_t cat = fork();
	if (cat == 0) {
		close(to);
		const pid_t inner = start_cat(from, fd);
		_exit(written_wait(inner) == 0 ? 0 : 1);
	}
	close(from);
	for (unsigned i = 0; i < n; i++) {
		snprintf(arg, sizeof(arg), "%u", i);
		pids[i] = written_start(
			i == 0 && has_keeper ? "marks_of_a_keeper" : "marks",
			arg, trace_fd, to);
		while (i == 0 && has_keeper && fstat(fd, &st) == 0 &&
		       st.st_size == 0)
			test_sleep_ms(1);
		if (!at_once)
			CHECK_EQ(written_wait(pids[i]), 0);
	}
	for (unsigned i = n; at_once && i-- > 0;) {
		if (i == 0 && has_keeper)
			kill(pids[i], SIGUSR1);
		CHECK_EQ(written_wait(pids[i]), 0);
	}
	close(to);
	CHECK_EQ(written_wait(cat), 0);
	tally_fd(fd, &t);
	check_whole(&t, n);
	close(fd);
}

TEST(a_pipe_gets_one_header_from_processes_at_once)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	record_through(ends[0], ends[1], 6, true, false);
}

TEST(a_pipe_gets_one_header_from_processes_one_after_the_other)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	record_through(ends[0], ends[1], 3, false, false);
}

TEST(a_non_blocking_pipe_stays_so_and_gets_everything)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	const int kept = fcntl(ends[1], F_DUPFD_CLOEXEC, 50);
	close(kept);
	record_through(ends[0], ends[1], 2, true, false);
}

TEST(a_named_pipe_gets_one_header)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "fifo");

	CHECK_EQ(mkfifo(path, 0600), 0);
	const int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const int to = open(path, O_WRONLY | O_CLOEXEC);
	CHECK_EQ(fcntl(from, F_SETFL, 0), 0);
	record_through(from, to, 4, true, true);
	free(path);
	written_remove_dir(dir);
}

TEST(a_socket_is_for_one_process)
{
	const int fd = memfd_create("copy", MFD_CLOEXEC);
	int ends[2];
	struct tally t;

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	const pid_t cat = fork();
	if (cat == 0) {
		close(ends[1]);
		const pid_t inner = start_cat(ends[0], fd);
		_exit(written_wait(inner) == 0 ? 0 : 1);
	}
	close(ends[0]);
	written_run("marks", "0", trace_fd, ends[1]);
	written_run("marks", "1", trace_fd, ends[1]);
	close(ends[1]);
	CHECK_EQ(written_wait(cat), 0);
	tally_fd(fd, &t);
	check_whole(&t, 1);
	CHECK_EQ(t.emitters[1], 0);
	close(fd);
}

/* --------------------------------------------------------------- refused */

static void tell_reason(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	SYSCAP_INSTANT("test", "x", NULL);
	syscap_get_stats(&stats);
	if (strcmp(stats.reason, peer_arg()) != 0) {
		fprintf(stderr, "%s\n", stats.reason);
		_exit(1);
	}
	CHECK(!syscap_is_active());
}

CHILD(refused)
{
	tell_reason();
}

TEST(a_foreign_trace_file_is_refused_with_a_reason_and_unchanged)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "log");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	const char *const not_capture =
		"SYSPROF_TRACE_FD is a file that is neither empty nor a "
		"capture";
	const char *const closed[] = { "SYSPROF_TRACE_FD=77", NULL };
	const char *const stderr_fd[] = { "SYSPROF_TRACE_FD=2", NULL };
	char content[16] = "";

	CHECK_EQ(write(fd, "hello, log\n", 11), 11);
	written_run("refused", not_capture, trace_fd, fd);
	const int appending = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	written_run("refused", not_capture, trace_fd, appending);
	CHECK_EQ(pread(fd, content, sizeof(content), 0), 11);
	CHECK_STR(content, "hello, log\n");
	const int reading = open(path, O_RDONLY | O_CLOEXEC);
	written_run("refused", "SYSPROF_TRACE_FD is not open for writing",
	            trace_fd, reading);
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	written_run("refused",
	            "SYSPROF_TRACE_FD is neither a file nor a pipe nor a "
	            "stream socket",
	            trace_fd, null);
	written_run("refused", "SYSPROF_TRACE_FD is not an open descriptor",
	            closed, -1);
	written_run("refused",
	            "SYSPROF_TRACE_FD is not a descriptor number above 2",
	            stderr_fd, -1);
	close(fd);
	close(appending);
	close(reading);
	close(null);
	free(path);
	written_remove_dir(dir);
}

/* ---------------------------------------------------------- closed, reused */

CHILD(reuses_the_number)
{
	for (unsigned i = 0; i < 2000; i++) {
		written_mark(0, i);
		if (i == 100 || i == 1000) {
			close(3);
			CHECK_EQ(open(peer_arg(), O_RDWR | O_CREAT, 0600), 3);
		}
		if (i % 200 == 0)
			test_sleep_ms(10);
	}
}

TEST(an_fd_closed_and_reused_during_a_drain_is_not_written)
{
	char *const dir = written_make_dir();
	char *const victim = file_in(dir, "victim");
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	struct stat st;
	struct tally t;

	written_run("reuses_the_number", victim, trace_fd, fd);
	CHECK_EQ(stat(victim, &st), 0);
	CHECK_EQ(st.st_size, 0);
	tally_fd(fd, &t);
	check_whole(&t, 1);
	close(fd);
	free(victim);
	written_remove_dir(dir);
}

/* ------------------------------------------------------------- no room */

CHILD(outlives_its_reader)
{
	const int64_t begin = syscap_clock();
	struct syscap_stats stats = { .size = sizeof(stats) };

	for (unsigned i = 0; i < 50; i++) {
		written_mark(0, i);
		test_sleep_ms(5);
	}
	syscap_get_stats(&stats);
	CHECK_STR(stats.reason, "the reader of SYSPROF_TRACE_FD has ended");
	CHECK(!syscap_is_active());
	CHECK(syscap_clock() - begin < INT64_C(20000000000));
}

TEST(a_pipe_whose_reader_is_gone_turns_recording_off)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	const pid_t pid =
		written_start("outlives_its_reader", "", trace_fd, ends[1]);
	test_sleep_ms(20);
	close(ends[0]);
	CHECK_EQ(written_wait(pid), 0);
	close(ends[1]);
}

CHILD(nobody_reads)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	for (unsigned i = 0; i < 20000; i++)
		written_mark(0, i);
	test_sleep_ms(200);
	for (unsigned i = 0; i < 20000; i++)
		written_mark(0, 20000 + i);
	syscap_get_stats(&stats);
	CHECK(stats.n_dropped > 0);
}

TEST(a_full_pipe_without_a_reader_blocks_neither_emits_nor_exit)
{
	int ends[2];
	struct timespec begin, end;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	written_run("nobody_reads", "", trace_fd, ends[1]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	/* 2 s under a sanitizer, more on a busy machine */
	CHECK(end.tv_sec - begin.tv_sec < 60);
	close(ends[0]);
	close(ends[1]);
}

CHILD(meets_the_file_size_limit)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	struct rlimit limit = { 100000, RLIM_INFINITY };

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (unsigned i = 0; i < 10000; i++)
		written_mark(0, i);
	CHECK(syscap_drain() != 0);
	syscap_get_stats(&stats);
	CHECK_STR(stats.reason,
	          "the file size limit was reached: events are lost");
	CHECK(stats.n_dropped > 0);
}

TEST(a_file_at_its_size_limit_is_not_torn_and_the_host_lives)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	struct tally t;

	written_run("meets_the_file_size_limit", "", trace_fd, fd);
	tally_fd(fd, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.gaps + t.doubles, 0);
	close(fd);
}
