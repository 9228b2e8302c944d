/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_counters.c - counters of a writer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>

#include "behaviour.h"

#define N_MOST 511 /* maximum number of counters that one frame defines */
#define N_SET  20  /* counters of three groups, the last with four counters */

static void numbers_are_given_out_once(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	unsigned int one, two, many, last;

	one = sysprof_capture_writer_request_counter(writer, 1);
	two = sysprof_capture_writer_request_counter(writer, 1);
	many = sysprof_capture_writer_request_counter(writer, 100);
	last = sysprof_capture_writer_request_counter(writer, 1);
	CHECK(one >= 1);
	CHECK(two > one && many > two && last >= many + 100);
	CHECK(last < 1 << 24);
	sysprof_capture_writer_unref(writer);
}

static void describe(SysprofCaptureCounter *counter, unsigned int id)
{
	memset(counter, 0, sizeof(*counter));
	snprintf(counter->category, sizeof(counter->category), "category");
	snprintf(counter->name, sizeof(counter->name), "name %u", id);
	snprintf(counter->description, sizeof(counter->description),
	         "description");
	counter->id = id & 0xFFFFFF;
	if (id % 2) {
		counter->type = SYSPROF_CAPTURE_COUNTER_DOUBLE;
		counter->value.vdbl = id + 0.5;
	} else {
		counter->type = SYSPROF_CAPTURE_COUNTER_INT64;
		counter->value.v64 = -(int64_t)id;
	}
}

static void definitions_are_read_back(void)
{
	SysprofCaptureCounter *counters = calloc(N_MOST, sizeof(*counters));
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureCounterDefine *got;
	SysprofCaptureReader *reader;
	unsigned int first, i;

	first = sysprof_capture_writer_request_counter(writer, N_MOST);
	for (i = 0; i < N_MOST; i++)
		describe(&counters[i], first + i);
	CHECK(sysprof_capture_writer_define_counters(writer, 10, CPU, PID,
	                                             counters, N_MOST));
	CHECK(sysprof_capture_writer_define_counters(writer, 11, CPU, PID,
	                                             counters, 0));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_counter_define(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_CTRDEF);
	CHECK(got->frame.time == 10 && got->frame.pid == PID);
	CHECK(got->n_counters == N_MOST);
	CHECK(memcmp(got->counters, counters, N_MOST * sizeof(*counters)) == 0);
	CHECK(sysprof_capture_reader_read_counter_define(reader) == NULL);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
	free(counters);
}

static void values_are_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureCounterValue values[N_SET];
	const SysprofCaptureCounterSet *got;
	SysprofCaptureReader *reader;
	unsigned int ids[N_SET], first, i;

	first = sysprof_capture_writer_request_counter(writer, N_SET);
	for (i = 0; i < N_SET; i++) {
		ids[i] = first + i;
		values[i].v64 = -(int64_t)i;
	}
	values[19].vdbl = 0.25;
	CHECK(sysprof_capture_writer_set_counters(writer, 10, CPU, PID, ids,
	                                          values, N_SET));
	CHECK(sysprof_capture_writer_set_counters(writer, 11, CPU, PID, ids,
	                                          values, 0));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_counter_set(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_CTRSET);
	CHECK(got->frame.time == 10 && got->frame.pid == PID);
	CHECK(got->n_values == 3);
	for (i = 0; i < 3 * 8; i++) {
		const SysprofCaptureCounterValues *group = &got->values[i / 8];

		CHECK(group->ids[i % 8] == (i < N_SET ? ids[i] : 0));
		CHECK(i >= N_SET || group->values[i % 8].v64 == values[i].v64);
	}
	CHECK(got->values[2].values[3].vdbl == 0.25);
	CHECK(!sysprof_capture_reader_skip(reader));
	sysprof_capture_reader_unref(reader);
}

static void values_fit_into_one_group_of_eight(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureCounterValue values[8];
	const SysprofCaptureCounterSet *got;
	SysprofCaptureReader *reader;
	unsigned int ids[8], first, i;

	first = sysprof_capture_writer_request_counter(writer, 8);
	for (i = 0; i < 8; i++) {
		ids[i] = first + i;
		values[i].v64 = i;
	}
	CHECK(sysprof_capture_writer_set_counters(writer, 10, CPU, PID, ids,
	                                          values, 8));
	CHECK(sysprof_capture_writer_set_counters(writer, 11, CPU, PID, ids,
	                                          values, 1));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_counter_set(reader);
	CHECK(got != NULL && got->n_values == 1 && got->frame.len == 128);
	got = sysprof_capture_reader_read_counter_set(reader);
	CHECK(got != NULL && got->n_values == 1 && got->frame.len == 128);
	CHECK(got->values[0].ids[0] == first && got->values[0].ids[1] == 0);
	sysprof_capture_reader_unref(reader);
}

const struct behaviour behaviour_counters[] = {
	BEHAVIOUR(numbers_are_given_out_once),
	BEHAVIOUR(definitions_are_read_back),
	BEHAVIOUR(values_are_read_back),
	BEHAVIOUR(values_fit_into_one_group_of_eight),
	{ NULL, NULL },
};
