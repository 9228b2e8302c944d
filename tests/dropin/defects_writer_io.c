/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_io.c - output of a writer with partial, delayed or failing
 * writes, without a reader, or with appends only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW     SYSPROF_CAPTURE_CURRENT_TIME
#define N_MARKS 4000

static SysprofCaptureWriter *writer;
static bool accepted[N_MARKS];
static size_t n_added;

static bool add_mark(void)
{
	const size_t i = n_added++;

	NEED(i < N_MARKS);
	accepted[i] = sysprof_capture_writer_add_mark(writer, NOW, -1, 7, i,
	                                              "group", "name", "m");
	return accepted[i];
}

static void add_marks(size_t n)
{
	while (n--)
		add_mark();
}

static void begin_on(int fd)
{
	NEED(fd >= 0);
	/* A buffer larger than an atomic write to a pipe. */
	writer = sysprof_capture_writer_new_from_fd(fd, 16384);
	NEED(writer != NULL);
}

static void check_marks(const struct bytes *bytes)
{
	marks_are_complete(bytes, accepted, n_added);
}

static void check_file(const char *path)
{
	struct bytes bytes = bytes_load(path);

	check_marks(&bytes);
}

/* --- pipes */

static struct bytes received;

/* Reads a little at a time, so that the pipe is mostly full. */
static void *take_slowly(void *arg)
{
	const struct timespec pause = { .tv_nsec = 300000 };
	const int fd = *(int *)arg;
	ssize_t got;

	received.data = malloc(16u << 20);
	NEED(received.data != NULL);
	do {
		nanosleep(&pause, NULL);
		got = read(fd, received.data + received.size, 3000);
		NEED(got >= 0);
		received.size += (size_t)got;
		NEED(received.size < (15u << 20));
	} while (got != 0);
	return NULL;
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void be_interrupted(bool is_on)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const int usec = is_on ? 200 : 0;
	const struct itimerval often = { { 0, usec }, { 0, usec } };

	NEED(sigaction(SIGALRM, &action, NULL) == 0);
	NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

/* Starts a reader thread without alarms. */
static void start_reader(pthread_t *thread, int *fd)
{
	sigset_t alarms, before;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, &before);
	NEED(pthread_create(thread, NULL, take_slowly, fd) == 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void slow_pipe(int flags)
{
	pthread_t thread;
	int ends[2];

	NEED(pipe(ends) == 0);
	NEED(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0);
	NEED(fcntl(ends[1], F_SETFL, flags) == 0);
	start_reader(&thread, &ends[0]);
	begin_on(ends[1]);
	if (!(flags & O_NONBLOCK))
		be_interrupted(true);
	add_marks(N_MARKS);
	sysprof_capture_writer_flush(writer);
	be_interrupted(false);
	sysprof_capture_writer_unref(writer);
	pthread_join(thread, NULL);
	check_marks(&received);
}

/* Without a reader, calls must return, and the output must not repeat a
 * byte. */
static void pipe_that_is_full(int arg)
{
	struct bytes bytes;
	int ends[2];

	(void)arg;
	NEED(pipe(ends) == 0);
	NEED(fcntl(ends[1], F_SETPIPE_SZ, 8192) >= 0);
	NEED(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
	begin_on(ends[1]);
	while (add_mark())
		NEED(n_added < N_MARKS);
	MUST(errno == EAGAIN || errno == EWOULDBLOCK);
	pthread_t thread;

	start_reader(&thread, &ends[0]);
	sysprof_capture_writer_flush(writer);
	add_marks(200);
	sysprof_capture_writer_unref(writer);
	pthread_join(thread, NULL);
	bytes = received;
	check_marks(&bytes);
}

static void reader_goes_away(int arg)
{
	int ends[2];

	(void)arg;
	signal(SIGPIPE, SIG_DFL);
	NEED(pipe(ends) == 0);
	begin_on(ends[1]);
	add_marks(10);
	close(ends[0]);
	errno = 0;
	while (add_mark())
		MUST(n_added < N_MARKS / 2);
	MUST(errno == EPIPE);
	errno = 0;
	MUST(!sysprof_capture_writer_flush(writer));
	MUST(errno == EPIPE);
	sysprof_capture_writer_unref(writer);
}

/* --- files */

/* The file can't grow for a while, from the middle of a write. */
static void full_disk(int arg)
{
	const char *const path = defect_path("full.syscap");
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	begin_on(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
	NEED(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	const rlim_t before = limit.rlim_cur;

	limit.rlim_cur = (rlim_t)arg;
	NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	errno = 0;
	while (add_mark())
		NEED(n_added < N_MARKS);
	MUST(errno == EFBIG);
	add_marks(10);
	limit.rlim_cur = before;
	NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	MUST(sysprof_capture_writer_flush(writer));
	add_marks(100);
	sysprof_capture_writer_unref(writer);
	check_file(path);
}

/* The disk stays full: the file must consist of complete frames. */
static void disk_that_stays_full(int arg)
{
	const char *const path = defect_path("stays.syscap");
	const struct rlimit limit = { (rlim_t)arg, RLIM_INFINITY };
	struct frame frame = { .at = 0 };
	struct bytes bytes;
	uint64_t n = 0;

	signal(SIGXFSZ, SIG_IGN);
	begin_on(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
	NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	while (add_mark())
		NEED(n_added < N_MARKS);
	sysprof_capture_writer_unref(writer);
	bytes = bytes_load(path);
	while (frame_next(&bytes, &frame)) {
		if (frame.type == 10)
			MUST(bytes_u64(frame.data + 24) == n++);
	}
}

static void appending(int n_flushes)
{
	const char *const path = defect_path("append.syscap");

	begin_on(open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600));
	for (int i = 0; i < n_flushes; i++) {
		add_marks(7);
		MUST(sysprof_capture_writer_flush(writer));
	}
	sysprof_capture_writer_unref(writer);
	check_file(path);
}

static void save_over_longer_file(int size)
{
	const char *const path = defect_path("saved.syscap");
	const char *const from = defect_path("source.syscap");
	char *const old = calloc(1, (size_t)size);
	struct bytes saved, source;

	NEED(old != NULL);
	memset(old, 'T', (size_t)size);
	bytes_store(path, old, (size_t)size);
	begin_on(open(from, O_RDWR | O_CREAT | O_TRUNC, 0600));
	add_marks(50);
	MUST(sysprof_capture_writer_save_as(writer, path));
	saved = bytes_load(path);
	source = bytes_load(from);
	MUST(saved.size == source.size);
	MUST(memcmp(saved.data, source.data, saved.size) == 0);
	check_marks(&saved);
}

/* Bytes that went into a pipe can't be saved as a file. */
static void save_a_pipe(int arg)
{
	const char *const path = defect_path("piped.syscap");
	struct stat st;
	int ends[2];

	(void)arg;
	NEED(pipe(ends) == 0);
	begin_on(ends[1]);
	add_marks(5);
	MUST(!sysprof_capture_writer_save_as(writer, path));
	MUST(stat(path, &st) != 0);
}

/* --- effects on the rest of the program */

static void closed_in_children(int arg)
{
	enum {
		MOST = 256
	}; /* fds of the test are 100 and more */
	bool was_open[MOST];
	int n = 0;

	(void)arg;
	for (int fd = 0; fd < MOST; fd++)
		was_open[fd] = fcntl(fd, F_GETFD) >= 0;
	writer = sysprof_capture_writer_new(defect_path("cloexec.syscap"), 0);
	NEED(writer != NULL);
	for (int fd = 0; fd < MOST; fd++) {
		const int flags = was_open[fd] ? -1 : fcntl(fd, F_GETFD);

		if (flags < 0)
			continue;
		n++;
		MUST(flags & FD_CLOEXEC);
	}
	NEED(n > 0);
}

static void time_of_the_caller(int arg)
{
	const time_t long_ago = 0;
	const struct tm *const tm = gmtime(&long_ago);

	(void)arg;
	writer = sysprof_capture_writer_new(defect_path("time.syscap"), 0);
	NEED(writer != NULL);
	MUST(tm->tm_year == 70);
}

const struct defect defects[] = {
	{ "W-4", "a slow pipe that does not wait", slow_pipe, O_NONBLOCK },
	{ "W-4", "a slow pipe, and signals", slow_pipe, 0 },
	{ "W-4", "a pipe that is full for a while", pipe_that_is_full, 0 },
	{ "W-4", "a disk that is full for a while", full_disk, 20001 },
	{ "W-4", "a full disk, between two frames", full_disk, 256 + 104 * 80 },
	{ "W-4", "a disk that stays full", disk_that_stays_full, 20001 },
	{ "W-8", "saved over a longer file", save_over_longer_file, 100000 },
	{ "W-8", "saved from a pipe", save_a_pipe, 0 },
	{ "W-9", "a descriptor that appends", appending, 5 },
	{ "W-20", "the reader of a pipe goes away", reader_goes_away, 0 },
	{ "W-20", "descriptors are closed by exec", closed_in_children, 0 },
	{ "W-20", "the caller's gmtime() stays", time_of_the_caller, 0 },
	{ NULL, NULL, NULL, 0 },
};
