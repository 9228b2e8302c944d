/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_frame_merge.c - native and runtime frames merged into one stack.
 *
 * A stack is a text of frames, innermost first: a letter (upper case for a
 * native frame) and an address.  E1 to E9 are the interpreter's loop.  In a
 * runtime's frame, ! means ENTRY and - INLINED.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "sampler/compose.h"

#define LOW  'E'
#define HIGH ('E' + 1)

static struct syc_merge merge;

static void begin(const char *native, unsigned gap)
{
	uint64_t addrs[SYC_STACK_MAX];
	uintptr_t sps[SYC_STACK_MAX];
	unsigned n = 0;

	for (char *at = (char *)(uintptr_t)native; *at != '\0'; n++) {
		at += *at == ' ';
		addrs[n] = (unsigned char)*at++;
		sps[n] = strtoul(at, &at, 10);
	}
	syc_merge_begin(&merge, addrs, sps, n, gap);
}

static struct syscap_stack_frame frames[SYC_STACK_MAX];

static struct syc_merge_run run_of(const char *text)
{
	struct syc_merge_run run = { frames, 0, 1, true };

	for (char *at = (char *)(uintptr_t)text; *at != '\0'; run.n++) {
		struct syscap_stack_frame *const f = &frames[run.n];

		at += *at == ' ';
		*f = (struct syscap_stack_frame){ .kind = SYSCAP_CALL_NAME };
		f->value = (unsigned char)*at++;
		f->sp = strtoul(at, &at, 10);
		if (*at == '!')
			f->flags = SYSCAP_CALL_ENTRY;
		if (*at == '-')
			f->flags = SYSCAP_CALL_INLINED;
		at += f->flags != 0;
	}
	return run;
}

static const char *letters(void)
{
	static char text[2 * SYC_STACK_MAX + 1];

	for (unsigned i = 0; i < merge.n; i++)
		text[i] = (char)merge.list[i].value;
	text[merge.n] = '\0';
	/* Later runs rely on the order of addresses */
	for (unsigned i = 1; i < merge.n; i++)
		CHECK(merge.list[i - 1].sp <= merge.list[i].sp);
	return text;
}

static const char *by_sp(const char *native, const char *run)
{
	const struct syc_merge_run frames_of = run_of(run);

	begin(native, 0);
	syc_merge_by_sp(&merge, &frames_of);
	return letters();
}

TEST(smaller_addresses_are_younger)
{
	CHECK_STR(by_sp("A10 B20 C30", "x15 y25 z35"), "AxByCz");
	CHECK_STR(by_sp("A10 B20 C30", "x5 y6 z25"), "xyABzC");
	CHECK_STR(by_sp("A10 B20 C30", "x40 y50"), "ABCxy");
	CHECK_STR(by_sp("A10 B20", ""), "AB");
	CHECK_STR(by_sp("", "x1 y2"), "xy");
}

TEST(native_frame_is_younger_at_equal_addresses)
{
	CHECK_STR(by_sp("A10 B20 C30", "x20 y20 z20"), "ABxyzC");
}

TEST(inlined_frames_stay_in_front_of_their_host)
{
	CHECK_STR(by_sp("A10 B20 C30", "i0- j99- h25 z35"), "ABijhCz");
	CHECK_STR(by_sp("A10 B20 C30", "i15- h25"), "ABihC");
}

TEST(order_of_a_runtime_is_kept)
{
	CHECK_STR(by_sp("A10 B20 C30", "x25 y15 z35"), "AxyBCz");
	CHECK_STR(by_sp("A10 B20 C30", "x0 y15"), "AxyBC");
}

TEST(handler_stack_stays_innermost_at_any_address)
{
	const struct syc_merge_run run = run_of("x15 y25");

	begin("H900 I950 A10 B20 C30", 0);
	syc_merge_by_sp(&merge, &run);
	CHECK_EQ(merge.n, 7);
	static const char expected[] = "HIAxByC";
	for (unsigned i = 0; i < 7; i++)
		CHECK_EQ(merge.list[i].value, expected[i]);
}

static const char *by_entry(const char *native, unsigned gap, const char *run,
                            bool is_whole)
{
	struct syc_merge_run frames_of = run_of(run);

	frames_of.is_whole = is_whole;
	begin(native, gap);
	syc_merge_by_entry(&merge, &frames_of, LOW, HIGH, 80);
	return letters();
}

TEST(each_run_replaces_one_run_of_the_loop)
{
	CHECK_STR(by_entry("A10 E20 B30 E40 C90", 0, "x y! z!", true),
	          "AxyBzC");
	CHECK_STR(by_entry("E20 E40", 0, "x! y!", true), "xy");
	CHECK_STR(by_entry("A10 E20 B30", 0, "", true), "AEB");
}

TEST(loop_without_a_run_stays_native)
{
	CHECK_STR(by_entry("A10 E20 B30 E40 C90", 0, "x y!", true), "AxyBEC");
}

TEST(cut_walk_replaces_one_more)
{
	CHECK_STR(by_entry("A10 E20 B30 E40 C90", 0, "x! y z", false),
	          "AxByzC");
}

TEST(runs_without_a_loop_precede_the_attacher)
{
	CHECK_STR(by_entry("A10 E20 B30 C90", 0, "x! y! z!", true), "AxByzC");
	CHECK_STR(by_entry("A10 B30 C90", 0, "x! y!", true), "ABxyC");
	/* Native frames inside the runtime's loop stay outside of these runs */
	CHECK_STR(by_entry("A10 B85 E90 C95", 0, "x! y!", true), "ABxyC");
}

TEST(loops_outside_of_a_gap_count_from_the_outermost)
{
	/* three of six loops are missing before D */
	CHECK_STR(by_entry("A10 E20 B30 D60 E70 E75 C90", 3,
	                   "1! 2! 3! 4! 5! 6!", true),
	          "A1B234D56C");
	/* If the walk was cut, too, the loops are unknown */
	CHECK_STR(by_entry("A10 E20 B30 D60 E70 C90", 3, "1! 2! 3!", false),
	          "A1B23DEC");
}

TEST(frames_without_addresses_precede_the_attacher)
{
	const struct syc_merge_run run = run_of("x y z");

	begin("A10 B20 C30 D40", 0);
	syc_merge_before(&merge, &run, 30);
	CHECK_STR(letters(), "ABxyzCD");
	begin("A10 B20", 0);
	syc_merge_before(&merge, &run, 30);
	CHECK_STR(letters(), "ABxyz");
	begin("A40", 0);
	syc_merge_before(&merge, &run, 30);
	CHECK_STR(letters(), "xyzA");
}

TEST(innermost_runtime_drops_native_frames_inside)
{
	struct syc_merge_run run = run_of("x y z");

	begin("A10 B20 C30 D40", 0);
	syc_merge_innermost(&merge, &run, 30);
	CHECK_STR(letters(), "xyzCD");
	/* Frames of an already merged runtime are not native */
	run = run_of("p q");
	run.from = 2;
	syc_merge_innermost(&merge, &run, 35);
	CHECK_STR(letters(), "xyzpqD");
	begin("A10 B20", 0);
	syc_merge_innermost(&merge, &run, 30);
	CHECK_STR(letters(), "pq");
	/* The gap still precedes the same frame */
	begin("A10 B20 C30 D40", 3);
	syc_merge_innermost(&merge, &run, 30);
	CHECK_STR(letters(), "pqCD");
	CHECK(merge.gap == 3);
	begin("A10 B20 C30 D40", 1);
	syc_merge_innermost(&merge, &run, 30);
	CHECK(merge.gap == 0);
}

TEST(older_runtimes_are_outside_of_newer_ones)
{
	struct syc_merge_run run = run_of("x y");

	begin("A10 B20 C30 D40", 0);
	syc_merge_before(&merge, &run, 30);
	run = run_of("p q");
	run.from = 2;
	syc_merge_before(&merge, &run, 30);
	CHECK_STR(letters(), "ABxypqCD");
	run = run_of("m15 n35");
	syc_merge_by_sp(&merge, &run);
	CHECK_STR(letters(), "AmBxypqCnD");
	syc_merge_drop_native(&merge);
	CHECK_STR(letters(), "mxypqn");
}

TEST(cut_keeps_the_innermost_and_sixteen_outermost)
{
	begin("A1 B2 C3 D4 E5 F6 G7 H8 I9 J10 K11 L12 M13 N14 O15 P16 Q17 R18 "
	      "S19 T20 U21 V22 W23 X24 Y25 Z26",
	      0);
	CHECK(!syc_merge_cut(&merge, 26));
	CHECK(syc_merge_cut(&merge, 20));
	CHECK_STR(letters(), "ABCDKLMNOPQRSTUVWXYZ");
}

/* The maximum number of native and of runtime frames. */
TEST(two_full_stacks_fit)
{
	struct syc_merge_run run = { frames, SYC_STACK_MAX, 1, true };
	uint64_t addrs[SYC_STACK_MAX];
	uintptr_t sps[SYC_STACK_MAX];

	for (unsigned i = 0; i < SYC_STACK_MAX; i++) {
		addrs[i] = LOW;
		sps[i] = 2 * i + 1;
		frames[i] = (struct syscap_stack_frame){ .value = i,
			                                 .sp = 2 * i + 2 };
	}
	syc_merge_begin(&merge, addrs, sps, SYC_STACK_MAX, 0);
	syc_merge_by_sp(&merge, &run);
	CHECK_EQ(merge.n, 2 * SYC_STACK_MAX);
	for (unsigned i = 0; i < merge.n; i++)
		CHECK_EQ(merge.list[i].sp, i + 1);
	for (unsigned i = 0; i < SYC_STACK_MAX; i++)
		frames[i].flags = i % 2 != 0 ? SYSCAP_CALL_ENTRY : 0;
	syc_merge_begin(&merge, addrs, sps, SYC_STACK_MAX, 100);
	syc_merge_by_entry(&merge, &run, LOW, HIGH, 5000);
	CHECK_EQ(merge.n, 2 * SYC_STACK_MAX - SYC_STACK_MAX / 2);
}
