/* SPDX-License-Identifier: BSD-2-Clause */
/* test_walk.c - events from the file have the model's numbers. */
#include <stdio.h>
#include <string.h>

#include <syscap/profile.h>

#include "harness/make_capture.h"
#include "harness/test.h"

struct asked {
	struct syscap_reader *reader;
	struct syscap_profile *profile;
};

static struct asked ask(const struct make_capture *capture, unsigned parts)
{
	const struct syscap_profile_options options = { .parts = parts,
		                                        .no_lookup = true };
	struct syscap_error error;
	struct asked asked;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &asked.reader, &error),
	         0);
	CHECK_EQ(syscap_profile_new(&options, &asked.profile), 0);
	CHECK_EQ(syscap_profile_read(asked.profile, asked.reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(asked.profile), 0);
	return asked;
}

static void end(struct asked *asked)
{
	syscap_profile_free(asked->profile);
	syscap_reader_close(asked->reader);
}

static struct syscap_profile_walk *walk_of(const struct asked *asked)
{
	struct syscap_profile_walk *walk;

	CHECK_EQ(syscap_profile_walk_new(asked->profile, asked->reader, &walk),
	         0);
	return walk;
}

static unsigned next_random(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return (unsigned)(*state >> 33) % below;
}

/* Makes a capture with reused pids, threads, losses, and ids of two
 * processes. */
static void make_any(struct make_capture *capture, uint64_t *state)
{
	int64_t time = 1000;

	make_begin(capture, false, time, 0);
	for (unsigned i = 0; i < 2000; i++) {
		const int32_t pid = (int32_t)next_random(state, 6) - 1;
		const int32_t tid = (int32_t)next_random(state, 4);
		const uint32_t ids[3] = { next_random(state, 600),
			                  next_random(state, 600),
			                  next_random(state, 3) };
		const uint64_t bits[3] = { i, i + 1, i + 2 };

		time += next_random(state, 100);
		switch (next_random(state, 9)) {
		case 0:
			make_process(capture, pid + 1, time, "again");
			break;
		case 1:
			make_log(capture, pid, time, 16, "gtk", "text");
			break;
		case 2:
		case 3:
			make_mark(capture, pid, pid + tid, time, 5, "a", "b",
			          "");
			break;
		case 4:
			make_mark(capture, pid, pid + tid, time, 5, "syscap",
			          "lost", "frames=1 bytes=8 tid=8 mark=1");
			break;
		default:
			make_ctrset(capture, pid, time, ids, bits, 3);
			break;
		}
	}
}

TEST(walk_reports_kept_values)
{
	uint64_t state = test_seed();

	for (unsigned turn = 0; turn < 20; turn++) {
		struct syscap_profile_values values;
		struct syscap_profile_value value;
		struct syscap_profile_walk *walk;
		struct make_capture capture;
		struct asked asked;

		make_any(&capture, &state);
		asked = ask(&capture, 0);
		syscap_profile_values(asked.profile, &values);
		CHECK(values.n > 0);
		walk = walk_of(&asked);
		for (size_t i = 0; i < values.n; i++) {
			CHECK_EQ(syscap_profile_walk_value(walk, &value), 1);
			CHECK_EQ(value.time, values.times[i]);
			CHECK_EQ(value.bits, values.bits[i]);
			CHECK_EQ(value.counter, values.counters[i]);
			CHECK_EQ(value.thread, values.threads[i]);
		}
		CHECK_EQ(syscap_profile_walk_value(walk, &value), 0);
		syscap_profile_walk_free(walk);
		end(&asked);
		make_free(&capture);
	}
}

TEST(unkept_values_are_counted)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_values values;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	struct make_capture capture;
	uint64_t state = test_seed(), counted = 0, walked = 0;
	struct asked asked;
	size_t n;

	make_any(&capture, &state);
	asked = ask(&capture, SYSCAP_PROFILE_COUNTERS);
	syscap_profile_values(asked.profile, &values);
	CHECK_EQ(values.n, 0);
	counters = syscap_profile_counters(asked.profile, &n);
	for (size_t i = 0; i < n; i++)
		counted += counters[i].n_values;
	walk = walk_of(&asked);
	while (syscap_profile_walk_value(walk, &value) > 0) {
		CHECK(value.counter < n);
		walked++;
	}
	CHECK(walked > 0);
	CHECK_EQ(counted, walked);
	syscap_profile_walk_free(walk);
	end(&asked);
	make_free(&capture);
}

/* Checks which marks are losses, and the owner of each loss. */
static void check_marks(unsigned parts, uint64_t seed)
{
	struct syscap_profile_event event;
	struct syscap_profile_walk *walk;
	struct make_capture capture;
	struct asked all, asked;
	size_t n = 0, n_losses = 0, wanted;

	make_any(&capture, &seed);
	all = ask(&capture, parts | SYSCAP_PROFILE_MARKS);
	asked = ask(&capture, parts);
	walk = walk_of(&asked);
	while (syscap_profile_walk_event(walk, &event) > 0) {
		struct syscap_profile_mark mark;

		if (event.frame->type != SYSCAP_FRAME_MARK)
			continue;
		if (event.is_loss) {
			n_losses++;
			continue;
		}
		mark = syscap_profile_mark(all.profile, n++);
		CHECK_EQ(mark.offset, event.frame->offset);
		CHECK_EQ(mark.thread, event.thread);
	}
	CHECK_EQ(n, syscap_profile_n_marks(all.profile));
	syscap_profile_losses(asked.profile, &wanted);
	CHECK(n_losses > 0);
	CHECK_EQ(n_losses, wanted);
	syscap_profile_walk_free(walk);
	end(&all);
	end(&asked);
	make_free(&capture);
}

TEST(walk_reports_threads_of_unkept_marks)
{
	check_marks(SYSCAP_PROFILE_THREADS, test_seed());
	check_marks(SYSCAP_PROFILE_THREADS | SYSCAP_PROFILE_COUNTERS,
	            test_seed() + 1);
}

TEST(walk_and_profile_end_alike)
{
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	struct make_capture capture;
	struct syscap_error error;
	struct asked asked;
	const uint32_t id = 5;
	const uint64_t bits = 1;

	make_begin(&capture, false, 1000, 0);
	for (int i = 0; i < 100; i++)
		make_ctrset(&capture, 7, 1000 + i, &id, &bits, 1);
	asked.profile = NULL;
	CHECK_EQ(syscap_reader_open_memory(capture.data, capture.size,
	                                   &asked.reader, &error),
	         0);
	CHECK_EQ(syscap_profile_new(NULL, &asked.profile), 0);
	CHECK_EQ(syscap_profile_read_on(asked.profile, asked.reader, 1, &error),
	         1);
	CHECK_EQ(syscap_profile_settle(asked.profile), 0);
	walk = walk_of(&asked);
	CHECK_EQ(syscap_profile_walk_value(walk, &value), 1);
	CHECK_EQ(syscap_profile_walk_value(walk, &value), 0);
	syscap_profile_walk_free(walk);
	end(&asked);
	make_free(&capture);
}
