/* SPDX-License-Identifier: BSD-2-Clause */
/* test_thread_samples.c - a thread's samples, read piece by piece. */
#include <stdlib.h>
#include <string.h>

#include "export/stacks.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define PID       10
#define N_SAMPLES 3000u

struct asked {
	struct syscap_reader *reader;
	struct syscap_profile *profile;
	struct syscap_view *view;
	struct syscap_profile_samples samples;
};

static unsigned next_random(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return (unsigned)(*state >> 33) % below;
}

/* Makes samples of many threads; those of PID + 3 are out of order. */
static void make_samples(struct make_capture *capture, uint64_t *state)
{
	const uint64_t addrs[2] = { UINT64_C(0x401000), UINT64_C(0x402000) };
	int64_t time = 10000;

	make_begin(capture, false, 1000, 0);
	for (unsigned i = 0; i < N_SAMPLES; i++) {
		const unsigned most = 1 + next_random(state, 12);
		const int32_t tid = PID + (int32_t)next_random(state, most);
		const int64_t back =
			tid == PID + 3 ? (int64_t)next_random(state, 5000) : 0;

		time += next_random(state, 3);
		make_stack(capture, SYSCAP_FRAME_SAMPLE, PID, tid, time - back,
		           false, addrs, 2);
	}
}

static struct asked ask(const struct make_capture *capture,
                        const struct syscap_filter *filter)
{
	const struct syscap_profile_options options = {
		.parts = SYSCAP_PROFILE_SAMPLES, .no_lookup = true
	};
	struct syscap_error error;
	struct asked asked;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &asked.reader, &error),
	         0);
	CHECK_EQ(syscap_profile_new(&options, &asked.profile), 0);
	CHECK_EQ(syscap_profile_read(asked.profile, asked.reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(asked.profile), 0);
	CHECK_EQ(syscap_view_new(asked.profile, filter, &asked.view, &error),
	         0);
	syscap_profile_samples(asked.profile, &asked.samples);
	return asked;
}

static void end(struct asked *asked)
{
	syscap_view_free(asked->view);
	syscap_profile_free(asked->profile);
	syscap_reader_close(asked->reader);
}

static bool is_of(const struct asked *asked, size_t i, size_t thread)
{
	return (asked->view->passed[i / 64] >> i % 64 & 1) != 0 &&
	       asked->samples.threads[i] == thread;
}

static bool is_before(const struct asked *asked, size_t i, size_t other)
{
	const int64_t *times = asked->samples.times;

	return times[i] != times[other] ? times[i] < times[other] : i < other;
}

/* Reads all samples of @thread in pieces, which must be in order and
 * complete. */
static size_t check_thread(struct syc_thread_samples *by,
                           const struct asked *asked, uint32_t thread)
{
	bool seen[N_SAMPLES] = { false };
	const uint32_t *rows;
	size_t all = 0, n = 0, expected = 0;
	size_t last = N_SAMPLES;

	for (size_t at = 0;
	     (rows = syc_thread_samples_get(by, thread, at, &n)) != NULL;
	     at += n) {
		CHECK(n > 0);
		for (size_t i = 0; i < n; i++, all++) {
			CHECK(is_of(asked, rows[i], thread));
			CHECK(!seen[rows[i]]);
			seen[rows[i]] = true;
			CHECK(last == N_SAMPLES ||
			      is_before(asked, last, rows[i]));
			last = rows[i];
		}
	}
	for (size_t i = 0; i < asked->samples.n; i++)
		expected += is_of(asked, i, thread);
	CHECK_EQ(all, expected);
	CHECK_EQ(by->begins[thread + 1] - by->begins[thread], expected);
	return all;
}

static void check_all(uint64_t *state, const struct syscap_filter *filter)
{
	static const size_t pieces[] = { 1, 2, 7, 100, 1000, N_SAMPLES };
	struct make_capture capture;
	struct syc_thread_samples by;
	struct asked asked;

	make_samples(&capture, state);
	asked = ask(&capture, filter);
	for (unsigned i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		size_t all = 0;

		CHECK_EQ(
			syc_thread_samples_init(&by, asked.profile, asked.view),
			0);
		by.piece = pieces[i];
		for (uint32_t t = 0; t < by.n_threads; t++)
			all += check_thread(&by, &asked, t);
		CHECK_EQ(all, asked.view->n_passed);
		/* Earlier requests do not change a result. */
		for (unsigned k = 0; k < 50; k++)
			check_thread(
				&by, &asked,
				next_random(state, (unsigned)by.n_threads));
		syc_thread_samples_fini(&by);
	}
	end(&asked);
	make_free(&capture);
}

TEST(every_sample_in_its_thread_in_time_order)
{
	uint64_t state = test_seed();

	for (unsigned turn = 0; turn < 5; turn++)
		check_all(&state, NULL);
}

TEST(filtered_samples_absent)
{
	const struct syscap_filter filter = {
		.from = 11000, .to = 12000, .has_from = true, .has_to = true
	};
	uint64_t state = test_seed();

	check_all(&state, &filter);
}

TEST(alternating_queries_of_threads)
{
	uint64_t state = test_seed();
	struct make_capture capture;
	struct syc_thread_samples by;
	const uint32_t *rows;
	struct asked asked;
	size_t n;

	make_samples(&capture, &state);
	asked = ask(&capture, NULL);
	CHECK_EQ(syc_thread_samples_init(&by, asked.profile, asked.view), 0);
	by.piece = 3;
	for (size_t at = 0; at < 60; at += 2)
		for (uint32_t t = 0; t < by.n_threads; t++) {
			size_t before = 0;

			rows = syc_thread_samples_get(&by, t, at, &n);
			if (at >= by.begins[t + 1] - by.begins[t]) {
				CHECK(rows == NULL);
				continue;
			}
			CHECK(rows != NULL && n > 0);
			for (size_t i = 0; i < asked.samples.n; i++)
				before += is_of(&asked, i, t) &&
				          is_before(&asked, i, rows[0]);
			CHECK_EQ(before, at);
		}
	CHECK(syc_thread_samples_get(&by, 0, N_SAMPLES, &n) == NULL);
	syc_thread_samples_fini(&by);
	end(&asked);
	make_free(&capture);
}
