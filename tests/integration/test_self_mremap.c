/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_mremap.c - processes that record themselves while mremap() is
 * refused, as under valgrind, qemu-user and some sandboxes. Rings are then
 * mapped by their file's fd; without that fd, the reason is
 * reported.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define THREADS 4u

static void emit(unsigned emitter)
{
	for (unsigned i = 0; i < 100; i++)
		written_mark(emitter, i);
}

static void refuse(int number, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/*
 * Execute this program again under a filter, as in a sandbox.  After a filter
 * that the program itself installs, its threads would not write.
 */
static void exec_refused(int error, bool memfd_too)
{
	if (getenv("REFUSED") != NULL)
		return;
	CHECK_EQ(setenv("REFUSED", "1", 1), 0);
	refuse(SYS_mremap, error);
	if (memfd_too)
		refuse(SYS_memfd_create, error);
	execl("/proc/self/exe", "child", (char *)NULL);
	CHECK_EQ(errno, 0);
}

static void *emit_in_thread(void *data)
{
	emit((unsigned)(uintptr_t)data);
	return NULL;
}

static void emit_in_threads(unsigned first)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_in_thread,
		                        (void *)(uintptr_t)(first + i)),
		         0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void run_both(const char *child, const char *extra, unsigned emitters)
{
	char *const dir = written_make_dir();
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[300], variable[400], link[64];
	const char *const output[] = { variable, extra, NULL };
	const char *const trace[] = { "SYSPROF_TRACE_FD=3", extra, NULL };
	const char *const paths[] = { path, link };
	struct tally t;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	written_run(child, "output", output, -1);
	written_run(child, "trace", trace, fd);
	for (unsigned k = 0; k < 2; k++) {
		written_tally(paths[k], &t);
		CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
		for (unsigned i = 0; i < emitters; i++)
			CHECK_EQ(t.emitters[i], 100);
	}
	close(fd);
	written_remove_dir(dir);
}

/* ------------------------------------------------------------- by the fd */

/* Starts threads before and after the program has closed all fds.  A
 * trace without its fd ends. */
static void record_in_threads(int error)
{
	const struct timespec moment = { 0, 100000000 };

	exec_refused(error, false);
	emit(0);
	emit_in_threads(1);
	CHECK_EQ(syscap_drain(), 0);
	nanosleep(&moment, NULL);
	if (strcmp(peer_arg(), "trace") == 0) {
		emit_in_threads(1 + THREADS);
		return;
	}
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	emit_in_threads(1 + THREADS);
}

CHILD(meets_eperm)
{
	record_in_threads(EPERM);
}

CHILD(meets_enosys)
{
	record_in_threads(ENOSYS);
}

CHILD(meets_einval)
{
	record_in_threads(EINVAL);
}

TEST(threads_are_recorded_where_a_filter_refuses_mremap)
{
	run_both("meets_eperm", NULL, 1 + 2 * THREADS);
	run_both("meets_enosys", NULL, 1 + 2 * THREADS);
	run_both("meets_einval", NULL, 1 + 2 * THREADS);
}

CHILD(drains_by_itself)
{
	exec_refused(EPERM, false);
	emit(0);
	emit_in_threads(1);
	CHECK_EQ(syscap_drain(), 0);
	emit_in_threads(1 + THREADS);
}

TEST(threads_are_recorded_without_mremap_and_without_our_thread)
{
	run_both("drains_by_itself", "SYSCAP_THREAD=0", 1 + 2 * THREADS);
}

CHILD(forks_without_mremap)
{
	exec_refused(EPERM, false);
	emit(0);
	const pid_t pid = fork();
	if (pid == 0) {
		emit(1);
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
}

TEST(forked_children_are_recorded_where_a_filter_refuses_mremap)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char link[64];
	struct tally t;

	written_run("forks_without_mremap", NULL, env, fd);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	written_tally(link, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.emitters[1], 100);
	CHECK_EQ(t.lost, 0);
	close(fd);
}

/* --------------------------------------------------------------- no fd */

static bool reason_is(const char *begin)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return strncmp(stats.reason, begin, strlen(begin)) == 0;
}

CHILD(has_no_memfd_either)
{
	exec_refused(EPERM, true);
	emit(0);
	CHECK(!syscap_is_active());
	CHECK(reason_is("rings can't be mapped"));
}

TEST(a_trace_without_mremap_and_memfd_create_is_off_with_a_reason)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	written_run("has_no_memfd_either", NULL, env, fd);
	close(fd);
}

static void *fail_to_emit(void *data)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	emit(1);
	syscap_get_stats(&stats);
	CHECK(reason_is("rings can't be mapped"));
	CHECK_EQ(stats.n_dropped, 100);
	return data;
}

CHILD(refuses_it_later)
{
	pthread_t thread;

	emit(0);
	refuse(SYS_mremap, EPERM);
	CHECK_EQ(pthread_create(&thread, NULL, fail_to_emit, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

TEST(threads_without_a_ring_since_mremap_is_refused_are_reported)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char link[64];
	struct tally t;

	written_run("refuses_it_later", NULL, env, fd);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	written_tally(link, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.lost, 100);
	close(fd);
}

/* tests/integration/emulated.sh also runs this child under emulators. */
CHILD(emits_in_threads)
{
	emit(0);
	emit_in_threads(1);
	CHECK_EQ(peer_arg()[0] != 'x', 1);
}
