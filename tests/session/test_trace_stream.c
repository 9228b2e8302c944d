/* SPDX-License-Identifier: BSD-2-Clause */
/* test_trace_stream.c - several processes write into a pipe, one into a
 * socket. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "emit/process.h"
#include "harness/test.h"
#include "session/trace_frames.h"

#define LONGEST SYSCAP_FRAME_MAX

static struct frames_writer writer, other;
static struct frames_seen seen;

/* Read the rest of a stream whose writers have all ended. */
static void look_until_the_end(int fd)
{
	size_t size;
	unsigned char *const bytes = frames_read(fd, SIZE_MAX, &size);

	frames_look(bytes, size, &seen);
	CHECK_EQ(seen.torn_at, 0);
	free(bytes);
	close(fd);
}

static pid_t start_writer(unsigned id, int fd, unsigned batches, unsigned n,
                          uint32_t longest)
{
	const pid_t pid = fork();

	if (pid != 0)
		return pid;
	writer.longest = longest;
	frames_open(&writer, id, fd);
	for (unsigned k = 0; k < batches; k++)
		CHECK_EQ(frames_write(&writer, n, 30000), 0);
	syc_trace_close(&writer.trace);
	_exit(0);
}

/* -------------------------------------------------------------- one header */

static void share_pipe(uint32_t longest, unsigned batches, int capacity)
{
	enum {
		PROCESSES = 5,
		FRAMES = 20
	};
	pid_t pids[PROCESSES];
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK(fcntl(ends[1], F_SETPIPE_SZ, capacity) >= capacity);
	for (unsigned i = 0; i < PROCESSES; i++)
		pids[i] = start_writer(i, ends[1], batches, FRAMES, longest);
	close(ends[1]);
	look_until_the_end(ends[0]);
	for (unsigned i = 0; i < PROCESSES; i++) {
		frames_reap(pids[i]);
		CHECK_EQ(seen.writers[i], batches * FRAMES);
	}
}

TEST(processes_share_a_pipe)
{
	share_pipe(400, 200, 65536);
}

TEST(processes_share_a_pipe_with_frames_longer_than_pipe_buf)
{
	share_pipe(LONGEST, 10, 65536);
}

TEST(processes_share_a_pipe_that_is_smaller_than_a_frame)
{
	share_pipe(LONGEST, 5, 4096);
}

TEST(a_process_after_another_writes_no_header_into_the_pipe)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	for (unsigned i = 0; i < 4; i++)
		frames_reap(start_writer(i, ends[1], 1, 5, 400));
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 20);
}

TEST(writers_of_a_named_pipe_write_one_header_while_one_of_them_lives)
{
	char dir[] = "/tmp/syscap-fifo-XXXXXX";
	struct stat st;

	CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
	CHECK_EQ(mkfifo("fifo", 0600), 0);
	const int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const int fd = open("fifo", O_WRONLY | O_CLOEXEC);
	CHECK_EQ(fcntl(reader, F_SETFL, 0), 0);
	frames_open(&writer, 0, fd);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	for (unsigned i = 1; i < 4; i++)
		frames_reap(start_writer(i, fd, 1, 5, 400));
	/* Closing another fd of the pipe drops this process's locks;
	 * the next write takes the locks again */
	close(dup(fd));
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	frames_reap(start_writer(4, fd, 1, 5, 400));
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK_EQ(st.st_mode & 07777, 0600);
	syc_trace_close(&writer.trace);
	close(fd);
	look_until_the_end(reader);
	CHECK_EQ(seen.total, 30);
	unlink("fifo");
	CHECK_EQ(chdir("/"), 0);
	rmdir(dir);
}

TEST(a_pipe_of_another_user_gets_one_header)
{
	int ends[2];

	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	const pid_t first = fork();
	if (first == 0) {
		CHECK_EQ(setresuid(65534, 65534, 65534), 0);
		frames_open(&writer, 0, ends[1]);
		CHECK_EQ(frames_write(&writer, 5, 0), 0);
		frames_reap(start_writer(1, ends[1], 1, 5, 400));
		CHECK_EQ(frames_write(&writer, 5, 0), 0);
		_exit(0);
	}
	frames_reap(first);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 15);
}

TEST(a_pipe_s_owner_learns_of_the_header_of_another_user)
{
	int ends[2], ready[2];
	char byte;

	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK_EQ(pipe2(ready, O_CLOEXEC), 0);
	const pid_t first = fork();
	if (first == 0) {
		CHECK_EQ(setresuid(65534, 65534, 65534), 0);
		frames_open(&writer, 0, ends[1]);
		CHECK_EQ(frames_write(&writer, 5, 0), 0);
		CHECK_EQ(write(ready[1], "x", 1), 1);
		pause();
	}
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	frames_reap(start_writer(1, ends[1], 1, 5, 400));
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	/* Now the pipe's mode shows that the header is written */
	frames_reap(start_writer(2, ends[1], 1, 5, 400));
	close(ready[0]);
	close(ready[1]);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 15);
}

/* ------------------------------------------------------------ slow readers */

/* Write until the pipe is full, and check that each write keeps its
 * deadline. */
static void fill_pipe(unsigned n)
{
	int r;

	do {
		const int64_t before = frames_in_ms(0);

		r = frames_write(&writer, n, 20);
		CHECK(frames_in_ms(0) - before < INT64_C(5000000000));
	} while (r == 0);
	CHECK_EQ(r, -EAGAIN);
}

static void *drain(void *arg)
{
	look_until_the_end(*(int *)arg);
	return NULL;
}

static void check_slow_reader(int reader, int fd, uint32_t longest, bool wants)
{
	pthread_t thread;
	bool had_rest = false;

	writer.longest = longest;
	frames_open(&writer, 0, fd);
	const int flags = fcntl(fd, F_GETFL);
	for (int i = 0; i < 3; i++)
		fill_pipe(10);
	had_rest = syc_trace_has_rest(&writer.trace);
	CHECK_EQ(had_rest, wants);
	CHECK_EQ(fcntl(fd, F_GETFL), flags);
	close(fd);
	CHECK_EQ(pthread_create(&thread, NULL, drain, &reader), 0);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(frames_write(&writer, 10, -1), 0);
	CHECK(!syc_trace_has_rest(&writer.trace));
	syc_trace_close(&writer.trace);
	pthread_join(thread, NULL);
	CHECK_EQ(seen.total, writer.next);
}

TEST(a_full_pipe_is_waited_for_until_the_deadline)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	check_slow_reader(ends[0], ends[1], 400, false);
}

TEST(a_full_pipe_that_does_not_block_is_waited_for_too)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	check_slow_reader(ends[0], ends[1], 400, false);
}

TEST(a_long_frame_waits_for_an_empty_pipe)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	check_slow_reader(ends[0], ends[1], LONGEST, false);
}

TEST(a_frame_that_a_deadline_cut_in_two_is_finished_first)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK(fcntl(ends[1], F_SETPIPE_SZ, 8192) > 0);
	check_slow_reader(ends[0], ends[1], LONGEST, true);
}

TEST(no_other_process_writes_during_a_half_written_frame)
{
	int ends[2], tried[2];
	char byte;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK_EQ(pipe2(tried, O_CLOEXEC), 0);
	CHECK(fcntl(ends[1], F_SETPIPE_SZ, 8192) > 0);
	writer.longest = LONGEST;
	frames_open(&writer, 0, ends[1]);
	while (!syc_trace_has_rest(&writer.trace))
		frames_write(&writer, 1, 0);
	const pid_t pid = fork();
	if (pid == 0) {
		frames_open(&other, 1, ends[1]);
		CHECK_EQ(frames_write(&other, 1, 50), -EAGAIN);
		CHECK_EQ(write(tried[1], "x", 1), 1);
		CHECK_EQ(frames_write(&other, 1, -1), 0);
		_exit(0);
	}
	close(tried[1]);
	CHECK_EQ(read(tried[0], &byte, 1), 1);
	close(tried[0]);
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	/* A call without frames only finishes the rest of a frame */
	CHECK_EQ(frames_write(&writer, 0, 0), -EAGAIN);
	const pid_t reader = fork();
	if (reader == 0) {
		close(ends[1]);
		syc_trace_close(&writer.trace);
		look_until_the_end(ends[0]);
		CHECK_EQ(seen.writers[0], writer.next);
		CHECK_EQ(seen.writers[1], 1);
		_exit(0);
	}
	CHECK_EQ(frames_write(&writer, 0, -1), 0);
	CHECK(!syc_trace_has_rest(&writer.trace));
	frames_reap(pid);
	syc_trace_close(&writer.trace);
	close(ends[1]);
	frames_reap(reader);
	CHECK_EQ(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

TEST(a_reader_that_is_gone_ends_it_without_a_signal)
{
	int ends[2];
	struct syc_trace_target target;
	sigset_t pending;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	frames_open(&writer, 0, ends[1]);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	close(ends[0]);
	CHECK_EQ(frames_write(&writer, 5, 100), -EPIPE);
	CHECK_EQ(frames_write(&writer, 5, -1), -EPIPE);
	sigpending(&pending);
	CHECK(!sigismember(&pending, SIGPIPE));
	target = writer.trace.target;
	syc_trace_close(&writer.trace);
	CHECK_EQ(syc_trace_open(&writer.trace, &target), -EPIPE);
	close(ends[1]);
}

TEST(a_reader_that_goes_while_a_long_frame_waits_ends_the_wait)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	writer.longest = LONGEST;
	frames_open(&writer, 0, ends[1]);
	fill_pipe(3);
	const pid_t pid = fork();
	if (pid == 0) {
		usleep(50000);
		_exit(0);
	}
	close(ends[0]);
	CHECK_EQ(frames_write(&writer, 5, -1), -EPIPE);
	frames_reap(pid);
	syc_trace_close(&writer.trace);
	close(ends[1]);
}

TEST(invalid_frames_are_not_sent)
{
	static unsigned char bytes[64];
	struct syc_batch batch = { .frames = bytes, .size = sizeof(bytes) };
	static const uint16_t lengths[] = { 0, 8, 23, 25, 72, 65535 };
	int ends[2];
	char byte;

	CHECK_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	frames_open(&writer, 0, ends[1]);
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned k = 0; k < sizeof(bytes); k += 8)
			memcpy(bytes + k, &lengths[i], 2);
		CHECK_EQ(syc_trace_write(&writer.trace, &batch), -EINVAL);
		CHECK_EQ(batch.done, 0);
	}
	CHECK_EQ(read(ends[0], &byte, 1), -1);
	syc_trace_close(&writer.trace);
	close(ends[0]);
	close(ends[1]);
}

/* ------------------------------------------------------------------- kills */

enum {
	KILLS = 250,
	LIVING = 3
};

static void *collect(void *arg)
{
	static struct {
		unsigned char *bytes;
		size_t size;
	} all;

	all.bytes = frames_read(*(int *)arg, SIZE_MAX, &all.size);
	return &all;
}

static void kill_writers(uint32_t longest)
{
	struct {
		unsigned char *bytes;
		size_t size;
	} * all;
	unsigned *const acknowledged =
		mmap(NULL, FRAMES_WRITERS * sizeof(unsigned),
	             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[LIVING] = { 0 };
	pthread_t thread;
	void *result;
	int ends[2];

	srandom((unsigned)test_seed());
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	/* Writes the header by a process that is not killed */
	frames_reap(start_writer(FRAMES_WRITERS - 1, ends[1], 1, 1, 400));
	CHECK_EQ(pthread_create(&thread, NULL, collect, &ends[0]), 0);
	for (unsigned id = 0; id < KILLS + LIVING; id++) {
		pid_t *const slot = &pids[id % LIVING];
		const struct timespec nap = { 0, random() % 1500000 };

		nanosleep(&nap, NULL);
		if (*slot != 0) {
			kill(*slot, SIGKILL);
			waitpid(*slot, NULL, 0);
		}
		if (id >= KILLS)
			continue;
		*slot = fork();
		CHECK(*slot >= 0);
		if (*slot != 0)
			continue;
		writer.longest = longest;
		frames_open(&writer, id, ends[1]);
		for (unsigned i = 0; i < 100; i++) {
			CHECK_EQ(frames_write(&writer, 5, 10000), 0);
			__atomic_store_n(&acknowledged[id], writer.next,
			                 __ATOMIC_RELEASE);
		}
		pause();
	}
	frames_reap(start_writer(FRAMES_WRITERS - 2, ends[1], 1, 1, 400));
	close(ends[1]);
	CHECK_EQ(pthread_join(thread, &result), 0);
	all = result;
	frames_look(all->bytes, all->size, &seen);
	CHECK_EQ(seen.torn_at, 0);
	for (unsigned id = 0; id < KILLS; id++)
		CHECK(seen.writers[id] >= acknowledged[id]);
	CHECK_EQ(seen.writers[FRAMES_WRITERS - 2], 1);
	fprintf(stderr, "%u frames, %zu bytes\n", seen.total, all->size);
	munmap(acknowledged, FRAMES_WRITERS * sizeof(unsigned));
	free(all->bytes);
	close(ends[0]);
}

TEST(writers_of_a_pipe_that_are_killed_tear_nothing)
{
	kill_writers(400);
}

TEST(writers_that_are_killed_tear_no_long_frame_either)
{
	kill_writers(LONGEST);
}

/* ----------------------------------------------------------------- sockets */

static void make_sockets(int ends[2])
{
	const int room = 16384; /* less than a long frame */

	/* The process's block holds the socket's owner */
	CHECK_EQ(syc_setup_prepare(), 0);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	CHECK_EQ(
		setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)),
		0);
}

TEST(a_socket_is_one_process_s)
{
	struct syc_trace_target target;
	int ends[2];

	make_sockets(ends);
	frames_open(&writer, 0, ends[1]);
	target = writer.trace.target;
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(syc_trace_open(&other.trace, &target), -EBUSY);
		CHECK(strstr(syc_trace_adopt(ends[1], &target),
		             "another process") != NULL);
		_exit(0);
	}
	frames_reap(pid);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	syc_trace_close(&writer.trace);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 10);
}

TEST(a_socket_is_not_a_child_s_even_if_the_parent_never_wrote)
{
	struct syc_trace_target target;
	int ends[2];

	make_sockets(ends);
	CHECK_STR(syc_trace_adopt(ends[1], &target), NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(syc_trace_open(&other.trace, &target), -EBUSY);
		_exit(0);
	}
	frames_reap(pid);
	frames_open(&writer, 0, ends[1]);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	syc_trace_close(&writer.trace);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 5);
}

TEST(of_processes_that_adopt_a_socket_together_one_gets_it)
{
	enum {
		PROCESSES = 8
	};
	pid_t pids[PROCESSES];
	int ends[2], gate[2];
	char byte;

	make_sockets(ends);
	CHECK_EQ(pipe2(gate, O_CLOEXEC), 0);
	for (unsigned i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		struct syc_trace_target target;
		close(gate[1]);
		CHECK_STR(syc_trace_adopt(ends[1], &target), NULL);
		CHECK_EQ(read(gate[0], &byte, 1), 0);
		const int r = syc_trace_open(&writer.trace, &target);
		CHECK(r == 0 || r == -EBUSY);
		writer.id = i;
		writer.longest = 400;
		if (r == 0)
			CHECK_EQ(frames_write(&writer, 5, 0), 0);
		_exit(0);
	}
	usleep(50000);
	close(gate[1]);
	close(gate[0]);
	for (unsigned i = 0; i < PROCESSES; i++)
		frames_reap(pids[i]);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 5);
}

TEST(a_second_recording_continues_in_the_socket)
{
	struct syc_trace_target target;
	int ends[2];

	make_sockets(ends);
	frames_open(&writer, 0, ends[1]);
	target = writer.trace.target;
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	syc_trace_close(&writer.trace);
	CHECK_EQ(syc_trace_open(&writer.trace, &target), 0);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	syc_trace_close(&writer.trace);
	close(ends[1]);
	look_until_the_end(ends[0]);
	CHECK_EQ(seen.total, 10);
}

TEST(a_recording_that_stopped_within_a_frame_is_the_socket_s_last)
{
	struct syc_trace_target target;
	size_t size;
	int ends[2];

	make_sockets(ends);
	writer.longest = LONGEST;
	frames_open(&writer, 0, ends[1]);
	target = writer.trace.target;
	fill_pipe(10);
	CHECK(syc_trace_has_rest(&writer.trace));
	syc_trace_close(&writer.trace);
	CHECK_EQ(syc_trace_open(&writer.trace, &target), -EPIPE);
	close(ends[1]);
	free(frames_read(ends[0], SIZE_MAX, &size));
	close(ends[0]);
}

TEST(a_socket_s_slow_reader_is_waited_for_until_the_deadline)
{
	int ends[2];

	make_sockets(ends);
	check_slow_reader(ends[0], ends[1], LONGEST, true);
}

TEST(a_socket_whose_reader_is_gone_raises_no_signal)
{
	int ends[2];

	make_sockets(ends);
	frames_open(&writer, 0, ends[1]);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	close(ends[0]);
	CHECK_EQ(frames_write(&writer, 5, -1), -EPIPE);
	syc_trace_close(&writer.trace);
	close(ends[1]);
}
