/* SPDX-License-Identifier: BSD-2-Clause */
/* test_process_maps.c - mappings by address and time. */
#include "harness/test.h"
#include "symbols/process_maps.h"

static struct syc_process_maps processes;

static void add(int pid, int64_t time, uint64_t begin, uint64_t end,
                const char *path, bool is_from_process)
{
	const struct syc_process_map one = { .begin = begin,
		                             .end = end,
		                             .time = time,
		                             .path = path,
		                             .build_id = "",
		                             .is_from_process =
		                                     is_from_process };

	CHECK_EQ(syc_process_maps_add(&processes, pid, &one), 0);
}

static void map(int pid, int64_t time, uint64_t begin, uint64_t end,
                const char *path)
{
	add(pid, time, begin, end, path, false);
}

static void settle(void)
{
	CHECK_EQ(syc_process_maps_settle(&processes), 0);
}

/* The path, or NULL.  @always: expected to be the same path at any time. */
static const char *find(int pid, int64_t time, uint64_t address, bool always)
{
	bool is_always = !always;
	const struct syc_process_map *found = syc_process_maps_find(
		&processes, pid, address, time, &is_always);

	CHECK_EQ(is_always, always);
	return found ? found->path : NULL;
}

TEST(a_mapping_counts_until_another_covers_it)
{
	map(7, 100, 0x1000, 0x3000, "old");
	map(7, 200, 0x2000, 0x4000, "new");
	settle();
	CHECK_STR(find(7, 150, 0x2000, false), "old");
	CHECK_STR(find(7, 200, 0x2000, false), "new");
	CHECK_STR(find(7, 250, 0x1fff, true), "old");
	CHECK_STR(find(7, 0, 0x3000, true), "new");
	CHECK_STR(find(7, 250, 0x4000, true), NULL);
	CHECK_STR(find(8, 250, 0x1000, true), NULL);
	syc_process_maps_fini(&processes);
}

TEST(first_later_mapping_counts_before_any)
{
	map(7, 300, 0x1000, 0x2000, "second");
	map(7, 200, 0x1000, 0x2000, "first");
	settle();
	CHECK_STR(find(7, 100, 0x1000, false), "first");
	CHECK_STR(find(7, 999, 0x1000, false), "second");
	syc_process_maps_fini(&processes);
}

TEST(repeated_maps_change_nothing)
{
	for (int i = 0; i < 100; i++)
		map(7, i, 0x1000, 0x2000, "same");
	settle();
	CHECK_STR(find(7, 50, 0x1000, true), "same");
	syc_process_maps_fini(&processes);
}

static void unmap(int pid, int64_t time, const char *what)
{
	const struct syscap_frame frame = {
		.type = SYSCAP_FRAME_METADATA,
		.pid = pid,
		.time = time,
		.metadata = { .id = SYC_UNMAPPED_ID, .value = what },
	};

	CHECK_EQ(syc_process_maps_unmap(&processes, &frame), 0);
}

TEST(an_unmapped_library_names_nothing_later)
{
	map(7, 100, 0x1000, 0x3000, "alpha");
	unmap(7, 200, "1000-3000");
	map(7, 300, 0x1000, 0x2000, "bravo");
	settle();
	CHECK_STR(find(7, 50, 0x1000, false), "alpha");
	CHECK_STR(find(7, 200, 0x1000, false), "alpha");
	CHECK_STR(find(7, 201, 0x1000, false), "bravo");
	CHECK_STR(find(7, 400, 0x1000, false), "bravo");
	CHECK_STR(find(7, 201, 0x2000, false), NULL);
	syc_process_maps_fini(&processes);
}

TEST(late_map_of_a_recorder_counts_from_its_own_part)
{
	unmap(7, 100, "all");
	map(7, 101, 0x1000, 0x2000, "alpha");
	/* the recorder read this map after 200 */
	map(7, 150, 0x1000, 0x2000, "bravo");
	unmap(7, 200, "1000-2000");
	map(7, 201, 0x1000, 0x2000, "bravo");
	settle();
	CHECK_STR(find(7, 160, 0x1000, false), "alpha");
	CHECK_STR(find(7, 200, 0x1000, false), "alpha");
	CHECK_STR(find(7, 210, 0x1000, false), "bravo");
	syc_process_maps_fini(&processes);
}

TEST(recorder_s_map_after_an_early_end_does_not_count)
{
	unmap(7, 100, "all");
	add(7, 101, 0x1000, 0x2000, "alpha", true);
	unmap(7, 200, "1000-2000");
	/* this range was unmapped at 220 */
	map(7, 210, 0x1000, 0x2000, "alpha");
	add(7, 230, 0x1000, 0x2000, "bravo", true);
	unmap(7, 300, "1000-2000");
	settle();
	CHECK_STR(find(7, 200, 0x1000, false), "alpha");
	CHECK_STR(find(7, 240, 0x1000, false), "bravo");
	CHECK_STR(find(7, 300, 0x1000, false), "bravo");
	syc_process_maps_fini(&processes);
}

TEST(new_maps_replace_those_of_an_older_program)
{
	map(7, 100, 0x1000, 0x2000, "old");
	map(7, 100, 0x5000, 0x6000, "old");
	map(7, 100, 0x8000, 0x9000, "kept");
	unmap(7, 200, "all");
	map(7, 201, 0x1000, 0x2000, "new");
	map(7, 201, 0x8000, 0x9000, "kept");
	map(7, 300, 0x8000, 0x9000, "kept");
	settle();
	CHECK_STR(find(7, 150, 0x5000, false), "old");
	CHECK_STR(find(7, 250, 0x5000, false), NULL);
	CHECK_STR(find(7, 250, 0x1000, false), "new");
	CHECK_STR(find(7, 150, 0x8000, false), "kept");
	CHECK_STR(find(7, 350, 0x8000, false), "kept");
	syc_process_maps_fini(&processes);
}

TEST(reloaded_library_is_found_again)
{
	map(7, 100, 0x1000, 0x2000, "same");
	unmap(7, 200, "1000-2000");
	unmap(7, 250, "nonsense");
	map(7, 300, 0x1000, 0x2000, "same");
	settle();
	CHECK_STR(find(7, 150, 0x1000, false), "same");
	CHECK_STR(find(7, 250, 0x1000, false), "same");
	CHECK_STR(find(7, 350, 0x1000, false), "same");
	syc_process_maps_fini(&processes);
}

TEST(a_child_lacks_maps_that_it_unmapped)
{
	map(7, 100, 0x1000, 0x2000, "alpha");
	CHECK_EQ(syc_process_maps_fork(&processes, 7, 8, 150), 0);
	unmap(8, 200, "1000-2000");
	settle();
	CHECK_STR(find(8, 160, 0x1000, false), "alpha");
	CHECK_STR(find(8, 250, 0x1000, false), NULL);
	CHECK_STR(find(7, 250, 0x1000, true), "alpha");
	syc_process_maps_fini(&processes);
}

TEST(after_its_exit_a_pid_is_another_process)
{
	map(7, 100, 0x1000, 0x2000, "first");
	map(7, 100, 0x5000, 0x6000, "gone");
	syc_process_maps_exit(&processes, 7, 200);
	map(7, 300, 0x1000, 0x2000, "second");
	settle();
	CHECK_STR(find(7, 150, 0x1000, false), "first");
	CHECK_STR(find(7, 200, 0x1000, false), "first");
	CHECK_STR(find(7, 250, 0x1000, false), "second");
	CHECK_STR(find(7, 350, 0x5000, false), NULL);
	CHECK_STR(find(7, 150, 0x5000, false), "gone");
	syc_process_maps_fini(&processes);
}

TEST(late_frames_belong_to_the_exited_process)
{
	map(7, 100, 0x1000, 0x2000, "only");
	syc_process_maps_exit(&processes, 7, 200);
	settle();
	CHECK_STR(find(7, 250, 0x1000, true), "only");
	syc_process_maps_fini(&processes);
}

TEST(a_child_has_the_maps_of_its_parent_at_the_fork)
{
	map(7, 100, 0x1000, 0x2000, "early");
	map(7, 300, 0x1000, 0x2000, "late");
	syc_process_maps_fork(&processes, 7, 8, 200);
	map(8, 250, 0x8000, 0x9000, "own");
	settle();
	CHECK_STR(find(8, 400, 0x1000, false), "early");
	CHECK_STR(find(8, 400, 0x8000, true), "own");
	CHECK_STR(find(7, 400, 0x1000, false), "late");
	syc_process_maps_fini(&processes);
}

TEST(cyclic_forks_end)
{
	syc_process_maps_fork(&processes, 7, 8, 1);
	syc_process_maps_fork(&processes, 8, 7, 1);
	settle();
	CHECK_STR(find(7, 5, 0x1000, true), NULL);
	syc_process_maps_fini(&processes);
}

/* Makes mappings in turn.  Before the next mapping, a range that begins at or
 * before its start unmaps the last one. */
static void map_in_turn(unsigned n, const char *range)
{
	for (unsigned i = 0; i < n; i++) {
		map(7, i * 100, 0x2000, 0x3000, i % 2 == 0 ? "even" : "odd");
		unmap(7, i * 100 + 50, range);
	}
	settle();
	for (unsigned i = 0; i < n; i++) {
		CHECK_STR(find(7, i * 100 + 10, 0x2800, false),
		          i % 2 == 0 ? "even" : "odd");
		CHECK_STR(find(7, i * 100 + 60, 0x2800, false),
		          i + 1 == n   ? NULL
		          : i % 2 == 0 ? "odd"
		                       : "even");
	}
	syc_process_maps_fini(&processes);
}

TEST(any_number_of_libraries_may_take_turns_at_one_address)
{
	map_in_turn(20000, "2000-3000");
	map_in_turn(20000, "1000-4000");
}

TEST(repeated_loads_of_one_library_are_distinguished)
{
	map(7, 5, 0x2000, 0x3000, "first");
	unmap(7, 6, "1000-4000");
	for (unsigned i = 1; i < 20000; i++) {
		map(7, i * 100, 0x2000, 0x3000, "same");
		map(7, i * 100 + 10, 0x2000, 0x3000, "same");
		unmap(7, i * 100 + 50, "1000-4000");
	}
	settle();
	CHECK_STR(find(7, 5, 0x2000, false), "first");
	for (unsigned i = 1; i < 20000; i++)
		CHECK_STR(find(7, i * 100 + 20, 0x2000, false), "same");
	syc_process_maps_fini(&processes);
}
