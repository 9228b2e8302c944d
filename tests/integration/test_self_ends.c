/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_ends.c - ends of processes that record themselves, by all ways of
 * leaving threads, in all orders, at random times, with and without SIGTERM.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "harness/forbid.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define RUNS  200u
#define MARKS 100u
/* This time is longer than two checks for other threads */
#define LATEST_MS 2500u

enum way {
	/* the main thread is alone, and leaves by the exit system call */
	MAIN_ALONE,
	MAIN_LAST,
	MAIN_FIRST,
	FILTER, /* a filter kills the thread */
	WAYS
};

enum mode {
	OUTPUT,
	TRACE_FILE,
	TRACE_PIPE,
	START,
	SAMPLED, /* sampled, and with an output */
	MODES
};

struct run {
	enum mode mode;
	enum way way;
	unsigned leave_ms, other_ms;
	/* the main thread emits no mark just before it leaves */
	bool is_idle;
	unsigned term_ms; /* time of the SIGTERM; 0: no SIGTERM */
	pid_t pid;
	int read_end, fd;
	char *dir, path[300];
};

/* ------------------------------------------------------------- the child */

static void emit(unsigned emitter)
{
	for (unsigned i = 0; i < MARKS; i++)
		written_mark(emitter, i);
}

__attribute__((noreturn)) static void leave(int status)
{
	for (;;)
		syscall(SYS_exit, status);
}

static unsigned other_ms;

static void *leave_too(void *data)
{
	test_sleep_ms(other_ms);
	emit(1);
	leave((int)(intptr_t)data);
}

static void begin_mode(enum mode mode, const char *path)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = path };
	struct syscap_sampler_options sampler = { .size = sizeof(sampler),
		                                  .hz = 100 };

	if (mode == START)
		CHECK_EQ(syscap_start(&options), 0);
	if (mode == SAMPLED)
		CHECK_EQ(syscap_sampler_start(&sampler), 0);
}

CHILD(leaves_somehow)
{
	unsigned mode, way, leave_ms, idle;
	char path[300];
	pthread_t thread;

	CHECK_EQ(sscanf(peer_arg(), "%u %u %u %u %u %299s", &mode, &way,
	                &leave_ms, &other_ms, &idle, path),
	         6);
	begin_mode(mode, path);
	emit(0);
	if (way == MAIN_LAST || way == MAIN_FIRST)
		CHECK_EQ(pthread_create(&thread, NULL, leave_too, NULL), 0);
	test_sleep_ms(leave_ms);
	if (!idle)
		emit(2);
	if (way == FILTER) {
		CHECK(test_forbid(SYS_getppid));
		syscall(SYS_getppid);
	}
	leave(7);
}

/* --------------------------------------------------------------- one run */

static void choose(struct run *run, unsigned n)
{
	*run = (struct run){ .mode = n % MODES,
		             .way = n / MODES % WAYS,
		             .leave_ms = (unsigned)rand() % LATEST_MS,
		             .is_idle = rand() % 2,
		             .read_end = -1,
		             .fd = -1 };
	run->other_ms = (unsigned)rand() % LATEST_MS;
	if (run->way == MAIN_LAST)
		run->other_ms = run->other_ms * run->leave_ms / LATEST_MS;
	if (rand() % 3 == 0) {
		unsigned last = run->leave_ms;

		if (run->way == MAIN_FIRST && run->other_ms > last)
			last = run->other_ms;
		run->term_ms =
			last + 5 - (unsigned)rand() % 4 + (unsigned)rand() % 4;
	}
}

static void begin(struct run *run)
{
	char arg[400], output[400];
	const char *const env[] = { output, "SYSCAP_THREAD=1", NULL };
	int ends[2];

	run->dir = written_make_dir();
	snprintf(run->path, sizeof(run->path), "%s/x", run->dir);
	snprintf(output, sizeof(output), "SYSCAP_OUTPUT=%s", run->path);
	snprintf(arg, sizeof(arg), "%u %u %u %u %u %s", run->mode, run->way,
	         run->leave_ms, run->other_ms, run->is_idle, run->path);
	if (run->mode == START)
		snprintf(output, sizeof(output), "LC_ALL=C");
	if (run->mode == TRACE_FILE || run->mode == TRACE_PIPE)
		snprintf(output, sizeof(output), "SYSPROF_TRACE_FD=3");
	if (run->mode == TRACE_FILE)
		run->fd = open(run->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (run->mode == TRACE_PIPE) {
		CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
		run->read_end = ends[0];
		run->fd = ends[1];
	}
	run->pid = written_start("leaves_somehow", arg, env, run->fd);
	if (run->fd >= 0)
		close(run->fd);
}

static void save_pipe(struct run *run)
{
	char buffer[65536];
	ssize_t n;
	const int fd = open(run->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	while ((n = read(run->read_end, buffer, sizeof(buffer))) > 0)
		CHECK_EQ(write(fd, buffer, (size_t)n), n);
	close(fd);
	close(run->read_end);
}

static void check_capture(const struct run *run)
{
	struct tally t;

	written_tally(run->path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.gaps + t.doubles + t.unnamed + t.late + t.lost, 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_EXIT], 1);
	CHECK_EQ(t.emitters[0], MARKS);
	CHECK_EQ(t.emitters[1],
	         run->way == MAIN_LAST || run->way == MAIN_FIRST ? MARKS : 0);
	CHECK_EQ(t.emitters[2], run->is_idle ? 0 : MARKS);
}

/* Waits for the child's end; only the harness limits the wait. */
static void end(struct run *run)
{
	if (run->mode == TRACE_PIPE)
		save_pipe(run);
	const int status = written_wait(run->pid);
	const int natural = run->way == FILTER ? SIGSYS : 7 << 8;

	if (status != natural && (run->term_ms == 0 || status != SIGTERM))
		test_fail(__FILE__, __LINE__,
		          "mode %d, way %d, %u and %u ms, SIGTERM after %u: "
		          "status %#x",
		          run->mode, run->way, run->leave_ms, run->other_ms,
		          run->term_ms, (unsigned)status);
	if (status == natural)
		check_capture(run);
	written_remove_dir(run->dir);
}

/* ------------------------------------------------------------------ test */

#define AT_ONCE 20u

static int compare_terms(const void *a, const void *b)
{
	const struct run *const x = a, *const y = b;

	return (int)x->term_ms - (int)y->term_ms;
}

static void run_some(unsigned first)
{
	struct run runs[AT_ONCE];
	unsigned now = 0;

	for (unsigned i = 0; i < AT_ONCE; i++)
		choose(&runs[i], first + i);
	qsort(runs, AT_ONCE, sizeof(*runs), compare_terms);
	for (unsigned i = 0; i < AT_ONCE; i++)
		begin(&runs[i]);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		if (runs[i].term_ms == 0)
			continue;
		test_sleep_ms(runs[i].term_ms - now);
		now = runs[i].term_ms;
		kill(runs[i].pid, SIGTERM);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		end(&runs[i]);
}

TEST(a_process_ends_however_and_whenever_its_threads_leave)
{
	srand((unsigned)test_seed());
	for (unsigned n = 0; n < (test_is_whole() ? RUNS : AT_ONCE);
	     n += AT_ONCE)
		run_some(n);
}
