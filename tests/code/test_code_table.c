/* SPDX-License-Identifier: BSD-2-Clause */
/* test_code_table.c - ranges of code by address and time. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_table.h"
#include "harness/test.h"

static struct syc_code_table *make_table(void)
{
	struct syc_code_table *table;

	CHECK_EQ(syc_code_table_new(&table), 0);
	return table;
}

static void add(struct syc_code_table *table, int64_t time, uint64_t start,
                uint64_t len, const char *name)
{
	CHECK_EQ(
		syc_code_table_add(table, time, start, len, name, strlen(name)),
		0);
}

/* The name at an address and time, or "-". */
static const char *find(const struct syc_code_table *table, uint64_t addr,
                        int64_t time)
{
	struct syc_code_range range;

	return syc_code_table_find(table, addr, time, &range) ? range.name
	                                                      : "-";
}

TEST(a_range_has_its_first_and_its_last_byte_and_no_more)
{
	struct syc_code_table *table = make_table();
	struct syc_code_range range;

	add(table, 5, 0x1000, 0x10, "alpha");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0xFFF, 5), "-");
	CHECK_STR(find(table, 0x1000, 5), "alpha");
	CHECK_STR(find(table, 0x100F, 5), "alpha");
	CHECK_STR(find(table, 0x1010, 5), "-");
	CHECK(syc_code_table_find(table, 0x1008, 5, &range));
	CHECK_EQ(range.start, 0x1000);
	CHECK_EQ(range.len, 0x10);
	CHECK_EQ(range.from, 5);
	CHECK_EQ(range.until, INT64_MAX);
	syc_code_table_free(table);
}

TEST(an_empty_table_finds_nothing)
{
	struct syc_code_table *table = make_table();
	uint64_t low, last;

	CHECK_STR(find(table, 0, 0), "-");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0, 0), "-");
	CHECK(!syc_code_table_span(table, &low, &last));
	syc_code_table_free(table);
}

TEST(one_address_has_two_names_one_after_the_other)
{
	struct syc_code_table *table = make_table();
	struct syc_code_range range;

	add(table, 100, 0x1000, 0x40, "alpha");
	add(table, 200, 0x1000, 0x40, "beta");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1010, 99), "-");
	CHECK_STR(find(table, 0x1010, 100), "alpha");
	CHECK_STR(find(table, 0x1010, 199), "alpha");
	CHECK_STR(find(table, 0x1010, 200), "beta");
	CHECK(syc_code_table_find(table, 0x1010, 100, &range));
	CHECK_EQ(range.until, 200);
	syc_code_table_free(table);
}

TEST(events_may_arrive_in_any_order)
{
	struct syc_code_table *table = make_table();

	add(table, 300, 0x1000, 0x40, "third");
	add(table, SYC_CODE_ALWAYS, 0x1000, 0x40, "first");
	add(table, 200, 0x1000, 0x40, "second");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, INT64_MIN), "first");
	CHECK_STR(find(table, 0x1000, 250), "second");
	CHECK_STR(find(table, 0x1000, INT64_MAX), "third");
	syc_code_table_free(table);
}

TEST(later_event_of_a_time_wins)
{
	struct syc_code_table *table = make_table();

	add(table, 7, 0x1000, 0x40, "earlier");
	add(table, 7, 0x1020, 0x40, "later");
	/* Makes the events unsorted, which must not change the order of the
	 * earlier two. */
	add(table, 3, 0x9000, 1, "other");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x101F, 7), "earlier");
	CHECK_STR(find(table, 0x1020, 7), "later");
	CHECK_STR(find(table, 0x103F, 7), "later");
	syc_code_table_free(table);
}

TEST(remainder_of_an_older_range_keeps_its_name)
{
	struct syc_code_table *table = make_table();

	add(table, 1, 0x1000, 0x100, "old");
	add(table, 2, 0x1040, 0x40, "new");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, 3), "old");
	CHECK_STR(find(table, 0x103F, 3), "old");
	CHECK_STR(find(table, 0x1040, 3), "new");
	CHECK_STR(find(table, 0x107F, 3), "new");
	CHECK_STR(find(table, 0x1080, 3), "old");
	CHECK_STR(find(table, 0x10FF, 3), "old");
	CHECK_STR(find(table, 0x1040, 1), "old");
	syc_code_table_free(table);
}

TEST(code_that_was_removed_has_no_name_from_then_on)
{
	struct syc_code_table *table = make_table();

	add(table, 1, 0x1000, 0x100, "alpha");
	CHECK_EQ(syc_code_table_remove(table, 10, 0x1080, 0x1000), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1080, 9), "alpha");
	CHECK_STR(find(table, 0x1080, 10), "-");
	CHECK_STR(find(table, 0x107F, 10), "alpha");
	syc_code_table_free(table);
}

TEST(moved_code_takes_its_names_along)
{
	struct syc_code_table *table = make_table();
	struct syc_code_range range;

	add(table, 1, 0x1000, 0x40, "alpha");
	add(table, 1, 0x1040, 0x40, "beta");
	add(table, 1, 0x8000, 0x40, "in the way");
	CHECK_EQ(syc_code_table_move(table, 5, 0x1000, 0x8020, 0x80), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, 4), "alpha");
	CHECK_STR(find(table, 0x1000, 5), "-");
	CHECK_STR(find(table, 0x8000, 5), "in the way");
	CHECK_STR(find(table, 0x8020, 4), "in the way");
	CHECK_STR(find(table, 0x8020, 5), "alpha");
	CHECK_STR(find(table, 0x8060, 5), "beta");
	CHECK(syc_code_table_find(table, 0x8070, 5, &range));
	CHECK_EQ(range.start, 0x8060);
	CHECK_EQ(range.len, 0x40);
	syc_code_table_free(table);
}

TEST(code_may_move_onto_itself)
{
	struct syc_code_table *table = make_table();

	add(table, 1, 0x1000, 0x40, "alpha");
	CHECK_EQ(syc_code_table_move(table, 2, 0x1000, 0x1010, 0x40), 0);
	CHECK_EQ(syc_code_table_move(table, 3, 0x1010, 0x0FF0, 0x40), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, 2), "-");
	CHECK_STR(find(table, 0x104F, 2), "alpha");
	CHECK_STR(find(table, 0x0FF0, 3), "alpha");
	CHECK_STR(find(table, 0x1030, 3), "-");
	syc_code_table_free(table);
}

TEST(invalid_ranges_and_names_are_refused)
{
	struct syc_code_table *table = make_table();
	const uint64_t end = SYC_CODE_ADDRESS_END;

	CHECK_EQ(syc_code_table_add(table, 0, 1, 0, "a", 1), -EINVAL);
	CHECK_EQ(syc_code_table_add(table, 0, end, 1, "a", 1), -EINVAL);
	CHECK_EQ(syc_code_table_add(table, 0, end - 1, 2, "a", 1), -EINVAL);
	CHECK_EQ(syc_code_table_add(table, 0, 1, UINT64_MAX, "a", 1), -EINVAL);
	CHECK_EQ(syc_code_table_add(table, 0, 1, 1, " \t", 2), -EINVAL);
	CHECK_EQ(syc_code_table_move(table, 0, 1, end, 1), -EINVAL);
	CHECK_EQ(syc_code_table_remove(table, 0, 1, 0), -EINVAL);
	CHECK_EQ(syc_code_table_add(table, 0, end - 1, 1, "a", 1), 0);
	CHECK_EQ(syc_code_table_add(table, 0, 0, 1, "b", 1), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, end - 1, 0), "a");
	CHECK_STR(find(table, 0, 0), "b");
	CHECK_STR(find(table, UINT64_MAX, 0), "-");
	syc_code_table_free(table);
}

TEST(names_are_made_valid_and_cut_between_characters)
{
	static char text[SYC_CODE_NAME_MAX + 1], in[9000];
	size_t len;

	len = syc_code_text_clean(text,
	                          " gr\xC3\xB6\xC3\x9F"
	                          "e\tx\r",
	                          11);
	CHECK_STR(text, "gr\xC3\xB6\xC3\x9F"
	                "e x");
	CHECK_EQ(len, 9);
	syc_code_text_clean(text, "a\xFFz\xC3", 4);
	CHECK_STR(text, "a\xEF\xBF\xBDz\xEF\xBF\xBD");
	syc_code_text_clean(text, "ab\0cd", 5);
	CHECK_STR(text, "ab");
	for (size_t i = 0; i + 1 < sizeof(in); i += 2)
		memcpy(in + i, "\xC3\xB6", 2);
	CHECK_EQ(syc_code_text_clean(text, in, sizeof(in)), 4094);
	CHECK_EQ(text[4094], 0);
	CHECK_EQ(text[4093], (char)0xB6);
}

TEST(late_event_fills_free_times_only)
{
	struct syc_code_table *table = make_table();
	struct syc_code_range range;

	CHECK_EQ(syc_code_table_add_late(table, 100, 10, 0x1000, 0x40, "a", 1),
	         0);
	CHECK_EQ(syc_code_table_add_late(table, 200, 10, 0x1000, 0x40, "b", 1),
	         0);
	add(table, 50, 0x1020, 8, "timed");
	CHECK_EQ(syc_code_table_remove(table, 60, 0x1020, 8), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, 9), "-");
	CHECK_STR(find(table, 0x1000, 10), "a");
	CHECK_STR(find(table, 0x1000, 199), "a");
	CHECK_STR(find(table, 0x1000, 200), "b");
	CHECK_STR(find(table, 0x1020, 55), "timed");
	CHECK(syc_code_table_find(table, 0x1000, 50, &range));
	CHECK_EQ(range.from, 10);
	/* A time before two late additions has the range of the earlier
	 * addition. */
	CHECK_EQ(syc_code_table_add_late(table, 100, 10, 0x2000, 0x900, "w", 1),
	         0);
	CHECK_EQ(syc_code_table_remove(table, 150, 0x2000, 0x900), 0);
	CHECK_EQ(syc_code_table_add_late(table, 200, 10, 0x2400, 1, "s", 1), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x2400, 50), "w");
	/* Late additions do not change the times of other events. */
	add(table, 300, 0x9000, 8, "c");
	CHECK_EQ(syc_code_table_move(table, 400, 0x1000, 0x5000, 0x40), 0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x9000, 299), "-");
	CHECK_STR(find(table, 0x5000, 399), "-");
	syc_code_table_free(table);
}

/* A table takes events after look-ups. */
TEST(a_settled_table_takes_more_events)
{
	struct syc_code_table *table = make_table();

	add(table, 10, 0x1000, 0x40, "alpha");
	CHECK_EQ(syc_code_table_settle(table), 0);
	add(table, 5, 0x1000, 0x40, "before");
	CHECK_STR(find(table, 0x1000, 10), "-");
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x1000, 5), "before");
	CHECK_STR(find(table, 0x1000, 10), "alpha");
	syc_code_table_free(table);
}

/* A table by brute force: the name of each of a few addresses at each time. */
#define SPACE 64
#define TIMES 40

static uint64_t random_state;

static unsigned draw(unsigned n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1;
	return (unsigned)(random_state >> 33) % n;
}

struct model {
	unsigned at[TIMES + 1][SPACE]; /* names, 0 is none */
};

static void tell_model(struct model *model, unsigned kind, unsigned time,
                       unsigned start, unsigned len, unsigned to, unsigned name)
{
	unsigned now[SPACE], next[SPACE];

	memcpy(now, model->at[time], sizeof(now));
	memcpy(next, now, sizeof(next));
	for (unsigned i = 0; i < len; i++)
		next[start + i] = kind == 0 ? name : 0;
	for (unsigned i = 0; kind == 1 && i < len; i++)
		next[to + i] = 0;
	for (unsigned i = 0; kind == 1 && i < len; i++)
		next[to + i] = now[start + i];
	for (unsigned t = time; t <= TIMES; t++)
		memcpy(model->at[t], next, sizeof(next));
}

static void compare_once(void)
{
	struct syc_code_table *table = make_table();
	static struct model model;
	char name[16];
	unsigned n = 0;

	memset(&model, 0, sizeof(model));
	for (unsigned time = 0; time <= TIMES; time++)
		for (unsigned i = draw(3); i > 0; i--) {
			const unsigned kind = draw(4) ? draw(2) * draw(2) : 2;
			const unsigned len = 1 + draw(SPACE / 2);
			const unsigned start = draw(SPACE - len);
			const unsigned to = draw(SPACE - len);
			const int64_t at = (int64_t)time * 10;

			snprintf(name, sizeof(name), "%u", ++n);
			tell_model(&model, kind, time, start, len, to, n);
			if (kind == 0)
				add(table, at, 0x1000 + start, len, name);
			else if (kind == 1)
				CHECK_EQ(syc_code_table_move(table, at,
				                             0x1000 + start,
				                             0x1000 + to, len),
				         0);
			else
				CHECK_EQ(syc_code_table_remove(table, at,
				                               0x1000 + start,
				                               len),
				         0);
		}
	CHECK_EQ(syc_code_table_settle(table), 0);
	for (unsigned time = 0; time <= TIMES; time++)
		for (unsigned addr = 0; addr < SPACE; addr++) {
			const unsigned wanted = model.at[time][addr];

			snprintf(name, sizeof(name), "%u", wanted);
			CHECK_STR(find(table, 0x1000 + addr, time * 10 + 3),
			          wanted ? name : "-");
		}
	syc_code_table_free(table);
}

TEST(random_events_equal_their_replay)
{
	random_state = test_seed();
	for (unsigned i = 0; i < 200; i++)
		compare_once();
}

TEST(a_hundred_thousand_ranges_are_found_again)
{
	enum {
		N = 100000
	};
	struct syc_code_table *table = make_table();
	char name[32];

	for (unsigned i = 0; i < N; i++) {
		/* Each range covers half of the previous range, in a shuffled
		 * order. */
		const unsigned k = (unsigned)(i * UINT64_C(7919) % N);

		snprintf(name, sizeof(name), "f%u", k);
		add(table, k, 0x1000 + 32 * (uint64_t)k, 64, name);
	}
	CHECK_EQ(syc_code_table_settle(table), 0);
	for (unsigned k = 1; k < N; k += 977) {
		const uint64_t start = 0x1000 + 32 * (uint64_t)k;

		snprintf(name, sizeof(name), "f%u", k);
		CHECK_STR(find(table, start, k), name);
		CHECK_STR(find(table, start + 32, k), name);
		CHECK_STR(find(table, start + 31, N), name);
		snprintf(name, sizeof(name), "f%u", k - 1);
		CHECK_STR(find(table, start, k - 1), name);
	}
	syc_code_table_free(table);
}

/* Moves all ranges to and fro: each move makes as many pieces as there are
 * ranges. */
TEST(excessive_moves_are_omitted)
{
	struct syc_code_table *table = make_table();

	for (unsigned i = 0; i < 2000; i++)
		add(table, 0, 0x10000 + 2 * i, 1, "f");
	for (unsigned i = 1; i <= 2000; i++)
		CHECK_EQ(syc_code_table_move(table, i,
		                             i & 1 ? 0x10000 : 0x90000,
		                             i & 1 ? 0x90000 : 0x10000, 4096),
		         0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	CHECK_STR(find(table, 0x10000, 0), "f");
	CHECK_STR(find(table, 0x90000, 1), "f");
	/* The move at 1999, which would remove "f" here, is omitted. */
	CHECK_STR(find(table, 0x10000, 1999), "f");
	syc_code_table_free(table);
}
