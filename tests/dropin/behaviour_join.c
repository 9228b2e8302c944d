/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_join.c - appended captures: cat and splice. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>

#include "behaviour.h"

#define N_NAMES 10

static SysprofCaptureWriter *writer_of(const char *name)
{
	SysprofCaptureWriter *writer = sysprof_capture_writer_new(name, 0);

	CHECK(writer != NULL);
	return writer;
}

static SysprofCaptureReader *reader_of(const char *name)
{
	SysprofCaptureReader *reader = sysprof_capture_reader_new(name);

	CHECK(reader != NULL);
	return reader;
}

/* A sample whose stack is "<prefix> 0", "<prefix> 1", ... */
static void add_named_sample(SysprofCaptureWriter *writer, int64_t time,
                             const char *prefix)
{
	SysprofCaptureAddress addrs[N_NAMES];
	char name[64];
	int i;

	for (i = 0; i < N_NAMES; i++) {
		snprintf(name, sizeof(name), "%s %d", prefix, i);
		addrs[i] = sysprof_capture_writer_add_jitmap(writer, name);
	}
	CHECK(sysprof_capture_writer_add_sample(writer, time, CPU, PID, TID,
	                                        addrs, N_NAMES));
}

/* The first name of an address in the capture */
static void find_name(const char *capture, SysprofCaptureAddress wanted,
                      char *text, size_t size)
{
	SysprofCaptureReader *reader = reader_of(capture);
	const SysprofCaptureJitmap *jitmap;
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress addr;
	const char *name;

	text[0] = 0;
	while (!text[0] &&
	       behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_JITMAP)) {
		jitmap = sysprof_capture_reader_read_jitmap(reader);
		CHECK(jitmap != NULL);
		sysprof_capture_jitmap_iter_init(&iter, jitmap);
		while (sysprof_capture_jitmap_iter_next(&iter, &addr, &name)) {
			if (addr == wanted)
				snprintf(text, size, "%s", name);
		}
	}
	sysprof_capture_reader_unref(reader);
}

static void check_named_sample(const char *capture,
                               SysprofCaptureReader *reader, const char *prefix)
{
	const SysprofCaptureSample *sample;
	char expected[64], name[64];
	int i;

	CHECK(behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_SAMPLE));
	sample = sysprof_capture_reader_read_sample(reader);
	CHECK(sample != NULL && sample->n_addrs == N_NAMES);
	for (i = 0; i < N_NAMES; i++) {
		snprintf(expected, sizeof(expected), "%s %d", prefix, i);
		find_name(capture, sample->addrs[i], name, sizeof(name));
		CHECK_STR(name, expected);
	}
}

static void add_counter(SysprofCaptureWriter *writer, int64_t time,
                        const char *name, int64_t value)
{
	unsigned int id = sysprof_capture_writer_request_counter(writer, 1);
	SysprofCaptureCounterValue counter_value = { .v64 = value };
	SysprofCaptureCounter counter;

	memset(&counter, 0, sizeof(counter));
	snprintf(counter.name, sizeof(counter.name), "%s", name);
	counter.id = id & 0xFFFFFF;
	CHECK(sysprof_capture_writer_define_counters(writer, time, CPU, PID,
	                                             &counter, 1));
	CHECK(sysprof_capture_writer_set_counters(writer, time + 1, CPU, PID,
	                                          &id, &counter_value, 1));
}

/* The id of a counter among all definitions in the capture */
static unsigned int find_counter(const char *capture, const char *name)
{
	SysprofCaptureReader *reader = reader_of(capture);
	const SysprofCaptureCounterDefine *define;
	unsigned int id = 0, n = 0, i;

	while (behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_CTRDEF)) {
		define = sysprof_capture_reader_read_counter_define(reader);
		CHECK(define != NULL);
		for (i = 0; i < define->n_counters; i++) {
			if (strcmp(define->counters[i].name, name))
				continue;
			id = define->counters[i].id;
			n++;
		}
	}
	sysprof_capture_reader_unref(reader);
	CHECK(n == 1 && id != 0);
	return id;
}

static int64_t find_value(const char *capture, unsigned int id)
{
	SysprofCaptureReader *reader = reader_of(capture);
	const SysprofCaptureCounterSet *set;
	int64_t value = 0;
	int n = 0;

	while (behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_CTRSET)) {
		set = sysprof_capture_reader_read_counter_set(reader);
		CHECK(set != NULL && set->n_values == 1);
		if (set->values[0].ids[0] != id)
			continue;
		value = set->values[0].values[0].v64;
		n++;
	}
	sysprof_capture_reader_unref(reader);
	CHECK(n == 1);
	return value;
}

static void make_other(void)
{
	SysprofCaptureWriter *writer = writer_of("other");
	static const SysprofCaptureAddress addrs[] = { 0x1000, 0x2000 };

	add_counter(writer, 100, "other counter", 55);
	add_named_sample(writer, 110, "other");
	add_named_sample(writer, 120, "shared");
	CHECK(sysprof_capture_writer_add_mark(writer, 130, CPU, PID, 5, "group",
	                                      "name", "message"));
	CHECK(sysprof_capture_writer_add_log(writer, 140, CPU, PID, 16,
	                                     "domain", "message"));
	CHECK(sysprof_capture_writer_add_process(writer, 150, CPU, PID, "cmd"));
	CHECK(sysprof_capture_writer_add_map(writer, 160, CPU, PID, 1, 2, 3, 4,
	                                     "/lib"));
	CHECK(sysprof_capture_writer_add_fork(writer, 170, CPU, PID, 9));
	CHECK(sysprof_capture_writer_add_exit(writer, 180, CPU, PID));
	CHECK(sysprof_capture_writer_add_file(writer, 190, CPU, PID, "/a", true,
	                                      (const uint8_t *)"xyz", 3));
	CHECK(sysprof_capture_writer_add_allocation_copy(
		writer, 200, CPU, PID, TID, 0x5000, 64, addrs, 2));
	CHECK(sysprof_capture_writer_add_overlay(writer, 210, CPU, PID, 1, "/a",
	                                         "/b"));
	CHECK(sysprof_capture_writer_add_metadata(writer, 220, CPU, PID, "id",
	                                          "text", -1));
	sysprof_capture_writer_unref(writer);
}

static void join(const char *name)
{
	SysprofCaptureWriter *writer = writer_of(name);
	SysprofCaptureReader *other;

	add_counter(writer, 10, "own counter", 44);
	add_named_sample(writer, 20, "own");
	add_named_sample(writer, 30, "shared");
	other = reader_of("other");
	CHECK(sysprof_capture_writer_cat(writer, other));
	sysprof_capture_reader_unref(other);
	sysprof_capture_writer_unref(writer);
}

static void cat_keeps_names_apart(void)
{
	SysprofCaptureReader *reader;

	make_other();
	join("joined");
	reader = reader_of("joined");
	check_named_sample("joined", reader, "own");
	check_named_sample("joined", reader, "shared");
	check_named_sample("joined", reader, "other");
	check_named_sample("joined", reader, "shared");
	CHECK(!behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_SAMPLE));
	sysprof_capture_reader_unref(reader);
}

static void cat_keeps_counters_apart(void)
{
	unsigned int own, other;

	make_other();
	join("joined");
	own = find_counter("joined", "own counter");
	other = find_counter("joined", "other counter");
	CHECK(own != other);
	CHECK(find_value("joined", own) == 44);
	CHECK(find_value("joined", other) == 55);
}

static void cat_copies_the_other_frames(void)
{
	SysprofCaptureReader *reader;

	make_other();
	join("joined");
	reader = reader_of("joined");
	CHECK(behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_MARK));
	CHECK_STR(sysprof_capture_reader_read_mark(reader)->message, "message");
	CHECK_STR(sysprof_capture_reader_read_log(reader)->domain, "domain");
	CHECK_STR(sysprof_capture_reader_read_process(reader)->cmdline, "cmd");
	CHECK_STR(sysprof_capture_reader_read_map(reader)->filename, "/lib");
	CHECK(sysprof_capture_reader_read_fork(reader)->child_pid == 9);
	CHECK(sysprof_capture_reader_read_exit(reader)->frame.time == 180);
	CHECK(sysprof_capture_reader_read_file(reader)->len == 3);
	CHECK(sysprof_capture_reader_read_allocation(reader)->addrs[1] ==
	      0x2000);
	CHECK(sysprof_capture_reader_read_overlay(reader)->dst_len == 2);
	CHECK_STR(sysprof_capture_reader_read_metadata(reader)->metadata,
	          "text");
	sysprof_capture_reader_unref(reader);
}

static void cat_begins_at_the_readers_first_frame(void)
{
	SysprofCaptureWriter *writer;
	SysprofCaptureReader *other, *reader;

	make_other();
	writer = writer_of("joined");
	other = reader_of("other");
	while (sysprof_capture_reader_skip(other))
		;
	CHECK(sysprof_capture_writer_cat(writer, other));
	sysprof_capture_reader_unref(other);
	sysprof_capture_writer_unref(writer);
	reader = reader_of("joined");
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_SAMPLE) == 2);
	sysprof_capture_reader_unref(reader);
}

static void a_writer_goes_on_after_cat(void)
{
	SysprofCaptureWriter *writer;
	SysprofCaptureReader *other, *reader;

	make_other();
	writer = writer_of("joined");
	other = reader_of("other");
	CHECK(sysprof_capture_writer_cat(writer, other));
	CHECK(sysprof_capture_writer_cat(writer, other));
	sysprof_capture_reader_unref(other);
	add_counter(writer, 300, "last counter", 66);
	add_named_sample(writer, 310, "last");
	sysprof_capture_writer_unref(writer);
	CHECK(find_value("joined", find_counter("joined", "last counter")) ==
	      66);
	reader = reader_of("joined");
	check_named_sample("joined", reader, "other");
	check_named_sample("joined", reader, "shared");
	check_named_sample("joined", reader, "other");
	check_named_sample("joined", reader, "shared");
	check_named_sample("joined", reader, "last");
	sysprof_capture_reader_unref(reader);
}

/* Adds exits at the times first, first + 1, ... */
static void add_exits(SysprofCaptureWriter *writer, int64_t first, int n)
{
	int i;

	for (i = 0; i < n; i++)
		CHECK(sysprof_capture_writer_add_exit(writer, first + i, CPU,
		                                      PID));
}

static void check_exits(SysprofCaptureReader *reader, int64_t first, int n)
{
	const SysprofCaptureExit *got;
	int i;

	for (i = 0; i < n; i++) {
		got = sysprof_capture_reader_read_exit(reader);
		CHECK(got != NULL && got->frame.time == first + i);
	}
}

static void a_reader_is_spliced_as_it_is(void)
{
	SysprofCaptureWriter *writer = writer_of("other");
	SysprofCaptureReader *reader;

	add_exits(writer, 1000, 5000);
	sysprof_capture_writer_unref(writer);
	writer = behaviour_writer_open();
	add_exits(writer, 10, 3);
	reader = reader_of("other");
	CHECK(sysprof_capture_reader_skip(reader));
	CHECK(sysprof_capture_reader_splice(reader, writer));
	sysprof_capture_reader_unref(reader);
	add_exits(writer, 90000, 2);
	reader = behaviour_reader_open(writer);
	check_exits(reader, 10, 3);
	check_exits(reader, 1000, 5000);
	check_exits(reader, 90000, 2);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
}

static void a_writer_is_spliced_and_goes_on(void)
{
	SysprofCaptureWriter *source = writer_of("other");
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;

	add_exits(writer, 10, 3);
	add_exits(source, 1000, 5000);
	CHECK(sysprof_capture_writer_splice(source, writer));
	add_exits(source, 6000, 1);
	sysprof_capture_writer_unref(source);
	add_exits(writer, 90000, 2);
	reader = behaviour_reader_open(writer);
	check_exits(reader, 10, 3);
	check_exits(reader, 1000, 5000);
	check_exits(reader, 90000, 2);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
	reader = reader_of("other");
	check_exits(reader, 1000, 5001);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
}

static void joined_names_are_one_frame(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open(), *other;
	const SysprofCaptureJitmap *jitmap;
	SysprofCaptureReader *reader;

	other = sysprof_capture_writer_new("other", 0);
	CHECK(other != NULL);
	add_named_sample(other, 10, "other");
	CHECK(sysprof_capture_writer_flush(other));
	add_named_sample(other, 20, "later");
	sysprof_capture_writer_unref(other);
	reader = reader_of("other");
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_JITMAP) == 2);
	CHECK(sysprof_capture_writer_cat(writer, reader));
	sysprof_capture_reader_unref(reader);

	reader = behaviour_reader_open(writer);
	jitmap = sysprof_capture_reader_read_jitmap(reader);
	CHECK(jitmap != NULL && jitmap->n_jitmaps == 2 * N_NAMES);
	CHECK(sysprof_capture_reader_read_sample(reader) != NULL);
	CHECK(sysprof_capture_reader_read_sample(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

const struct behaviour behaviour_join[] = {
	BEHAVIOUR(joined_names_are_one_frame),
	BEHAVIOUR(cat_keeps_names_apart),
	BEHAVIOUR(cat_keeps_counters_apart),
	BEHAVIOUR(cat_copies_the_other_frames),
	BEHAVIOUR(cat_begins_at_the_readers_first_frame),
	BEHAVIOUR(a_writer_goes_on_after_cat),
	BEHAVIOUR(a_reader_is_spliced_as_it_is),
	BEHAVIOUR(a_writer_is_spliced_and_goes_on),
	{ NULL, NULL },
};
