/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spill_filters.c - programs that record themselves and install a seccomp
 * filter that kills for the system calls of a write.
 *
 * The filters differ in openat(), by which the library notices a filter:
 * permitted, or answered with EACCES as by most sandboxes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

/* At exit LeakSanitizer makes a process, which the filters kill, and waits for
 * it. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
	return 1;
}

/* A thread may detect a filter after this delay */
#define NOTICED_MS 30
/* More than a quarter of a ring of 64 KiB, and less than the ring */
#define QUARTER 250u

#define IF_CALL(number, action)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, (action))

/* False: the kernel has no filters. */
static bool install_filter(unsigned flags)
{
	const unsigned at_open = strcmp(peer_arg(), "no openat") == 0
	                                 ? SECCOMP_RET_ERRNO | EACCES
	                                 : SECCOMP_RET_ALLOW;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		IF_CALL(SYS_openat, at_open),
		IF_CALL(SYS_pwrite64, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_pwritev, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_pread64, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_get_robust_list, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_rt_sigpending, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_sched_getscheduler, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_ftruncate, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_lseek, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_fcntl, SECCOMP_RET_KILL_PROCESS),
		IF_CALL(SYS_unlink, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) ==
	               0;
}

static void need_filter(unsigned flags)
{
	if (!install_filter(flags))
		_exit(77);
}

static void emit(unsigned emitter, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		written_mark(emitter, i);
}

/* Events that are due to be written, in bursts and one by one. */
static void emit_filtered(unsigned emitter, unsigned from)
{
	test_sleep_ms(NOTICED_MS);
	emit(emitter, from, from + QUARTER);
	for (unsigned i = 0; i < 2; i++) {
		test_sleep_ms(110);
		written_mark(emitter, from + QUARTER + i);
	}
}

#define N_FILTERED (QUARTER + 2)

/* ------------------------------------------------------------- the programs */

CHILD(filters_first)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	need_filter(0);
	emit_filtered(0, 0);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped, N_FILTERED);
	CHECK_EQ(stats.n_written, 0);
	CHECK_EQ(syscap_drain(), 0);
}

CHILD(filters_later)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	written_mark(0, 0);
	test_sleep_ms(200);
	written_mark(0, 1);
	need_filter(0);
	emit_filtered(0, 2);
	CHECK_EQ(syscap_drain(), -EPERM);
	syscap_get_stats(&stats);
	CHECK(strstr(stats.reason, "filter") != NULL);
	CHECK_EQ(stats.n_dropped, 0);
}

static void *emit_under_filter(void *data)
{
	need_filter(0);
	emit_filtered(1, 0);
	return data;
}

CHILD(filters_in_a_thread)
{
	pthread_t thread;

	written_mark(0, 0);
	CHECK_EQ(pthread_create(&thread, NULL, emit_under_filter, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	written_mark(0, 1);
}

/* The thread is the first to emit. */
CHILD(filters_in_the_first_thread)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, emit_under_filter, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	emit(0, 0, 2);
}

CHILD(filters_in_a_child)
{
	int status;

	written_mark(0, 0);
	const pid_t pid = fork();
	if (pid == 0) {
		need_filter(0);
		emit_filtered(1, 0);
		return;
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	written_mark(0, 1);
}

static void *emit_after_tsync(void *data)
{
	written_mark(1, 0);
	while (__atomic_load_n((bool *)data, __ATOMIC_ACQUIRE))
		test_sleep_ms(1);
	emit_filtered(1, 1);
	return NULL;
}

CHILD(filters_all_threads)
{
	bool waits = true;
	pthread_t thread;

	written_mark(0, 0);
	CHECK_EQ(pthread_create(&thread, NULL, emit_after_tsync, &waits), 0);
	test_sleep_ms(110);
	written_mark(0, 1);
	need_filter(SECCOMP_FILTER_FLAG_TSYNC);
	__atomic_store_n(&waits, false, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	emit_filtered(0, 2);
}

/* ------------------------------------------------------------------ tests */

/* Run @child with each filter.  @is_output: into an output, else into a trace
 * file.  Returns the capture of both runs. */
static void run(const char *child, bool is_output, const char *extra,
                struct tally *t)
{
	static const char *const filters[] = { "openat", "no openat" };

	memset(t, 0, sizeof(*t));
	for (int i = 0; i < 2; i++) {
		char *const dir = written_make_dir();
		char variable[400], path[300];
		const char *const env[] = { variable, "SYSCAP_RING_KIB=64",
			                    extra, NULL };
		int fd = -1;

		snprintf(path, sizeof(path), "%s/out", dir);
		snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
		if (!is_output) {
			strcpy(variable, "SYSPROF_TRACE_FD=3");
			fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			CHECK(fd >= 0);
		}
		const int status =
			written_wait(written_start(child, filters[i], env, fd));
		if (fd >= 0)
			close(fd);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			SKIP("the kernel has no seccomp filters");
		CHECK_EQ(status, 0);
		if (access(path, F_OK) == 0)
			written_tally_more(path, t);
		written_remove_dir(dir);
		CHECK_EQ(t->doubles + t->gaps, 0);
		memset(t->emitters, 0, sizeof(t->emitters));
	}
}

TEST(a_filter_before_the_first_event)
{
	struct tally t;

	run("filters_first", true, NULL, &t);
	CHECK_EQ(t.received, 0);
}

TEST(a_filter_after_an_event_keeps_all_in_the_ring_file)
{
	struct tally t;

	run("filters_later", true, NULL, &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
}

TEST(a_filter_after_an_event_with_a_trace)
{
	struct tally t;

	run("filters_later", false, NULL, &t);
	CHECK_EQ(t.received, 2 * 2);
}

TEST(the_librarys_thread_writes_for_a_filtered_thread)
{
	struct tally t;

	run("filters_later", true, "SYSCAP_THREAD=1", &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
	run("filters_later", false, "SYSCAP_THREAD=1", &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
}

TEST(other_threads_write_for_a_filtered_thread)
{
	struct tally t;

	run("filters_in_a_thread", true, NULL, &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
	run("filters_in_a_thread", false, NULL, &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
}

TEST(losses_of_a_filtered_first_thread_are_reported)
{
	struct tally t;

	run("filters_in_the_first_thread", true, NULL, &t);
	CHECK_EQ(t.received, 2 * 2);
	CHECK_EQ(t.lost_marks, 2 * N_FILTERED);
	run("filters_in_the_first_thread", false, NULL, &t);
	CHECK_EQ(t.received, 2 * 2);
	CHECK_EQ(t.lost_marks, 2 * N_FILTERED);
}

TEST(a_parent_writes_for_a_filtered_child)
{
	struct tally t;

	run("filters_in_a_child", true, NULL, &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
	run("filters_in_a_child", false, NULL, &t);
	CHECK_EQ(t.received, 2 * (2 + N_FILTERED));
}

TEST(a_filter_of_all_threads)
{
	struct tally t;

	run("filters_all_threads", true, NULL, &t);
	CHECK_EQ(t.received, 2 * (3 + 2 * N_FILTERED));
	run("filters_all_threads", false, NULL, &t);
	CHECK(t.received >= 2 * 2);
}

TEST(a_filter_of_the_librarys_thread)
{
	struct tally t;

	run("filters_all_threads", true, "SYSCAP_THREAD=1", &t);
	CHECK_EQ(t.received, 2 * (3 + 2 * N_FILTERED));
}
