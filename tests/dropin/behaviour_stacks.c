/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_stacks.c - samples, allocations, and names of their addresses. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>

#include "behaviour.h"

#define DEEPEST  8187
#define ALL_FIT  4095
#define SMALLEST 64 /* the smallest space that any release passes */
#define N_NAMES  100

static void fill(SysprofCaptureAddress *addrs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		addrs[i] = 0x400000 + i * 3;
}

static void check_addrs(const SysprofCaptureAddress *addrs, unsigned int n,
                        unsigned int expected)
{
	unsigned int i;

	CHECK(n == expected);
	for (i = 0; i < n; i++)
		CHECK(addrs[i] == 0x400000 + i * 3);
}

static void a_sample_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureSample *got;
	SysprofCaptureAddress addrs[3];
	SysprofCaptureReader *reader;

	fill(addrs, 3);
	CHECK(sysprof_capture_writer_add_sample(writer, 10, CPU, PID, TID,
	                                        addrs, 3));
	CHECK(sysprof_capture_writer_add_sample(writer, 11, CPU, PID, TID,
	                                        addrs, 0));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_sample(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_SAMPLE);
	CHECK(got->frame.time == 10 && got->frame.cpu == CPU);
	CHECK(got->frame.pid == PID && got->tid == TID);
	CHECK(got->frame.len == sizeof(*got) + sizeof(addrs));
	check_addrs(got->addrs, got->n_addrs, 3);
	got = sysprof_capture_reader_read_sample(reader);
	CHECK(got != NULL);
	CHECK(got->n_addrs == 0);
	sysprof_capture_reader_unref(reader);
}

static void the_deepest_sample_fills_a_frame(void)
{
	SysprofCaptureAddress *addrs = calloc(DEEPEST, sizeof(*addrs));
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureSample *got;
	SysprofCaptureReader *reader;

	fill(addrs, DEEPEST);
	CHECK(sysprof_capture_writer_add_sample(writer, 10, CPU, PID, TID,
	                                        addrs, DEEPEST));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_sample(reader);
	CHECK(got != NULL);
	CHECK(got->frame.len == 65528);
	check_addrs(got->addrs, got->n_addrs, DEEPEST);
	sysprof_capture_reader_unref(reader);
	free(addrs);
}

static unsigned int n_calls;

static int three_addresses(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                           void *user_data)
{
	n_calls++;
	CHECK(user_data == &n_calls);
	CHECK(n_addrs >= SMALLEST);
	fill(addrs, 3);
	return 3;
}

static void an_allocation_asks_for_its_stack_once(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureAllocation *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_allocation(writer, 10, CPU, PID, TID,
	                                            0x5000, 64, three_addresses,
	                                            &n_calls));
	CHECK(n_calls == 1);
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_allocation(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_ALLOCATION);
	CHECK(got->frame.time == 10 && got->frame.cpu == CPU);
	CHECK(got->frame.pid == PID && got->tid == TID);
	CHECK(got->alloc_addr == 0x5000 && got->alloc_size == 64);
	check_addrs(got->addrs, got->n_addrs, 3);
	CHECK(got->frame.len == sizeof(*got) + 3 * 8);
	sysprof_capture_reader_unref(reader);
}

static int no_addresses(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                        void *user_data)
{
	(void)addrs;
	(void)n_addrs;
	(void)user_data;
	return -1;
}

static void an_allocation_may_have_no_stack(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureAllocation *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_allocation(
		writer, 10, CPU, PID, TID, 0x5000, 0, no_addresses, NULL));
	CHECK(sysprof_capture_writer_add_exit(writer, 11, CPU, PID));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_allocation(reader);
	CHECK(got != NULL);
	CHECK(got->alloc_size == 0 && got->n_addrs == 0);
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void an_allocation_copies_its_stack(void)
{
	SysprofCaptureAddress *addrs = calloc(ALL_FIT, sizeof(*addrs));
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureAllocation *got;
	SysprofCaptureReader *reader;

	fill(addrs, ALL_FIT);
	CHECK(sysprof_capture_writer_add_allocation_copy(
		writer, 10, CPU, PID, TID, 0x5000, 64, addrs, ALL_FIT));
	CHECK(sysprof_capture_writer_add_allocation_copy(
		writer, 11, CPU, PID, TID, 0x5000, 0, addrs, 0));
	free(addrs);
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_allocation(reader);
	CHECK(got != NULL);
	CHECK(got->tid == TID && got->alloc_addr == 0x5000);
	CHECK(got->alloc_size == 64);
	check_addrs(got->addrs, got->n_addrs, ALL_FIT);
	got = sysprof_capture_reader_read_allocation(reader);
	CHECK(got != NULL);
	CHECK(got->alloc_size == 0 && got->n_addrs == 0);
	sysprof_capture_reader_unref(reader);
}

static void a_name_keeps_its_address_until_it_is_written(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureAddress one, two, none;

	one = sysprof_capture_writer_add_jitmap(writer, "one");
	two = sysprof_capture_writer_add_jitmap(writer, "two");
	none = sysprof_capture_writer_add_jitmap(writer, NULL);
	CHECK(one != 0 && two != 0 && none != 0);
	CHECK(one != two && two != none && one != none);
	CHECK((one & SYSPROF_CAPTURE_JITMAP_MARK) ==
	      SYSPROF_CAPTURE_JITMAP_MARK);
	CHECK(sysprof_capture_writer_add_jitmap(writer, "one") == one);
	CHECK(sysprof_capture_writer_add_jitmap(writer, "two") == two);
	CHECK(sysprof_capture_writer_add_jitmap(writer, "") == none);
	sysprof_capture_writer_unref(writer);
}

/* The number I of "name I" */
static unsigned int number_of(const char *name)
{
	CHECK(strncmp(name, "name ", 5) == 0);
	return (unsigned int)atoi(name + 5);
}

static void all_names_are_found_in_the_file(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureAddress addrs[N_NAMES], addr;
	bool is_found[N_NAMES] = { false };
	const SysprofCaptureJitmap *jitmap;
	SysprofCaptureJitmapIter iter;
	SysprofCaptureReader *reader;
	char text[32];
	const char *name;
	unsigned int i, n;

	for (i = 0; i < N_NAMES; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		addrs[i] = sysprof_capture_writer_add_jitmap(writer, text);
		CHECK(addrs[i] != 0);
	}
	CHECK(sysprof_capture_writer_add_sample(writer, 10, CPU, PID, TID,
	                                        addrs, N_NAMES));
	reader = behaviour_reader_open(writer);
	while (behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_JITMAP)) {
		jitmap = sysprof_capture_reader_read_jitmap(reader);
		CHECK(jitmap != NULL);
		sysprof_capture_jitmap_iter_init(&iter, jitmap);
		n = 0;
		while (sysprof_capture_jitmap_iter_next(&iter, &addr, &name)) {
			i = number_of(name);
			CHECK(i < N_NAMES && addrs[i] == addr);
			is_found[i] = true;
			n++;
		}
		CHECK(n == jitmap->n_jitmaps);
		sysprof_capture_jitmap_iter_init(&iter, jitmap);
		while (sysprof_capture_jitmap_iter_next(&iter, NULL, NULL))
			n--;
		CHECK(n == 0);
	}
	for (i = 0; i < N_NAMES; i++)
		CHECK(is_found[i]);
	sysprof_capture_reader_unref(reader);
}

/* Reads the next frame, which must have @n names. */
static void read_names(SysprofCaptureReader *reader, unsigned int n)
{
	const SysprofCaptureJitmap *jitmap =
		sysprof_capture_reader_read_jitmap(reader);

	CHECK(jitmap != NULL);
	CHECK(jitmap->n_jitmaps == n);
}

/* Adds several names before their samples: the names are one frame, before the
 * others. */
static void names_that_wait_are_one_frame_before_all(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureAddress addrs[500];
	SysprofCaptureReader *reader;
	char text[32];
	int i;

	CHECK(sysprof_capture_writer_add_exit(writer, 1, CPU, PID));
	for (i = 0; i < 400; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		addrs[i] = sysprof_capture_writer_add_jitmap(writer, text);
	}
	CHECK(sysprof_capture_writer_add_sample(writer, 2, CPU, PID, TID, addrs,
	                                        400));
	addrs[400] = sysprof_capture_writer_add_jitmap(writer, "one more");
	CHECK(sysprof_capture_writer_add_sample(writer, 3, CPU, PID, TID, addrs,
	                                        401));
	CHECK(sysprof_capture_writer_flush(writer));
	addrs[0] = sysprof_capture_writer_add_jitmap(writer, "after a flush");
	CHECK(sysprof_capture_writer_add_sample(writer, 4, CPU, PID, TID, addrs,
	                                        1));
	reader = behaviour_reader_open(writer);
	read_names(reader, 401);
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	CHECK(sysprof_capture_reader_read_sample(reader) != NULL);
	CHECK(sysprof_capture_reader_read_sample(reader) != NULL);
	read_names(reader, 1);
	CHECK(sysprof_capture_reader_read_sample(reader) != NULL);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
}

static void names_without_users_are_written_too(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;
	SysprofCaptureStat counts;

	CHECK(sysprof_capture_writer_add_jitmap(writer, "one") != 0);
	CHECK(sysprof_capture_writer_add_jitmap(writer, "two") != 0);
	sysprof_capture_writer_stat(writer, &counts);
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_JITMAP] == 0);
	CHECK(sysprof_capture_writer_flush(writer));
	sysprof_capture_writer_stat(writer, &counts);
	CHECK(counts.frame_count[SYSPROF_CAPTURE_FRAME_JITMAP] == 1);
	CHECK(sysprof_capture_writer_add_jitmap(writer, "three") != 0);
	reader = behaviour_reader_open(writer);
	read_names(reader, 2);
	read_names(reader, 1);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
}

const struct behaviour behaviour_stacks[] = {
	BEHAVIOUR(a_sample_is_read_back),
	BEHAVIOUR(the_deepest_sample_fills_a_frame),
	BEHAVIOUR(an_allocation_asks_for_its_stack_once),
	BEHAVIOUR(an_allocation_may_have_no_stack),
	BEHAVIOUR(an_allocation_copies_its_stack),
	BEHAVIOUR(a_name_keeps_its_address_until_it_is_written),
	BEHAVIOUR(all_names_are_found_in_the_file),
	BEHAVIOUR(names_that_wait_are_one_frame_before_all),
	BEHAVIOUR(names_without_users_are_written_too),
	{ NULL, NULL },
};
