/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_ops.c - see dropin_ops.h.  Includes the one header that a program
 * would include; DROPIN_OPS is the table's name.
 */
#define _GNU_SOURCE
#include "bench/dropin_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

/* --------------------------------------------------------------- emitting */

static unsigned counter, undefined, counters[DROPIN_COUNTERS];
static SysprofCaptureCounterValue values[DROPIN_COUNTERS];
static void (*volatile mark_pointer)(
	int64_t time, int64_t duration, const char *group, const char *mark,
	const char *message) = sysprof_collector_mark;

BENCH_EVENT(mark, BENCH_BARRIER();
            sysprof_collector_mark(1000, 10, "bench", "mark", NULL))
BENCH_EVENT(mark_clocks, const int64_t begin = SYSPROF_CAPTURE_CURRENT_TIME;
            BENCH_BARRIER();
            sysprof_collector_mark(begin, SYSPROF_CAPTURE_CURRENT_TIME - begin,
                                   "bench", "mark", NULL))
BENCH_EVENT(set_counters, const SysprofCaptureCounterValue value = { .v64 = i };
            sysprof_collector_set_counters(&counter, &value, 1))
BENCH_EVENT(set_undefined,
            const SysprofCaptureCounterValue value = { .v64 = i };
            sysprof_collector_set_counters(&undefined, &value, 1))
BENCH_EVENT(set_many_counters, values[i % DROPIN_COUNTERS].v64 = i;
            sysprof_collector_set_counters(counters, values, DROPIN_COUNTERS))
BENCH_EVENT(log, sysprof_collector_log(128, "bench", "sixteen letters."))
BENCH_EVENT(mark_printf,
            sysprof_collector_mark_printf(1000, 10, "bench", "mark", "%u of %u",
                                          i, n))
/* Texts unknown to the compiler, as in a language binding. */
static const char *volatile group_text = "bench";
static const char *volatile mark_text = "mark";

BENCH_EVENT(mark_dynamic,
            sysprof_collector_mark(1000, 10, group_text, mark_text, NULL))
BENCH_EVENT(mark_by_pointer, BENCH_BARRIER();
            mark_pointer(1000, 10, "bench", "mark", NULL))

static bool is_active(void)
{
	return sysprof_collector_is_active();
}

static int64_t now(void)
{
	return SYSPROF_CAPTURE_CURRENT_TIME;
}

static void define(unsigned id, const char *name)
{
	SysprofCaptureCounter definition;

	memset(&definition, 0, sizeof(definition));
	strcpy(definition.category, "bench");
	strcpy(definition.name, name);
	definition.type = SYSPROF_CAPTURE_COUNTER_INT64;
	definition.id = id & 0xFFFFFF;
	sysprof_collector_define_counters(&definition, 1);
}

static void begin(void)
{
	counter = sysprof_collector_request_counters(1);
	define(counter, "counter");
	undefined = sysprof_collector_request_counters(1);
	counters[0] = sysprof_collector_request_counters(DROPIN_COUNTERS);
	for (unsigned i = 0; i < DROPIN_COUNTERS; i++) {
		counters[i] = counters[0] + i;
		define(counters[i], "one of many");
	}
}

/* ---------------------------------------------------------------- writing */

static SysprofCaptureWriter *writer;
static char names[DROPIN_MANY][40];
static unsigned at;
static uint64_t addresses; /* keeps the compiler from removing calls */
static unsigned written[DROPIN_COUNTERS];

#define STACK_DEPTH 24

static SysprofCaptureAddress stack[STACK_DEPTH];

BENCH_EVENT(write_mark,
            sysprof_capture_writer_add_mark(writer, 1000 + i, 0, 7, 10, "bench",
                                            "mark", NULL))
BENCH_EVENT(write_log,
            sysprof_capture_writer_add_log(writer, 1000 + i, 0, 7, 128, "bench",
                                           "sixteen letters."))
BENCH_EVENT(write_sample,
            sysprof_capture_writer_add_sample(writer, 1000 + i, 0, 7, 7, stack,
                                              STACK_DEPTH))
BENCH_EVENT(write_counters, values[i % DROPIN_COUNTERS].v64 = i;
            sysprof_capture_writer_set_counters(writer, 1000 + i, 0, 7, written,
                                                values, DROPIN_COUNTERS))
BENCH_EVENT(jitmap_few, at = at + 1 < DROPIN_FEW ? at + 1 : 0;
            addresses += sysprof_capture_writer_add_jitmap(writer, names[at]))
BENCH_EVENT(jitmap_many, at = at + 1 < DROPIN_MANY ? at + 1 : 0;
            addresses += sysprof_capture_writer_add_jitmap(writer, names[at]))

static bool open_writer(const char *path)
{
	/* Names like those of a JavaScript engine */
	for (unsigned i = 0; i < DROPIN_MANY; i++)
		snprintf(names[i], sizeof(names[i]), "update%u (app.js:%u)", i,
		         10 * i);
	at = 0;
	/* The reference's open by name refuses files that can't be truncated */
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	writer = fd < 0 ? NULL : sysprof_capture_writer_new_from_fd(fd, 0);
	if (writer == NULL)
		return false;
	for (unsigned i = 0; i < STACK_DEPTH; i++)
		stack[i] = UINT64_C(0x7F0000001000) + UINT64_C(64) * i;
	written[0] =
		sysprof_capture_writer_request_counter(writer, DROPIN_COUNTERS);
	for (unsigned i = 0; i < DROPIN_COUNTERS; i++)
		written[i] = written[0] + i;
	return true;
}

static void close_writer(void)
{
	sysprof_capture_writer_unref(writer);
	writer = NULL;
}

/* ------------------------------------------------------ a capture to read */

/* 16 frames, as in a recording of an application with a frame clock. */
static unsigned write_sixteen(SysprofCaptureWriter *to, int64_t time,
                              const unsigned *ids)
{
	static const char text[] = "a message of 40 characters, more or less";
	SysprofCaptureAddress addrs[STACK_DEPTH];
	SysprofCaptureCounterValue two[2] = { { .v64 = time },
		                              { .v64 = -time } };
	unsigned n = 0;

	for (unsigned i = 0; i < STACK_DEPTH; i++)
		addrs[i] = UINT64_C(0x7F0000001000) + (uint64_t)time % 977 +
		           UINT64_C(64) * i;
	for (unsigned i = 0; i < 10; i++)
		n += sysprof_capture_writer_add_sample(to, time + i, 0, 7, 7,
		                                       addrs, STACK_DEPTH - i);
	for (unsigned i = 0; i < 3; i++)
		n += sysprof_capture_writer_add_mark(
			to, time + 10 + i, 1, 7, 500, "bench", "frame", text);
	n += sysprof_capture_writer_set_counters(to, time + 13, 1, 7, ids, two,
	                                         2);
	n += sysprof_capture_writer_add_allocation_copy(
		to, time + 14, 1, 7, 7, addrs[0], 64, addrs, STACK_DEPTH);
	n += sysprof_capture_writer_add_log(to, time + 15, 1, 7, 16, "bench",
	                                    text);
	return n;
}

static uint64_t make(const char *path, uint64_t size)
{
	/* Bytes of write_sixteen(): 10 samples, 3 marks, the rest */
	const uint64_t bytes = 10 * 32 + 8 * (10 * STACK_DEPTH - 45) + 3 * 144 +
	                       128 + 48 + 8 * STACK_DEPTH + 112;
	SysprofCaptureWriter *const to = sysprof_capture_writer_new(path, 0);
	SysprofCaptureCounter definitions[2];
	uint64_t n = 0;

	if (to == NULL)
		return 0;
	const unsigned first = sysprof_capture_writer_request_counter(to, 2);
	const unsigned ids[2] = { first, first + 1 };

	memset(definitions, 0, sizeof(definitions));
	for (unsigned i = 0; i < 2; i++) {
		strcpy(definitions[i].category, "bench");
		strcpy(definitions[i].name, i == 0 ? "up" : "down");
		definitions[i].type = SYSPROF_CAPTURE_COUNTER_INT64;
		definitions[i].id = ids[i] & 0xFFFFFF;
	}
	n += sysprof_capture_writer_add_process(to, 1000, 0, 7, "bench");
	n += sysprof_capture_writer_define_counters(to, 1000, 0, 7, definitions,
	                                            2);
	for (uint64_t done = 0; done < size; done += bytes)
		n += write_sixteen(to, 1000 + (int64_t)(n * 10), ids);
	const bool is_whole = sysprof_capture_writer_flush(to);
	const int error = errno;
	sysprof_capture_writer_unref(to);
	errno = error;
	return is_whole ? n : 0;
}

/* Returns false at a frame that can't be read. */
static bool read_one(SysprofCaptureReader *reader, SysprofCaptureFrameType type,
                     uint64_t *sum)
{
	const SysprofCaptureSample *sample;
	const SysprofCaptureMark *mark;
	const SysprofCaptureCounterSet *set;
	const SysprofCaptureAllocation *allocation;
	const SysprofCaptureLog *line;

	switch ((int)type) {
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
		sample = sysprof_capture_reader_read_sample(reader);
		*sum += sample ? sample->n_addrs + sample->addrs[0] : 0;
		return sample != NULL;
	case SYSPROF_CAPTURE_FRAME_MARK:
		mark = sysprof_capture_reader_read_mark(reader);
		*sum += mark ? (uint64_t)mark->frame.time : 0;
		return mark != NULL;
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		set = sysprof_capture_reader_read_counter_set(reader);
		*sum += set ? (uint64_t)set->values[0].values[0].v64 : 0;
		return set != NULL;
	case SYSPROF_CAPTURE_FRAME_ALLOCATION:
		allocation = sysprof_capture_reader_read_allocation(reader);
		*sum += allocation ? allocation->alloc_addr : 0;
		return allocation != NULL;
	case SYSPROF_CAPTURE_FRAME_LOG:
		line = sysprof_capture_reader_read_log(reader);
		*sum += line ? line->severity : 0;
		return line != NULL;
	case SYSPROF_CAPTURE_FRAME_PROCESS:
		return sysprof_capture_reader_read_process(reader) != NULL;
	case SYSPROF_CAPTURE_FRAME_CTRDEF:
		return sysprof_capture_reader_read_counter_define(reader) !=
		       NULL;
	default:
		return sysprof_capture_reader_skip(reader);
	}
}

static bool read_all(const char *path, struct dropin_seen *ret_seen)
{
	SysprofCaptureReader *const reader = sysprof_capture_reader_new(path);
	SysprofCaptureFrameType type;

	memset(ret_seen, 0, sizeof(*ret_seen));
	if (reader == NULL)
		return false;
	while (sysprof_capture_reader_peek_type(reader, &type) &&
	       read_one(reader, type, &ret_seen->sum))
		ret_seen->frames[(unsigned)type % DROPIN_TYPES]++;
	sysprof_capture_reader_unref(reader);
	return true;
}

const struct dropin_ops DROPIN_OPS = {
	.is_active = is_active,
	.begin = begin,
	.now = now,
	.mark = BENCH_EVENT_OF(mark),
	.mark_clocks = BENCH_EVENT_OF(mark_clocks),
	.counter = BENCH_EVENT_OF(set_counters),
	.undefined = BENCH_EVENT_OF(set_undefined),
	.counters = BENCH_EVENT_OF(set_many_counters),
	.log = BENCH_EVENT_OF(log),
	.mark_printf = BENCH_EVENT_OF(mark_printf),
	.mark_dynamic = BENCH_EVENT_OF(mark_dynamic),
	.mark_by_pointer = BENCH_EVENT_OF(mark_by_pointer),
	.open = open_writer,
	.close = close_writer,
	.jitmap_few = BENCH_EVENT_OF(jitmap_few),
	.jitmap_many = BENCH_EVENT_OF(jitmap_many),
	.write_mark = BENCH_EVENT_OF(write_mark),
	.write_log = BENCH_EVENT_OF(write_log),
	.write_sample = BENCH_EVENT_OF(write_sample),
	.write_counters = BENCH_EVENT_OF(write_counters),
	.make = make,
	.read = read_all,
};
