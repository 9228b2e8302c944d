/* SPDX-License-Identifier: BSD-2-Clause */
/* test_fit_rows.c - combined allocations keep their sums. */
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "report/writer.h"

#define N     4000
#define NODES 5
#define PEAK  1234

static struct syc_row whole[N], rows[N];

static void make(void)
{
	srand((unsigned)test_seed());
	memset(whole, 0, sizeof(whole));
	for (uint32_t i = 0; i < N; i++) {
		whole[i] = (struct syc_row){
			.time = i / 2 * 3,
			.size = (uint64_t)(rand() % 100 + 1),
			.node = (uint32_t)(rand() % NODES),
			.thread = (uint32_t)(rand() % 2),
			.n = 1,
			.is_temporary = rand() % 4 == 0,
		};
		if (rand() % 3 != 0)
			whole[i].end =
				whole[i].time + 1 + (uint64_t)(rand() % 500);
	}
	memcpy(rows, whole, sizeof(rows));
}

static uint64_t live_at(const struct syc_row *of, size_t n, uint64_t moment,
                        uint32_t node)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (of[i].node == node && of[i].time <= moment &&
		    (of[i].end == 0 || of[i].end - 1 > moment))
			sum += of[i].size;
	return sum;
}

TEST(bytes_in_use_exact_at_the_end_of_each_cell)
{
	struct syc_cells cells = { .last = (N - 1) / 2 * 3 };
	size_t n = N;

	make();
	for (cells.size = 8; cells.size <= 256; cells.size *= 2) {
		const size_t before = n;

		cells.shift = cells.size - (PEAK + 1) % cells.size;
		CHECK_EQ(syc_rows_combine(rows, &n, &cells), 0);
		CHECK(n < before);
		for (uint64_t moment = PEAK % cells.size; moment < cells.last;
		     moment += cells.size)
			for (uint32_t node = 0; node < NODES; node++)
				CHECK_EQ(live_at(rows, n, moment, node),
				         live_at(whole, N, moment, node));
		CHECK_EQ(live_at(rows, n, PEAK, 0), live_at(whole, N, PEAK, 0));
	}
}

/* The sums by stack, thread, and kind of end */
static void sum_up(const struct syc_row *of, size_t n, uint64_t *sums)
{
	memset(sums, 0, sizeof(*sums) * NODES * 2 * 4);
	for (size_t i = 0; i < n; i++)
		sums[(of[i].node * 2 + of[i].thread) * 4 +
		     (of[i].end != 0) * 2 + of[i].is_temporary] += of[i].size;
}

TEST(sums_and_order_stay)
{
	static uint64_t ours[NODES * 2 * 4], theirs[NODES * 2 * 4];
	const struct syc_cells cells = { .size = 1 << 20,
		                         .last = (N - 1) / 2 * 3 };
	size_t n = N;
	uint64_t count = 0;

	make();
	CHECK_EQ(syc_rows_combine(rows, &n, &cells), 0);
	CHECK(n <= NODES * 2 * 4);
	sum_up(rows, n, ours);
	sum_up(whole, N, theirs);
	CHECK(memcmp(ours, theirs, sizeof(ours)) == 0);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(rows[i].time, cells.last);
		count += rows[i].n;
	}
	CHECK_EQ(count, N);
}

TEST(sorted_by_time)
{
	make();
	rows[7].time = 999;
	syc_rows_sort(rows, N);
	for (size_t i = 1; i < N; i++)
		CHECK(rows[i - 1].time <= rows[i].time);
}
