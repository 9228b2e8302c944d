/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_end.c - processes that record themselves with a thread of the
 * library.  The program's threads end unnoticed: by the exit system call, or by
 * a seccomp filter.  The processes still end, with every event in the capture.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "harness/forbid.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static void emit(unsigned emitter, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		written_mark(emitter, i);
}

/* Ends the thread without the C library, which would run the library's
 * destructor, or end all threads. */
__attribute__((noreturn)) static void leave(int status)
{
	for (;;)
		syscall(SYS_exit, status);
}

/* ------------------------------------------------ an output and a trace */

struct both {
	char *dir;
	char path[300], link[64];
	int fd;
	pid_t output, trace;
};

/* Starts @child twice at the same time: with an output and with a trace
 * fd. */
static void start_both(struct both *both, const char *child)
{
	static const char *const trace_env[] = { "SYSPROF_TRACE_FD=3",
		                                 "SYSCAP_THREAD=1", NULL };
	char variable[400];
	const char *const env[] = { variable, "SYSCAP_THREAD=1", NULL };

	both->dir = written_make_dir();
	both->fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(both->path, sizeof(both->path), "%s/out", both->dir);
	snprintf(both->link, sizeof(both->link), "/proc/self/fd/%d", both->fd);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", both->path);
	both->output = written_start(child, "output", env, -1);
	both->trace = written_start(child, "trace", trace_env, both->fd);
}

static void check_whole(const char *path, unsigned n0, unsigned n1)
{
	struct tally t;

	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
	CHECK_EQ(t.emitters[0], n0);
	CHECK_EQ(t.emitters[1], n1);
	CHECK_EQ(t.unnamed + t.late, 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_EXIT], 1);
}

static void free_both(struct both *both)
{
	close(both->fd);
	written_remove_dir(both->dir);
}

/* Runs @child, which ends with @status. The capture then has @n0 and @n1 marks
 * of emitters 0 and 1, and there is no ring file. */
static void run_both(const char *child, int status, unsigned n0, unsigned n1)
{
	struct both both;

	start_both(&both, child);
	CHECK_EQ(written_wait(both.output), status);
	CHECK_EQ(written_wait(both.trace), status);
	check_whole(both.path, n0, n1);
	check_whole(both.link, n0, n1);
	free_both(&both);
}

/* ----------------------------------------------------------------- ends */

CHILD(leaves_at_once)
{
	emit(0, 100);
	leave(7);
}

CHILD(leaves_when_all_is_drained)
{
	emit(0, 100);
	CHECK_EQ(syscap_drain(), 0);
	test_sleep_ms(300);
	leave(7);
}

TEST(a_process_ends_when_its_only_thread_leaves_by_the_exit_system_call)
{
	run_both("leaves_at_once", 7 << 8, 100, 0);
	run_both("leaves_when_all_is_drained", 7 << 8, 100, 0);
}

static void *end_later(void *data)
{
	test_sleep_ms(50);
	emit(1, 100);
	return data;
}

/* The C library calls exit() in the library's thread, which is the last. */
CHILD(all_end_by_pthread_exit)
{
	pthread_t thread;

	emit(0, 100);
	CHECK_EQ(pthread_create(&thread, NULL, end_later, NULL), 0);
	pthread_detach(thread);
	pthread_exit(NULL);
}

TEST(a_process_whose_threads_all_end_has_one_end)
{
	run_both("all_end_by_pthread_exit", 0, 100, 100);
}

static void *leave_later(void *data)
{
	test_sleep_ms(200);
	emit(1, 100);
	leave((int)(intptr_t)data);
}

CHILD(main_leaves_first)
{
	pthread_t thread;

	emit(0, 100);
	CHECK_EQ(pthread_create(&thread, NULL, leave_later, NULL), 0);
	leave(3);
}

static void *leave_now(void *data)
{
	emit(1, 100);
	leave((int)(intptr_t)data);
}

CHILD(main_leaves_last)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, leave_now, NULL), 0);
	test_sleep_ms(100);
	emit(0, 100);
	leave(3);
}

TEST(a_process_ends_with_the_last_of_its_threads_that_leave_so)
{
	run_both("main_leaves_first", 3 << 8, 100, 100);
	run_both("main_leaves_last", 3 << 8, 100, 100);
}

CHILD(is_killed_by_a_filter)
{
	emit(0, 100);
	CHECK(test_forbid(SYS_getppid));
	syscall(SYS_getppid);
	exit(1);
}

TEST(a_process_ends_when_a_filter_kills_its_only_thread)
{
	run_both("is_killed_by_a_filter", SIGSYS, 100, 0);
}

CHILD(leaves_without_proc)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", "/proc", "tmpfs", 0, "size=4k") != 0)
		exit(77);
	pthread_t thread;

	emit(0, 100);
	CHECK_EQ(pthread_create(&thread, NULL, leave_later, NULL), 0);
	leave(3);
}

TEST(a_process_without_proc_ends_with_the_last_of_its_threads)
{
	struct both both;

	if (test_is_sanitized())
		SKIP("a sanitizer's threads need /proc when they begin");
	start_both(&both, "leaves_without_proc");
	const int status = written_wait(both.output);
	CHECK_EQ(written_wait(both.trace), status);
	if (status != 77 << 8) {
		/* Since Linux 5.18 the process gets the status of the last
		 * thread, which has no access to the first thread's status */
		CHECK(status == 3 << 8 || status == 0);
		check_whole(both.path, 100, 100);
		check_whole(both.link, 100, 100);
	}
	free_both(&both);
	if (status == 77 << 8)
		SKIP("only root can mount");
}

/* ---------------------------------------- no end before the last thread */

static void *emit_late(void *data)
{
	for (int i = 0; i < 5; i++) {
		test_sleep_ms(700);
		written_mark(1, (unsigned)i);
	}
	return data;
}

CHILD(main_leaves_long_before)
{
	pthread_t thread;

	/* The threads of this program have the same names as the library's
	 * threads */
	prctl(PR_SET_NAME, peer_arg()[0] == 't' ? "syscap" : "syscap-sampler");
	emit(0, 100);
	CHECK_EQ(pthread_create(&thread, NULL, emit_late, NULL), 0);
	pthread_detach(thread);
	leave(3);
}

TEST(a_thread_is_recorded_long_after_the_main_thread_left)
{
	run_both("main_leaves_long_before", 3 << 8, 100, 5);
}

/* ------------------------------------------------------------ the sampler */

CHILD(leaves_while_it_is_sampled)
{
	struct syscap_sampler_options options = {
		.size = sizeof(options),
		.hz = 100,
	};

	emit(0, 100);
	CHECK_EQ(syscap_sampler_start(&options), 0);
	test_sleep_ms(100);
	leave(7);
}

TEST(a_process_that_samples_itself_ends_with_its_last_thread)
{
	run_both("leaves_while_it_is_sampled", 7 << 8, 100, 0);
}

/* ---------------------------------------------------------------- signals */

CHILD(leaves_and_is_terminated)
{
	emit(0, 100);
	if (peer_arg()[0] == 't')
		kill(getpid(), SIGSTOP);
	leave(7);
}

/* The signal may come before or after the thread leaves: the process must
 * end. */
TEST(a_terminated_process_ends_whenever_its_last_thread_leaves)
{
	for (unsigned i = 0; i < 3; i++) {
		struct both both;
		int status;

		start_both(&both, "leaves_and_is_terminated");
		CHECK_EQ(waitpid(both.trace, &status, WUNTRACED), both.trace);
		CHECK(WIFSTOPPED(status));
		kill(both.trace, SIGCONT);
		test_sleep_ms((long)i * 30);
		kill(both.trace, SIGTERM);
		status = written_wait(both.trace);
		CHECK(status == SIGTERM || status == 7 << 8);
		CHECK_EQ(written_wait(both.output), 7 << 8);
		free_both(&both);
	}
}

/* The drain thread blocks in a write to a full pipe. */
CHILD(leaves_beside_a_stuck_pipe)
{
	emit(0, 3000);
	test_sleep_ms(100);
	leave(7);
}

TEST(a_process_ends_without_a_reader_of_its_trace)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	const pid_t pid =
		written_start("leaves_beside_a_stuck_pipe", "", env, ends[1]);
	CHECK_EQ(written_wait(pid), 7 << 8);
	close(ends[0]);
	close(ends[1]);
}
