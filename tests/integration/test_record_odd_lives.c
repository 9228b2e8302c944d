/* SPDX-License-Identifier: BSD-2-Clause */
/* test_record_odd_lives.c - programs that exit, exec or fork in odd ways, under
 * `syscap record`. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static int record(const char *what, const char *n)
{
	return recording_run(&recording, recording_program("odd_lives"), what,
	                     n, NULL);
}

static size_t count(const char *name)
{
	return recording_count_marks(&recording, "odd", name);
}

static void check_that_all_were_recorded(void)
{
	if (strstr(recording.messages, "could not record") != NULL ||
	    strstr(recording.messages, "cannot record") != NULL)
		test_fail(__FILE__, __LINE__, "%s", recording.messages);
}

TEST(a_process_that_becomes_program_after_program_is_recorded_to_its_end)
{
	recording_init(&recording);
	CHECK_EQ(record("chain", "400"), 0);
	check_that_all_were_recorded();
	CHECK_EQ(count("sent"), 3 * 400);
	recording_free(&recording);
}

/* Mapping all handed-over rings at once would need more addresses. */
TEST(a_recorder_that_may_have_few_addresses_records_many_processes)
{
	const struct rlimit limit = { 1 << 30, RLIM_INFINITY };

	if (test_is_sanitized())
		SKIP("sanitizers use the whole address space");
	recording_init(&recording);
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	CHECK_EQ(record("together", "30"), 0);
	check_that_all_were_recorded();
	CHECK_EQ(count("has a ring"), 30);
	recording_free(&recording);
}
