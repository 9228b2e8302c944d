/* SPDX-License-Identifier: BSD-2-Clause */
/* reference.c - see reference.h.  Uses the reference's public headers only. */
#define _GNU_SOURCE
#include "bench/reference.h"

#include <string.h>

#if BENCH_HAVE_REFERENCE

#include <sysprof-capture.h>

const bool bench_has_reference = true;

static unsigned counter;

BENCH_EVENT(mark, sysprof_collector_mark(1000, 10, "bench", "mark", NULL))
BENCH_EVENT(mark_clocks, const int64_t begin = bench_now_ns(); BENCH_BARRIER();
            sysprof_collector_mark(begin, bench_now_ns() - begin, "bench",
                                   "mark", NULL))
BENCH_EVENT(mark_message, sysprof_collector_mark(1000, 10, "bench", "mark",
                                                 "sixteen letters."))
BENCH_EVENT(mark_printf,
            sysprof_collector_mark_printf(1000, 10, "bench", "mark", "%u of %u",
                                          i, n))
BENCH_EVENT(set_counter, const SysprofCaptureCounterValue value = { .v64 = i };
            sysprof_collector_set_counters(&counter, &value, 1))
BENCH_EVENT(log, sysprof_collector_log(128, "bench", "sixteen letters."))

const struct bench_event reference_mark = BENCH_EVENT_OF(mark);
const struct bench_event reference_mark_clocks = BENCH_EVENT_OF(mark_clocks);
const struct bench_event reference_mark_message = BENCH_EVENT_OF(mark_message);
const struct bench_event reference_mark_printf = BENCH_EVENT_OF(mark_printf);
const struct bench_event reference_counter = BENCH_EVENT_OF(set_counter);
const struct bench_event reference_log = BENCH_EVENT_OF(log);

void reference_begin(void)
{
	SysprofCaptureCounter definition;

	memset(&definition, 0, sizeof(definition));
	strcpy(definition.category, "bench");
	strcpy(definition.name, "counter");
	definition.type = SYSPROF_CAPTURE_COUNTER_INT64;
	counter = sysprof_collector_request_counters(1);
	definition.id = counter & 0xFFFFFF;
	sysprof_collector_define_counters(&definition, 1);
}

#else

const bool bench_has_reference = false;

const struct bench_event reference_mark;
const struct bench_event reference_mark_clocks;
const struct bench_event reference_mark_message;
const struct bench_event reference_mark_printf;
const struct bench_event reference_counter;
const struct bench_event reference_log;

void reference_begin(void)
{
}

#endif
