/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_collector.c - the collector where nobody records. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdarg.h>

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

/* Callers keep the functions in tables. */
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
	BEHAVIOUR(the_functions_can_be_called_through_pointers),
	{ NULL, NULL },
};
