/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_collector_counters_rows.c - values of several counters at once, by
 * number. Each ring has the definitions before the first values, for any set of
 * numbers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "harness/test.h"

#define N_COUNTERS 300u
#define N_THREADS  130u /* one thread per bit of two words */
#define N_SETS     7u
#define ROW_MOST   64u
#define UNDEFINED  40u /* requested, but never defined */

static unsigned first;

static void define_all(void)
{
	for (unsigned i = 0; i < N_COUNTERS; i++) {
		SysprofCaptureCounter counter = {
			.category = "row", .id = (first + i) & 0xFFFFFF
		};

		if (i != UNDEFINED)
			sysprof_collector_define_counters(&counter, 1);
	}
}

/* Values of the counters @at, by their indexes; each value is the index. */
struct set {
	unsigned n;
	unsigned at[ROW_MOST];
};

static void add_row(struct set *set, unsigned from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		set->at[set->n++] = from + i;
}

/*
 * Thread @k sets the end of a row, and then the whole row.  The handler sets
 * another row without its end, and then the whole row.  Then it sets numbers
 * that resemble a row at both ends, and a row again.  So definitions are
 * missing at each place of a row, also where a word of any set of bits ends.
 */
static void make_sets(unsigned k, struct set sets[N_SETS])
{
	const unsigned n = 3 + k * 7 % (ROW_MOST - 3);
	const unsigned n_end = 1 + k % (n - 1);
	const unsigned other = k + 70;

	memset(sets, 0, N_SETS * sizeof(*sets));
	add_row(&sets[0], k + n - n_end, n_end);
	add_row(&sets[1], k, n);
	add_row(&sets[2], other, n - 1);
	add_row(&sets[3], other, n);
	add_row(&sets[4], k, 2);
	add_row(&sets[4], 299 - k, 1);
	add_row(&sets[4], k + n - 1, 1);
	add_row(&sets[5], k + 1, 1);
	add_row(&sets[5], k, 1);
	add_row(&sets[6], k, n);
}

static void *emit_sets(void *number)
{
	SysprofCaptureCounterValue values[ROW_MOST];
	unsigned ids[ROW_MOST];
	struct set sets[N_SETS];

	make_sets(*(const unsigned *)number, sets);
	for (unsigned i = 0; i < N_SETS; i++) {
		for (unsigned k = 0; k < sets[i].n; k++) {
			ids[k] = first + sets[i].at[k];
			values[k].v64 = sets[i].at[k];
		}
		sysprof_collector_set_counters(ids, values, sets[i].n);
	}
	return NULL;
}

static void emit_all(void)
{
	pthread_t thread;

	first = sysprof_collector_request_counters(N_COUNTERS);
	CHECK(first != 0);
	/* Each thread's ring has its own definitions */
	define_all();
	for (unsigned k = 0; k < N_THREADS; k++) {
		CHECK_EQ(pthread_create(&thread, NULL, emit_sets, &k), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
}

struct seen {
	unsigned first, n_sets;
	unsigned defined[N_COUNTERS];
	unsigned set[N_COUNTERS];
};

static void see_definition(struct seen *seen,
                           const SysprofCaptureCounterDefine *define)
{
	for (unsigned i = 0; i < define->n_counters; i++) {
		const unsigned id = define->counters[i].id;

		if (strcmp(define->counters[i].category, "row") != 0)
			continue;
		if (seen->first == 0)
			seen->first = id;
		CHECK(id - seen->first < N_COUNTERS);
		seen->defined[id - seen->first]++;
	}
}

static void see_values(struct seen *seen, const SysprofCaptureCounterSet *set)
{
	seen->n_sets++;
	for (unsigned i = 0; i < set->n_values; i++) {
		const SysprofCaptureCounterValues *const group =
			&set->values[i];

		for (unsigned k = 0; k < 8 && group->ids[k] != 0; k++) {
			const unsigned at = group->ids[k] - seen->first;

			CHECK(at < N_COUNTERS);
			CHECK_EQ(group->values[k].v64, at);
			CHECK(at == UNDEFINED || seen->defined[at] != 0);
			seen->set[at]++;
		}
	}
}

static void see_all(int fd, struct seen *seen)
{
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(fd);
	SysprofCaptureFrameType type;

	CHECK(reader != NULL);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		if (type == SYSPROF_CAPTURE_FRAME_CTRDEF)
			see_definition(
				seen,
				sysprof_capture_reader_read_counter_define(
					reader));
		else if (type == SYSPROF_CAPTURE_FRAME_CTRSET)
			see_values(seen,
			           sysprof_capture_reader_read_counter_set(
					   reader));
		else
			CHECK(sysprof_capture_reader_skip(reader));
	}
	sysprof_capture_reader_unref(reader);
}

/* Runs in a process whose recording is still undecided. */
static int record(void)
{
	const int fd = memfd_create("capture", 0);
	char number[12];
	int status;

	CHECK(fd > 2);
	const pid_t pid = fork();
	if (pid == 0) {
		snprintf(number, sizeof(number), "%d", fd);
		setenv("SYSPROF_TRACE_FD", number, 1);
		emit_all();
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return fd;
}

/* Expected frames. */
static void expect_all(struct seen *seen)
{
	for (unsigned k = 0; k < N_THREADS; k++) {
		bool has_set[N_COUNTERS] = { false };
		struct set sets[N_SETS];

		make_sets(k, sets);
		for (unsigned i = 0; i < N_SETS; i++)
			for (unsigned j = 0; j < sets[i].n; j++) {
				seen->set[sets[i].at[j]]++;
				has_set[sets[i].at[j]] = true;
			}
		for (unsigned i = 0; i < N_COUNTERS; i++)
			seen->defined[i] += has_set[i] && i != UNDEFINED;
	}
	for (unsigned i = 0; i < N_COUNTERS; i++)
		seen->defined[i] += i != UNDEFINED; /* by define_all() */
}

TEST(each_ring_has_each_definition_once_and_all_values)
{
	struct seen seen = { .first = 0 }, expected = { .first = 0 };

	see_all(record(), &seen);
	expect_all(&expected);
	for (unsigned i = 0; i < N_COUNTERS; i++) {
		CHECK_EQ(seen.set[i], expected.set[i]);
		CHECK_EQ(seen.defined[i], expected.defined[i]);
	}
	CHECK_EQ(seen.n_sets, N_THREADS * N_SETS);
}
