/* SPDX-License-Identifier: BSD-2-Clause */
/* test_process_maps.c - what was mapped where, and when. */
#include "harness/test.h"
#include "symbols/process_maps.h"

static struct syc_process_maps processes;

static void map(int pid, int64_t time, uint64_t begin, uint64_t end,
                const char *path)
{
	const struct syc_process_map one = { .begin = begin,
		                             .end = end,
		                             .time = time,
		                             .path = path,
		                             .build_id = "" };

	CHECK_EQ(syc_process_maps_add(&processes, pid, &one), 0);
}

static void settle(void)
{
	CHECK_EQ(syc_process_maps_settle(&processes), 0);
}

/* The path, or NULL; and whether that is so at any time. */
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

TEST(before_any_the_first_later_one_counts)
{
	map(7, 300, 0x1000, 0x2000, "second");
	map(7, 200, 0x1000, 0x2000, "first");
	settle();
	CHECK_STR(find(7, 100, 0x1000, false), "first");
	CHECK_STR(find(7, 999, 0x1000, false), "second");
	syc_process_maps_fini(&processes);
}

TEST(what_is_told_again_changes_nothing)
{
	for (int i = 0; i < 100; i++)
		map(7, i, 0x1000, 0x2000, "same");
	settle();
	CHECK_STR(find(7, 50, 0x1000, true), "same");
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

TEST(frames_from_after_an_exit_are_of_who_exited_if_nobody_else_is_known)
{
	map(7, 100, 0x1000, 0x2000, "only");
	syc_process_maps_exit(&processes, 7, 200);
	settle();
	CHECK_STR(find(7, 250, 0x1000, true), "only");
	syc_process_maps_fini(&processes);
}

TEST(a_child_has_what_its_parent_had_when_it_forked)
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

TEST(processes_that_are_each_others_children_end)
{
	syc_process_maps_fork(&processes, 7, 8, 1);
	syc_process_maps_fork(&processes, 8, 7, 1);
	settle();
	CHECK_STR(find(7, 5, 0x1000, true), NULL);
	syc_process_maps_fini(&processes);
}
