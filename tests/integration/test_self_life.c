/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_life.c - processes that record themselves: their ends, forks,
 * daemons and changes of namespaces.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static void emit(unsigned emitter, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		written_mark(emitter, i);
}

/* Reads the capture of @pid, a file beside @path; with pid 0 the capture at
 * @path. */
static void tally_of(const char *path, pid_t pid, struct tally *t)
{
	char name[600];

	if (pid == 0)
		snprintf(name, sizeof(name), "%s", path);
	else
		snprintf(name, sizeof(name), "%s.%d", path, (int)pid);
	written_tally(name, t);
	CHECK_EQ(t->torn_at, 0);
	CHECK_EQ(t->gaps + t->doubles, 0);
}

static bool has_drain_thread(void)
{
	char path[300], comm[32] = "";
	bool found = false;
	DIR *const dir = opendir("/proc/self/task");

	CHECK(dir != NULL);
	for (struct dirent *e; !found && (e = readdir(dir)) != NULL;) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
		         e->d_name);
		const int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		const ssize_t n = read(fd, comm, sizeof(comm) - 1);
		close(fd);
		found = n == 7 && memcmp(comm, "syscap\n", 7) == 0;
	}
	closedir(dir);
	return found;
}

/* Run @child with an output and with a trace fd.  Stores the numbers of
 * marks of emitter 0 that have arrived, 0 for an empty trace. */
static void count_both(const char *child, int status, unsigned *ret_in_output,
                       unsigned *ret_in_trace)
{
	static const char *const trace_env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[300], variable[400], link[64];
	const char *const env[] = { variable, NULL };
	struct tally t = { .torn_at = 0 };
	struct stat of;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	CHECK_EQ(written_wait(written_start(child, "output", env, -1)), status);
	if (stat(path, &of) == 0 && of.st_size > 0)
		tally_of(path, 0, &t);
	*ret_in_output = t.emitters[0];
	memset(&t, 0, sizeof(t));
	CHECK_EQ(written_wait(written_start(child, "trace", trace_env, fd)),
	         status);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fstat(fd, &of) == 0 && of.st_size > 0)
		tally_of(link, 0, &t);
	*ret_in_trace = t.emitters[0];
	close(fd);
	written_remove_dir(dir);
}

static void run_both(const char *child, int status, unsigned in_output,
                     unsigned in_trace)
{
	unsigned n_output, n_trace;

	count_both(child, status, &n_output, &n_trace);
	CHECK_EQ(n_output, in_output);
	CHECK_EQ(n_trace, in_trace);
}

/* ----------------------------------------------------------------- ends */

CHILD(quick)
{
	emit(0, 100);
	quick_exit(0);
}

TEST(quick_exit_flushes)
{
	run_both("quick", 0, 100, 100);
}

static void *exit_here(void *data)
{
	emit(0, 100);
	exit((int)(intptr_t)data);
}

CHILD(exit_in_thread)
{
	pthread_t thread;

	emit(1, 50);
	CHECK_EQ(pthread_create(&thread, NULL, exit_here, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(exit_in_a_thread_flushes)
{
	run_both("exit_in_thread", 0, 100, 100);
}

CHILD(exits_at_once)
{
	emit(0, 100);
	_exit(0);
}

/* There is no drain at _exit(): the rings' frames stay in the ring file, and
 * are lost without a ring file.  (The first 50 ms are one drain interval.) */
TEST(after__exit_the_output_has_everything)
{
	run_both("exits_at_once", 0, 100, 0);
}

CHILD(aborts)
{
	emit(0, 100);
	written_wait_until_out(0, 100);
	abort();
}

TEST(abort_loses_nothing_that_was_drained)
{
	run_both("aborts", SIGABRT | (WCOREDUMP(0) ? 0x80 : 0), 100, 100);
}

static void *emit_then_end(void *data)
{
	test_sleep_ms(30);
	emit(0, 100);
	return data;
}

CHILD(main_ends_first)
{
	pthread_t thread;

	emit(1, 10);
	CHECK_EQ(pthread_create(&thread, NULL, emit_then_end, NULL), 0);
	pthread_detach(thread);
	pthread_exit(NULL);
}

TEST(a_process_whose_main_thread_ended_ends_with_its_last_thread)
{
	run_both("main_ends_first", 0, 100, 100);
}

static void *emit_on(void *data)
{
	(void)data;
	for (;;) {
		SYSCAP_INSTANT("other", "x", NULL);
		sched_yield();
	}
	return NULL;
}

CHILD(exits_while_it_drains)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, emit_on, NULL), 0);
	emit(0, 500);
	test_sleep_ms(getpid() % 70);
	exit(0);
}

TEST(exit_during_a_drain_makes_a_whole_file)
{
	unsigned n_output, n_trace, n_late = 0;

	/* The first event and exit wait 250 ms for another thread.  On a busy
	 * machine this thread may not run for so long. */
	for (unsigned i = 0; i < (test_is_sanitized() ? 4 : 20);) {
		count_both("exits_while_it_drains", 0, &n_output, &n_trace);
		if (n_output == 500 && n_trace == 500)
			i++;
		else
			CHECK(++n_late < 10);
	}
}

/* ------------------------------------------------------------- fork, exec */

CHILD(forks)
{
	emit(0, 100);
	pid_t pid = fork();
	if (pid == 0) {
		emit(1, 50);
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	pid = fork();
	if (pid == 0) {
		emit(2, 1);
		test_sleep_ms(150);
		written_mark(2, 1);
		CHECK(!has_drain_thread());
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	pid = _Fork();
	if (pid == 0) {
		emit(3, 50);
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
}

static void check_forks(const char *path)
{
	struct tally t;

	tally_of(path, 0, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.emitters[1], 50);
	CHECK_EQ(t.emitters[2], 2);
	CHECK_EQ(t.emitters[3], 50);
	CHECK_EQ(t.processes, 4);
	CHECK_EQ(t.lost, 0);
}

TEST(forked_children_are_in_their_parents_file)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *const env[] = { variable, NULL };

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("forks", "", env, -1);
	CHECK_EQ(written_count_files(dir, ""), 1);
	check_forks(path);
	written_remove_dir(dir);
}

TEST(forked_children_share_a_trace_descriptor)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char link[64];

	written_run("forks", "", env, fd);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	check_forks(link);
	close(fd);
}

CHILD(second_image)
{
	emit(1, 100);
}

CHILD(execs)
{
	emit(0, 100);
	setenv("SYSCAP_TEST_CHILD", "second_image", 1);
	execl("/proc/self/exe", "child", (char *)NULL);
}

TEST(an_image_that_is_execed_has_a_file_of_its_own)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *const env[] = { variable, NULL };
	struct tally t;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	const pid_t pid = written_start("execs", "", env, -1);
	CHECK_EQ(written_wait(pid), 0);
	tally_of(path, 0, &t);
	CHECK_EQ(t.emitters[0], 100);
	tally_of(path, pid, &t);
	CHECK_EQ(t.emitters[1], 100);
	written_remove_dir(dir);
}

static void wait_until_gone(pid_t pid)
{
	while (kill(pid, 0) == 0)
		test_sleep_ms(1);
}

CHILD(becomes_a_daemon)
{
	const pid_t maker = getpid();

	emit(0, 100);
	written_wait_until_out(0, 100);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (fork() != 0)
		_exit(0);
	const pid_t leader = setsid();
	if (fork() != 0)
		_exit(0);
	wait_until_gone(maker);
	wait_until_gone(leader); /* the test also waits for this process */
	emit(1, 100);
	struct syscap_stats stats = { .size = sizeof(stats) };
	syscap_get_stats(&stats);
	if (strcmp(peer_arg(), "trace") == 0)
		_exit(strcmp(stats.reason,
		             "SYSPROF_TRACE_FD was closed or reused") != 0);
	exit(0);
}

/* Waits for the daemon, which has become a child of the test. */
static void wait_for_daemon(void)
{
	int status;
	pid_t pid, last = 0;

	while ((pid = wait(&status)) > 0) {
		CHECK_EQ(status, 0);
		last = pid;
	}
	CHECK_EQ(errno, ECHILD);
	CHECK(last != 0);
}

TEST(a_daemon_goes_on_in_the_output_of_its_maker)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *const env[] = { variable, NULL };
	struct tally t;

	CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("becomes_a_daemon", "output", env, -1);
	wait_for_daemon();
	CHECK_EQ(written_count_files(dir, ""), 1);
	tally_of(path, 0, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.emitters[1], 100);
	CHECK_EQ(t.unnamed + t.late + t.torn_at, 0);
	written_remove_dir(dir);
}

TEST(a_trace_has_events_before_a_daemon_closed_all_fds)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char link[64];
	struct tally t;

	CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	written_run("becomes_a_daemon", "trace", env, fd);
	wait_for_daemon();
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	tally_of(link, 0, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.emitters[1], 0);
	close(fd);
}

/* ------------------------------------------------------------- namespaces */

CHILD(leaves_its_namespaces)
{
	const bool has_thread = strcmp(peer_arg(), "thread") == 0;

	emit(0, 100);
	while (has_thread && !has_drain_thread()) /* unnamed so far */
		test_sleep_ms(1);
	CHECK_EQ(has_drain_thread(), has_thread);
	errno = 0;
	const int r = unshare(CLONE_NEWUSER | CLONE_NEWNS);
	if (has_thread) {
		CHECK_EQ(r, -1);
		CHECK_EQ(errno, EINVAL);
	} else if (r != 0) {
		_exit(77);
	}
	for (unsigned i = 100; i < 200; i++)
		written_mark(0, i);
	CHECK_EQ(syscap_drain(), 0);
}

TEST(a_program_without_our_thread_may_leave_its_namespaces)
{
	char *const dir = written_make_dir();
	char path[300], variable[400];
	const char *const with[] = { variable, "SYSCAP_THREAD=1", NULL };
	const char *const without[] = { variable, NULL };
	struct tally t;

	snprintf(path, sizeof(path), "%s/a", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("leaves_its_namespaces", "thread", with, -1);
	tally_of(path, 0, &t);
	CHECK_EQ(t.emitters[0], 200);
	snprintf(path, sizeof(path), "%s/b", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	const int status = written_wait(
		written_start("leaves_its_namespaces", "", without, -1));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("user namespaces are unavailable here");
	CHECK_EQ(status, 0);
	tally_of(path, 0, &t);
	CHECK_EQ(t.emitters[0], 200);
	written_remove_dir(dir);
}
