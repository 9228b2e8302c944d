/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_guests.c - forked children in their parent's arena: forked by each
 * system call, without a slot, and in a trace that another library empties.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define EACH 3u

static void emit(unsigned emitter, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		written_mark(emitter, i);
}

static void begin_recording(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	emit(0, 0, 10);
	do {
		syscap_drain();
		syscap_get_stats(&stats);
	} while (stats.n_written == 0);
}

/* ------------------------------------------------------ every kind of fork */

/* A child that execs a program without the library. */
static pid_t spawn(void)
{
	char *const argv[] = { (char *)"true", NULL };
	pid_t pid;

	CHECK_EQ(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ), 0);
	return pid;
}

static pid_t make_child(unsigned kind)
{
	switch (kind % 4) {
	case 0:
		return fork();
	case 1:
		return _Fork();
	case 2:
		return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	default:
		return spawn();
	}
}

/* Children of each kind, some at the same time.  All emit as emitter 1. */
CHILD(forks_by_every_call)
{
	const unsigned n = (unsigned)strtoul(peer_arg(), NULL, 10);

	begin_recording();
	for (unsigned i = 0; i < n; i++) {
		const pid_t pid = make_child(i);

		if (pid == 0) {
			emit(1, i * EACH, (i + 1) * EACH);
			_exit(0);
		}
		CHECK(pid > 0);
		while (i % 8 == 7 && wait(NULL) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
	exit(0);
}

/* Counts of a capture: distinct marks; reported losses; and frames before their
 * PROCESS frame.  If the file was truncated, counts begin after the
 * truncation. */
struct family {
	unsigned marks[2], doubles, unnamed, processes, damaged;
	uint64_t lost;
	unsigned char seen[2][20000];
};

static bool is_known(const int32_t *pids, unsigned n, int32_t pid)
{
	for (unsigned i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void look_at(const char *path, struct family *family)
{
	static int32_t pids[4096];
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned long long frames;
	unsigned emitter, n;

	memset(family, 0, sizeof(*family));
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while (syscap_reader_next(reader, &frame, NULL) == 1) {
		if (frame.type == SYSCAP_FRAME_PROCESS)
			pids[family->processes++ % 4096] = frame.pid;
		family->damaged +=
			frame.type == SYSCAP_FRAME_METADATA &&
			strcmp(frame.metadata.id, "syscap.damaged") == 0;
		if (frame.type != SYSCAP_FRAME_MARK)
			continue;
		family->unnamed +=
			!is_known(pids, family->processes, frame.pid);
		if (sscanf(frame.mark.message, "frames=%llu", &frames) == 1)
			family->lost += frames;
		else if (sscanf(frame.mark.message, "%u %u", &emitter, &n) ==
		                 2 &&
		         emitter < 2 && n < sizeof(family->seen[0])) {
			family->marks[emitter]++;
			family->doubles += family->seen[emitter][n];
			family->seen[emitter][n] = 1;
		}
	}
	syscap_reader_close(reader);
}

static void run_into_trace(const char *child, const char *arg,
                           struct family *family)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char path[64];
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	written_run(child, arg, env, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look_at(path, family);
	close(fd);
}

static void run_into_output(const char *child, const char *arg,
                            struct family *family)
{
	char *const dir = written_make_dir();
	char variable[500], path[400];
	const char *const env[] = { variable, NULL };

	snprintf(path, sizeof(path), "%s/out.syscap", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run(child, arg, env, -1);
	CHECK_EQ(written_count_files(dir, ""), 1);
	look_at(path, family);
	written_remove_dir(dir);
}

TEST(children_of_every_kind_of_fork_report_all_losses)
{
	const unsigned n = test_is_whole() ? 2000 : 200;
	const unsigned sent = n / 4 * 3 * EACH;
	const int runs = test_is_whole() ? 20 : 2;
	static struct family family;
	char number[20];

	snprintf(number, sizeof(number), "%u", n);
	for (int i = 0; i < runs; i++) {
		if (i % 2 == 0)
			run_into_output("forks_by_every_call", number, &family);
		else
			run_into_trace("forks_by_every_call", number, &family);
		CHECK_EQ(family.marks[0], 10);
		CHECK_EQ(family.marks[1] + family.lost, sent);
		CHECK_EQ(family.doubles + family.unnamed + family.damaged, 0);
		CHECK_EQ(family.processes, 1 + n / 4 * 3);
	}
}

/* There are 1,023 slots, so children wait until a transfer frees slots.  On a
 * busy machine a child may wait in vain, and then has an output of its own. */
TEST(children_wait_for_slots_of_ended_children)
{
	char variable[100];
	const char *const env[] = { variable, NULL };
	unsigned files = 0;

	if (test_is_sanitized())
		SKIP("fork() of sanitized processes is slow");
	for (int i = 0; i < 5 && files != 1; i++) {
		char *const dir = written_make_dir();

		snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out",
		         dir);
		written_run("forks_by_every_call", "1600", env, -1);
		files = written_count_files(dir, "");
		written_remove_dir(dir);
	}
	CHECK_EQ(files, 1);
}

/* ------------------------------------------------------------- owners of
 * slots */

/*
 * The child runs longer than the interval at which the drainer checks that the
 * child is alive.
 */
CHILD(has_a_child_that_lives)
{
	begin_recording();
	const pid_t pid = fork();
	if (pid == 0) {
		for (unsigned i = 0; i < 1000; i++) {
			written_mark(1, i);
			if (i % 10 == 0)
				test_sleep_ms(10);
			if (i % 100 == 0)
				syscap_drain();
		}
		_exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	exit(0);
}

TEST(children_that_live_keep_their_slots)
{
	static struct family family;

	run_into_output("has_a_child_that_lives", NULL, &family);
	CHECK_EQ(family.marks[1], 1000);
	CHECK_EQ(family.lost + family.doubles + family.damaged, 0);
	CHECK_EQ(family.processes, 2);
}

CHILD(has_a_child_that_lies)
{
	begin_recording();
	const pid_t pid = fork();
	if (pid == 0) {
		emit(1, 0, 5);
		syc_self->pid_word = (uint64_t)(uint32_t)getppid() << 32;
		emit(1, 5, 10);
		_exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	exit(0);
}

static unsigned count_fds_of(const char *path)
{
	char link[64], target[400];
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		const ssize_t n = readlink(link, target, sizeof(target) - 1);

		if (n > 0) {
			target[n] = '\0';
			count += strcmp(target, path) == 0;
		}
	}
	return count;
}

CHILD(has_a_silent_child)
{
	begin_recording();
	CHECK(count_fds_of(peer_arg()) > 1);
	const pid_t pid = fork();
	if (pid == 0)
		_exit((int)count_fds_of(peer_arg()));
	int status;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 1 << 8);
}

/* A lock of the killed parent would last as long as they are open. */
TEST(a_silent_child_keeps_none_of_the_fds_of_its_parents_trace)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char path[400];

	snprintf(path, sizeof(path), "%s/trace", dir);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	written_run("has_a_silent_child", path, env, fd);
	close(fd);
	written_remove_dir(dir);
}

TEST(a_child_emits_under_no_name_but_its_own)
{
	static struct family family;

	run_into_output("has_a_child_that_lies", NULL, &family);
	CHECK_EQ(family.marks[1], 5);
	CHECK(family.damaged != 0);
	CHECK(family.lost != 0);
}

/* ------------------------------------------------------------ without a slot */

static void *hold_a_slot(void *barrier)
{
	emit(0, 10, 11);
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

/* The threads hold all slots, and the child can open no file. */
CHILD(has_a_child_without_a_slot)
{
	const struct rlimit small = { 65536, 65536 }, none = { 0, 0 };
	pthread_barrier_t barrier;
	pthread_t threads[8];

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	begin_recording();
	pthread_barrier_init(&barrier, NULL, 9);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hold_a_slot,
		                        &barrier),
		         0);
	pthread_barrier_wait(&barrier);
	const pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
		emit(1, 0, 5);
		_exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	exit(0);
}

TEST(losses_of_a_child_without_a_slot_are_reported)
{
	static struct family family;

	run_into_output("has_a_child_without_a_slot", NULL, &family);
	CHECK_EQ(family.marks[1], 0);
	CHECK(family.lost >= 5);
	CHECK_EQ(family.marks[0] + family.lost, 10 + 8 + 5);
}

/* --------------------------------------------- another library's first write */

static void wait_for(int fd)
{
	char one;

	CHECK_EQ(read(fd, &one, 1), 1);
}

/* The first drain detects the truncated file. */
static void emit_in_halves(unsigned emitter)
{
	emit(emitter, 10, 15);
	syscap_drain();
	emit(emitter, 15, 20);
}

CHILD(emits_before_and_after)
{
	int ready, go, answer[2];

	CHECK_EQ(sscanf(peer_arg(), "%d %d", &ready, &go), 2);
	CHECK_EQ(pipe(answer), 0);
	begin_recording();
	const pid_t pid = fork();
	if (pid == 0) {
		emit(1, 0, 10);
		syscap_drain();
		CHECK_EQ(write(answer[1], "", 1), 1);
		wait_for(go);
		emit_in_halves(1);
		exit(0);
	}
	wait_for(answer[0]);
	CHECK_EQ(write(ready, "", 1), 1);
	wait_for(go);
	emit_in_halves(0);
	CHECK_EQ(written_wait(pid), 0);
	exit(0);
}

/* Empties the file like the start of a library that does not seek back to its
 * start. */
static void empty(int fd)
{
	struct syscap_wire_file header = { .magic = SYSCAP_MAGIC,
		                           .version = 1,
		                           .little_endian = 1,
		                           .time = 5 };

	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(write(fd, &header, sizeof(header)), sizeof(header));
}

TEST(in_a_trace_that_was_emptied_children_are_named_anew)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	static struct family family;
	char *const dir = written_make_dir();
	char path[400], fds[40];
	int ready[2], go[2];

	snprintf(path, sizeof(path), "%s/trace", dir);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(pipe(ready), 0);
	CHECK_EQ(pipe(go), 0);
	snprintf(fds, sizeof(fds), "%d %d", ready[1], go[0]);
	const pid_t pid = written_start("emits_before_and_after", fds, env, fd);
	wait_for(ready[0]);
	empty(fd);
	CHECK_EQ(write(go[1], "..", 2), 2);
	CHECK_EQ(written_wait(pid), 0);
	look_at(path, &family);
	CHECK_EQ(family.marks[0], 10);
	CHECK_EQ(family.marks[1], 10);
	CHECK(family.unnamed <= 10);
	CHECK_EQ(family.processes, 2);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	close(fd);
	written_remove_dir(dir);
}
