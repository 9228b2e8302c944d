/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_collector.c - the collector without a recorder. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

static int must_not_run(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                        void *user_data)
{
	(void)addrs;
	(void)n_addrs;
	*(int *)user_data = 1;
	return 0;
}

static void vprintf_mark(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sysprof_collector_mark_vprintf(1, 2, "group", "name", format, args);
	va_end(args);
}

static void emit_all(void)
{
	static const SysprofCaptureCounterValue value = { .v64 = 5 };
	SysprofCaptureCounter counter;
	unsigned int id = 9;
	int has_run = 0;

	memset(&counter, 0, sizeof(counter));
	counter.id = id;
	sysprof_collector_init();
	sysprof_collector_mark(1, 2, "group", "name", "message");
	sysprof_collector_mark(1, 2, "group", "name", NULL);
	sysprof_collector_mark_printf(1, 2, "group", "name", "%d", 5);
	vprintf_mark("%s", "text");
	sysprof_collector_log(16, "domain", "message");
	sysprof_collector_log(16, NULL, NULL);
	sysprof_collector_log_printf(16, "domain", "%d", 5);
	sysprof_collector_sample(must_not_run, &has_run);
	sysprof_collector_allocate(0x1000, 64, must_not_run, &has_run);
	sysprof_collector_allocate(0x1000, 0, NULL, NULL);
	sysprof_collector_define_counters(&counter, 1);
	sysprof_collector_define_counters(NULL, 0);
	sysprof_collector_set_counters(&id, &value, 1);
	sysprof_collector_set_counters(NULL, NULL, 0);
#if SYSPROF_MAJOR_VERSION >= 45
	sysprof_collector_trace(must_not_run, &has_run, true);
#endif
	CHECK(!has_run);
}

static void without_a_recorder_nothing_is_active(void)
{
	CHECK(!sysprof_collector_is_active());
	sysprof_collector_init();
	CHECK(!sysprof_collector_is_active());
}

static void without_a_recorder_events_go_nowhere(void)
{
	emit_all();
	CHECK(!sysprof_collector_is_active());
}

static void without_a_recorder_counters_get_no_numbers(void)
{
	CHECK(sysprof_collector_request_counters(0) == 0);
	CHECK(sysprof_collector_request_counters(5) == 0);
}

static void *emit_in_thread(void *unused)
{
	(void)unused;
	emit_all();
	return NULL;
}

static void without_a_recorder_threads_come_and_go(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 10; i++) {
		CHECK(pthread_create(&thread, NULL, emit_in_thread, NULL) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
}

static void set_and_emit(int socket)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", socket);
	setenv("SYSPROF_CONTROL_FD", number, 1);
	sysprof_collector_mark(1, 2, "group", "name", "message");
	exit(0);
}

/* The recorder is the process that made the socket. */
static void a_variable_that_is_set_before_the_first_event_counts(void)
{
	struct timeval patience = { .tv_sec = 10 };
	char request[16];
	int ends[2], status;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(ends[0]);
		set_and_emit(ends[1]);
	}
	close(ends[1]);
	CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience,
	                 sizeof(patience)) == 0);
	CHECK(recv(ends[0], request, sizeof(request), 0) == 10);
	CHECK(memcmp(request, "CreatRing", 10) == 0);
	/* The child continues without a ring */
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Some callers have tables of functions. */
static void the_functions_can_be_called_through_pointers(void)
{
	void (*volatile mark)(int64_t, int64_t, const char *, const char *,
	                      const char *) = sysprof_collector_mark;
	void (*volatile log)(int, const char *, const char *) =
		sysprof_collector_log;
	unsigned int (*volatile request)(unsigned int) =
		sysprof_collector_request_counters;
	bool (*volatile is_active)(void) = sysprof_collector_is_active;

	mark(1, 2, "group", "name", "message");
	log(16, "domain", "message");
	CHECK(request(1) == 0);
	CHECK(!is_active());
}

const struct behaviour behaviour_collector[] = {
	BEHAVIOUR(without_a_recorder_nothing_is_active),
	BEHAVIOUR(without_a_recorder_events_go_nowhere),
	BEHAVIOUR(without_a_recorder_counters_get_no_numbers),
	BEHAVIOUR(without_a_recorder_threads_come_and_go),
	BEHAVIOUR(a_variable_that_is_set_before_the_first_event_counts),
	BEHAVIOUR(the_functions_can_be_called_through_pointers),
	{ NULL, NULL },
};
