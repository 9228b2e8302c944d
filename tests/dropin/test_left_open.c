/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_left_open.c - recording of a program that sets SYSPROF_TRACE_FD itself.
 * The variable counts if it is set before the first event, unless that event is
 * in a signal handler.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "harness/test.h"

/* Runs @deed in a forked process, which then exits; returns its capture. */
static int run(void (*deed)(void))
{
	const int fd = memfd_create("capture", 0);
	int status;

	CHECK(fd > 2);
	const pid_t pid = fork();
	if (pid == 0) {
		char number[12];

		snprintf(number, sizeof(number), "%d", fd);
		setenv("NUMBER", number, 1);
		deed();
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return fd;
}

static void set_variable(void)
{
	setenv("SYSPROF_TRACE_FD", getenv("NUMBER"), 1);
}

static void emit(void)
{
	sysprof_collector_mark(1, 2, "group", "name", NULL);
}

/* Number of marks in the capture; closes @fd. */
static unsigned count(int fd)
{
	unsigned n = 0;
	struct stat st;
	SysprofCaptureFrameType type;

	CHECK_EQ(fstat(fd, &st), 0);
	if (st.st_size == 0) {
		close(fd);
		return 0;
	}
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(fd);
	CHECK(reader != NULL);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		n += type == SYSPROF_CAPTURE_FRAME_MARK;
		CHECK(sysprof_capture_reader_skip(reader));
	}
	sysprof_capture_reader_unref(reader);
	return n;
}

static void set_and_emit(void)
{
	set_variable();
	emit();
	CHECK(sysprof_collector_is_active());
	emit();
}

TEST(a_variable_that_is_set_before_the_first_event_counts)
{
	CHECK_EQ(count(run(set_and_emit)), 2);
}

static void set_and_ask(void)
{
	set_variable();
	CHECK(sysprof_collector_is_active());
	emit();
}

TEST(first_query_reports_active)
{
	CHECK_EQ(count(run(set_and_ask)), 1);
}

static void set_and_request(void)
{
	set_variable();
	CHECK(sysprof_collector_request_counters(3) != 0);
	emit();
}

TEST(counters_requested_first_get_numbers)
{
	CHECK_EQ(count(run(set_and_request)), 1);
}

static int must_not_run(SysprofCaptureAddress *addrs, unsigned n, void *data)
{
	(void)addrs;
	(void)n;
	(void)data;
	abort();
}

static void sample_and_set(void)
{
	sysprof_collector_sample(must_not_run, NULL);
	CHECK_EQ(syc_active, 0); /* callers check this flag first */
	set_variable();
	emit();
	CHECK(!sysprof_collector_is_active());
}

TEST(variable_is_not_read_after_the_first_event)
{
	CHECK_EQ(count(run(sample_and_set)), 0);
}

static void ask_and_set(void)
{
	CHECK(!sysprof_collector_is_active());
	CHECK_EQ(syc_active, 0);
	set_variable();
	emit();
}

TEST(lazy_init_reports_inactive)
{
	CHECK_EQ(count(run(ask_and_set)), 0);
}

static void on_signal(int number)
{
	(void)number;
	emit();
}

static void emit_in_handler(void)
{
	struct sigaction action = { .sa_handler = on_signal,
		                    .sa_flags = SA_NODEFER };

	sigaction(SIGUSR1, &action, NULL);
	set_variable();
	raise(SIGUSR1);
	emit();
	CHECK(!sysprof_collector_is_active());
}

TEST(first_event_in_a_handler_keeps_the_state_at_load)
{
	CHECK_EQ(count(run(emit_in_handler)), 0);
}

static void block_and_emit(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	sigaction(SIGUSR1, &action, NULL);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	set_variable();
	emit();
}

TEST(thread_with_blocked_signals_is_in_no_handler)
{
	CHECK_EQ(count(run(block_and_emit)), 1);
}

static void *emit_when_told(void *barrier)
{
	pthread_barrier_wait(barrier);
	emit();
	return NULL;
}

static void emit_in_threads(void)
{
	pthread_t threads[8];
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 8);
	set_variable();
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, emit_when_told, &barrier);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

TEST(simultaneous_threads_keep_their_first_events)
{
	CHECK_EQ(count(run(emit_in_threads)), 8);
}

/*
 * The library calls at_quick_exit() just before it publishes its decision.
 * This function delays that step by @away_ms, and its result is not used.
 */
static int away_ms;
int at_quick_exit(void (*unused)(void))
{
	(void)unused;
	usleep((useconds_t)away_ms * 1000);
	return 0;
}

static void emit_in_threads_while_away(void)
{
	away_ms = 100;
	emit_in_threads();
}

TEST(no_thread_loses_its_first_event_before_recording_is_on)
{
	CHECK_EQ(count(run(emit_in_threads_while_away)), 8);
}

static void emit_in_child(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		set_variable();
		emit();
		exit(0);
	}
	waitpid(pid, NULL, 0);
	emit(); /* here the variable is not set */
}

TEST(a_child_decides_for_itself)
{
	CHECK_EQ(count(run(emit_in_child)), 1);
}
