/* SPDX-License-Identifier: BSD-2-Clause */
/* test_profile.c - the one model of a capture: lives, stacks, lanes, views. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "base/frame.h"
#include "harness/make_capture.h"
#include "harness/test.h"
#include "profile/model.h"
#include "profile/naming.h"

#define N(items)  (sizeof(items) / sizeof((items)[0]))
#define JIT(n)    (UINT64_C(0xE000000000000000) + (n))
#define CODE(...) ((const uint64_t[]){ __VA_ARGS__ })

static const struct syscap_profile_options no_lookup = { .no_lookup = true };

static struct syscap_reader *open_capture(const struct make_capture *capture,
                                          size_t size)
{
	struct syscap_reader *reader;
	struct syscap_error error;

	if (syscap_reader_open_memory(capture->data, size, &reader, &error))
		test_fail(__FILE__, __LINE__, "%s", error.message);
	return reader;
}

static void read_on(struct syscap_profile *profile,
                    const struct make_capture *capture, size_t size)
{
	struct syscap_reader *reader = open_capture(capture, size);
	struct syscap_error error;

	CHECK_EQ(syscap_profile_read(profile, reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	syscap_reader_close(reader);
}

static struct syscap_profile *read_all(const struct make_capture *capture)
{
	struct syscap_profile *profile;

	CHECK_EQ(syscap_profile_new(&no_lookup, &profile), 0);
	read_on(profile, capture, capture->size);
	return profile;
}

static struct syscap_view *look(const struct syscap_profile *profile,
                                const struct syscap_filter *filter)
{
	struct syscap_error error;
	struct syscap_view *view;

	if (syscap_view_new(profile, filter, &view, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	return view;
}

/* Self and total of a function by name; 0 without such a function. */
static struct syscap_view_sum sum_of(const struct syscap_profile *profile,
                                     const struct syscap_view *view,
                                     const char *name)
{
	const struct syscap_view_sum none = { 0 };

	for (size_t i = 0; i < view->n_sums; i++)
		if (strcmp(syscap_profile_function(profile,
		                                   view->sums[i].function)
		                   ->name,
		           name) == 0)
			return view->sums[i];
	return none;
}

/* "a;b;c" of @node. */
static const char *folded(const struct syscap_profile *profile,
                          const struct syscap_view *view, uint32_t node)
{
	static char text[1000];
	char old[1000];

	text[0] = 0;
	for (; node != 0; node = view->parents[node]) {
		strcpy(old, text);
		snprintf(text, sizeof(text), "%s%s%s",
		         syscap_profile_function(profile, view->functions[node])
		                 ->name,
		         old[0] ? ";" : "", old);
	}
	return text;
}

/* Checks the only stack with a value. */
static void check_one(const struct make_capture *capture,
                      const struct syscap_filter *filter, const char *expected)
{
	struct syscap_profile *profile = read_all(capture);
	struct syscap_view *view = look(profile, filter);
	unsigned n = 0;

	for (size_t i = 1; i < view->n_nodes; i++) {
		CHECK(view->parents[i] < i);
		if (view->selfs[i] == 0)
			continue;
		CHECK_STR(folded(profile, view, (uint32_t)i), expected);
		n++;
	}
	CHECK_EQ(n, expected[0] ? 1 : 0);
	syscap_view_free(view);
	syscap_profile_free(profile);
}

static void begin(struct make_capture *capture)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1000, "/usr/bin/demo --fast");
	make_jitmap(capture, 1000, JIT(1), names, N(names));
}

static void set_flags(struct make_capture *capture, unsigned flags)
{
	make_patch_u16(capture, 26, flags);
}

static void set_ticks(struct make_capture *capture, unsigned ticks)
{
	make_patch_u16(capture, 20, ticks);
	make_patch_u16(capture, 22, 0x5D00);
}

/* Sets padding2 of a stack that no timer requested. */
static void set_wait(struct make_capture *capture, uint32_t word)
{
	make_patch_u16(capture, 20, word & 0xFFFF);
	make_patch_u16(capture, 22, word >> 16);
}

/* The second thread's message and the third thread's stack are lost. */
TEST(stacks_of_crashes_are_no_samples)
{
	const struct syscap_profile_crash *crashes;
	struct syscap_profile_samples samples;
	struct make_capture capture;
	struct syscap_profile *profile;
	uint32_t functions[2];
	char text[160];
	size_t n;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1)), 1);
	make_log(&capture, 7, 1200, 4, "syscap.crash",
	         "SIGBUS at address 0x1f: no such byte");
	make_patch_u16(&capture, 20, 7);
	make_patch_u16(&capture, 22, SYSCAP_TID_TAG >> 16);
	make_stack(&capture, 2, 7, 8, 1250, false, CODE(JIT(1)), 1);
	set_wait(&capture, SYSCAP_CRASHED_TAG);
	make_stack(&capture, 2, 7, 7, 1300, false, CODE(JIT(2)), 1);
	set_wait(&capture, SYSCAP_CRASHED_TAG);
	make_log(&capture, 7, 1400, 4, "syscap.crash", "SIGABRT, sent");
	profile = read_all(&capture);

	syscap_profile_samples(profile, &samples);
	CHECK_EQ(samples.n, 1);
	crashes = syscap_profile_crashes(profile, &n);
	CHECK_EQ(n, 3);
	CHECK_EQ(crashes[0].time, 1200);
	CHECK_STR(crashes[0].message, "SIGBUS at address 0x1f: no such byte");
	CHECK_EQ(syscap_profile_stack_functions(profile, crashes[0].stack,
	                                        functions, 2),
	         1);
	CHECK(crashes[0].stack != crashes[1].stack);
	CHECK_STR(crashes[1].message, "");
	CHECK_EQ(crashes[2].stack, SYSCAP_PROFILE_NONE);
	CHECK_EQ(syscap_profile_stack_functions(profile, crashes[2].stack,
	                                        functions, 2),
	         0);
	syscap_profile_describe_crash(profile, text, sizeof(text));
	CHECK_STR(text,
	          "process 7 crashed by SIGBUS at address 0x1f after 200 ns "
	          "of the recording");
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(stacks_of_waits_are_no_samples)
{
	const struct syscap_profile_wait *waits;
	struct syscap_profile_samples samples;
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;
	size_t n;

	begin(&capture);
	make_metadata(&capture, 1000, "syscap.sample", "500,auto");
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1)), 1);
	make_stack(&capture, 2, 7, 7, 1200, false, CODE(JIT(2)), 1);
	set_wait(&capture, SYSCAP_BLOCKED_TAG | 700);
	make_stack(&capture, 2, 7, 8, 1300, false, CODE(JIT(2)), 1);
	set_wait(&capture, SYSCAP_BLOCKED_TAG | 15u << 20 | 0xFFFFF);
	make_stack(&capture, 2, 7, 7, 1400, false, CODE(JIT(3)), 1);
	set_wait(&capture, SYSCAP_STALLED_TAG | 1u << 20 | 25);
	profile = read_all(&capture);

	syscap_profile_samples(profile, &samples);
	CHECK_EQ(samples.n, 1);
	waits = syscap_profile_waits(profile, &n);
	CHECK_EQ(n, 3);
	CHECK_EQ(waits[1].duration, INT64_C(0xFFFFF) * 32768 * 1000);
	CHECK(!waits[1].is_stall);
	CHECK(waits[2].is_stall);

	view = look(profile, NULL);
	CHECK_EQ(view->unit, SYSCAP_UNIT_CPU_NS);
	CHECK_EQ(view->total, 2000000);
	syscap_view_free(view);
	view = look(profile, &(struct syscap_filter){ .of = SYSCAP_VIEW_BLOCKED,
	                                              .thread = "7" });
	CHECK_EQ(view->unit, SYSCAP_UNIT_WALL_NS);
	CHECK_EQ(view->n_looked, 2);
	CHECK_EQ(view->n_passed, 1);
	CHECK_EQ(view->total, 700000);
	CHECK_EQ(sum_of(profile, view, "b").self, 700000);
	syscap_view_free(view);
	view = look(profile,
	            &(struct syscap_filter){ .of = SYSCAP_VIEW_STALLED });
	CHECK_EQ(view->total, 50000);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(explanations_of_the_sampler_are_notes_that_match)
{
	static const char *const names[] = { "no tick came", "signals blocked",
		                             "no tick came here" };
	const struct syscap_profile_function *functions;
	unsigned n_notes = 0, n_code = 0;
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;
	size_t n;

	begin(&capture);
	make_jitmap(&capture, 1000, JIT(11), names, N(names));
	for (unsigned i = 0; i < N(names); i++)
		make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(11 + i)),
		           1);
	profile = read_all(&capture);
	functions = syscap_profile_functions(profile, &n);
	for (size_t i = SYSCAP_FUNCTION_HIDDEN + 1; i < n; i++) {
		n_notes += functions[i].category == SYSCAP_CATEGORY_NOTE;
		n_code += functions[i].category == SYSCAP_CATEGORY_JIT;
	}
	CHECK_EQ(n_notes, 2);
	CHECK_EQ(n_code, 1);
	view = look(profile, &(struct syscap_filter){ .function = "^no tick" });
	CHECK_EQ(view->n_passed, 2);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

/*
 * The stack of a blocking call states µs, and its mark states ns.  A mark of
 * another time or duration does not belong to the stack.
 */
TEST(calls_that_blocked_have_the_durations_of_their_marks)
{
	static const struct {
		int64_t begin;
		uint32_t word;
		int64_t mark_begin, mark_duration, duration;
	} rows[] = {
		{ 1200, 700, 1200, 700999, 700999 },
		{ 901200, 1, 901200, 7, 7 }, /* less than 1 µs */
		{ 1801200, 700, 1801200, 701000, 700000 },
		{ 2801200, 700, 2801201, 700999, 700000 },
		{ 3801200, 15u << 20 | 0xFFFFF, 3801200, 34359738367999,
		  34359738367999 },
	};
	const struct syscap_profile_wait *waits;
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;
	int64_t sum = 0;
	size_t n;

	begin(&capture);
	make_metadata(&capture, 1000, "syscap.sample", "500,auto");
	for (size_t i = 0; i < N(rows); i++) {
		make_stack(&capture, 2, 7, 7, rows[i].begin, false,
		           CODE(JIT(2)), 1);
		set_wait(&capture, SYSCAP_BLOCKED_TAG | rows[i].word);
		/* Another thread's events may be between the two frames. */
		make_stack(&capture, 2, 7, 8, rows[i].begin, false,
		           CODE(JIT(1)), 1);
		make_mark(&capture, 7, 7, rows[i].mark_begin,
		          rows[i].mark_duration, "io-main", "fsync", "");
	}
	profile = read_all(&capture);
	waits = syscap_profile_waits(profile, &n);
	CHECK_EQ(n, N(rows));
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(waits[i].duration, rows[i].duration);
		sum += rows[i].duration;
	}
	view = look(profile,
	            &(struct syscap_filter){ .of = SYSCAP_VIEW_BLOCKED });
	CHECK_EQ(view->total, (uint64_t)sum);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(a_pid_that_comes_again_is_another_process)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	struct make_capture capture;
	struct syscap_profile *profile;
	size_t n;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1)), 1);
	make_exit(&capture, 7, 1200);
	make_process(&capture, 7, 1300, "other");
	make_stack(&capture, 2, 7, 7, 1400, false, CODE(JIT(2)), 1);
	/* This sample comes late in the file, but belongs to the first
	 * process. */
	make_stack(&capture, 2, 7, 7, 1150, false, CODE(JIT(1)), 1);

	profile = read_all(&capture);
	processes = syscap_profile_processes(profile, &n);
	CHECK_EQ(n, 2);
	CHECK_STR(processes[0].command, "/usr/bin/demo --fast");
	CHECK_STR(processes[0].binary, "demo");
	CHECK(processes[0].has_ended);
	CHECK_EQ(processes[0].end, 1200);
	CHECK_STR(processes[1].command, "other");
	threads = syscap_profile_threads(profile, &n);
	CHECK_EQ(n, 2);
	CHECK_EQ(threads[0].n_samples, 2);
	CHECK_EQ(threads[1].n_samples, 1);
	CHECK_EQ(threads[1].process, 1);
	CHECK_EQ(syscap_profile_find_thread(profile, 7, 7, 1150), 0);
	CHECK_EQ(syscap_profile_find_thread(profile, 7, 7, 1400), 1);
	CHECK_EQ(syscap_profile_find_process(profile, 8, 1400),
	         SYSCAP_PROFILE_NONE);
	syscap_profile_free(profile);
	make_free(&capture);
}

static void name_thread(struct make_capture *capture, int64_t time,
                        const char *name)
{
	make_frame(capture, 11, 0, 7, time, syc_frame_tid_tag(7));
	make_field(capture, "syscap.thread", 40);
	make_text(capture, name);
	make_end(capture);
}

/* The samples before an exec do not get the name of a later program. */
TEST(name_of_a_thread_is_of_the_program_with_most_samples)
{
	const struct syscap_profile_thread *threads;
	struct make_capture capture;
	struct syscap_profile *profile;
	size_t n;

	begin(&capture);
	name_thread(&capture, 1050, "first");
	name_thread(&capture, 1060, "renamed");
	for (int i = 0; i < 3; i++)
		make_stack(&capture, 2, 7, 7, 1100 + i, false, CODE(JIT(1)), 1);
	make_process(&capture, 7, 1200, "env program");
	name_thread(&capture, 1210, "env");
	make_process(&capture, 7, 1300, "program");
	make_stack(&capture, 2, 7, 7, 1400, false, CODE(JIT(1)), 1);
	name_thread(&capture, 1410, "program");
	profile = read_all(&capture);
	threads = syscap_profile_threads(profile, &n);
	CHECK_EQ(n, 1);
	CHECK_STR(threads[0].name, "renamed");
	syscap_profile_free(profile);

	for (int i = 0; i < 3; i++)
		make_stack(&capture, 2, 7, 7, 1500 + i, false, CODE(JIT(1)), 1);
	profile = read_all(&capture);
	threads = syscap_profile_threads(profile, &n);
	CHECK_STR(threads[0].name, "program");
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(a_function_that_calls_itself_took_its_time_once)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false,
	           CODE(JIT(1), JIT(2), JIT(1), JIT(2)), 4);
	set_ticks(&capture, 3);
	make_stack(&capture, 2, 7, 7, 1200, false, CODE(JIT(2)), 1);

	profile = read_all(&capture);
	view = look(profile, NULL);
	CHECK_EQ(view->unit, SYSCAP_UNIT_TICKS);
	CHECK_EQ(view->total, 4);
	CHECK_EQ(view->n_passed, 2);
	CHECK_EQ(sum_of(profile, view, "a").self, 3);
	CHECK_EQ(sum_of(profile, view, "a").total, 3);
	CHECK_EQ(sum_of(profile, view, "b").self, 1);
	CHECK_EQ(sum_of(profile, view, "b").total, 4);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(without_samples_the_unit_is_the_requested_one)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;

	begin(&capture);
	make_metadata(&capture, 1000, "syscap.sample", "500,wall");
	profile = read_all(&capture);
	view = look(profile, NULL);
	CHECK_EQ(view->unit, SYSCAP_UNIT_WALL_NS);
	CHECK_EQ(view->total, 0);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(ticks_are_time_where_the_period_is_known)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;

	begin(&capture);
	make_metadata(&capture, 1000, "syscap.sample", "500,auto");
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1)), 1);
	set_ticks(&capture, 3);
	profile = read_all(&capture);
	view = look(profile, NULL);
	CHECK_EQ(view->unit, SYSCAP_UNIT_CPU_NS);
	CHECK_EQ(view->total, 6000000);
	CHECK_EQ(view->ticks, 3);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(incomplete_stacks_are_below_a_marker)
{
	static const struct {
		unsigned flags, n;
		const char *expected;
	} rows[] = {
		{ 0, 2, "b;a" },
		{ SYSCAP_STACK_CUT, 2, "[stack cut];b;a" },
		{ SYSCAP_STACK_STOPPED, 2, "[stack incomplete];b;a" },
		{ SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED, 2,
		  "[stack cut];b;a" },
		{ 0x100 | SYSCAP_STACK_CUT, 2, "b;a" }, /* another's litter */
		{ 0, 0, "[no stack]" },
	};
	const struct syscap_filter all = { 0 };

	for (unsigned i = 0; i < N(rows); i++) {
		struct make_capture capture;

		begin(&capture);
		make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1), JIT(2)),
		           rows[i].n);
		set_flags(&capture, rows[i].flags);
		check_one(&capture, &all, rows[i].expected);
		make_free(&capture);
	}
}

TEST(transforms_match_their_names)
{
	static const struct {
		struct syscap_filter filter;
		const char *expected;
	} rows[] = {
		{ { .focus = "^b$" },
		  "b;b;libc.so.6+0x2010;libc.so.6+0x2020;c" },
		{ { .focus = "nothing" }, "" },
		{ { .drop = "^c$" }, "" },
		{ { .drop = "^d$" },
		  "a;b;b;libc.so.6+0x2010;libc.so.6+0x2020;c" },
		{ { .function = "^d$" }, "" },
		{ { .collapse_recursion = true },
		  "a;b;libc.so.6+0x2010;libc.so.6+0x2020;c" },
		{ { .collapse_library = "libc*" }, "a;b;b;[libc.so.6];c" },
		{ { .hide_system = true }, "a;b;b;c" },
		{ { .hide_system = true, .reverse = true }, "c;b;b;a" },
		{ { .has_from = true, .from = 1101 }, "" },
		{ { .has_to = true, .to = 1100 }, "" },
		{ { .has_from = true,
		    .from = 1100,
		    .has_to = true,
		    .to = 1101,
		    .pid = 7,
		    .thread = "7",
		    .function = "^c$" },
		  "a;b;b;libc.so.6+0x2010;libc.so.6+0x2020;c" },
		{ { .pid = 8 }, "" },
		{ { .thread = "8" }, "" },
	};
	struct make_capture capture;

	begin(&capture);
	make_map(&capture, 7, 1000, 0x1000, 0x2000, "/usr/lib/libc.so.6", NULL);
	make_stack(&capture, 2, 7, 7, 1100, false,
	           CODE(JIT(3), 0x1020, 0x1010, JIT(2), JIT(2), JIT(1)), 6);
	for (unsigned i = 0; i < N(rows); i++)
		check_one(&capture, &rows[i].filter, rows[i].expected);
	make_free(&capture);
}

TEST(fully_hidden_stacks_still_count)
{
	const struct syscap_filter filter = { .hide_system = true };
	struct make_capture capture;

	begin(&capture);
	make_map(&capture, 7, 1000, 0x1000, 0x2000, "/usr/lib/libc.so.6", NULL);
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(0x1020, 0x1010), 2);
	check_one(&capture, &filter, "[system]");
	make_free(&capture);
}

/* Innermost first: the program, a library of syscap, the C library, [vdso]. */
#define APP  0x1010
#define OWN  0x3010
#define LIBC 0x5010
#define VDSO 0x7010

static void make_own(struct make_capture *capture, const uint64_t *addrs,
                     unsigned n)
{
	begin(capture);
	make_map(capture, 7, 1000, 0x1000, 0x2000, "/opt/syscap/app", NULL);
	make_map(capture, 7, 1000, 0x3000, 0x4000,
	         "/opt/lib/libsyscap-memory.so", NULL);
	make_map(capture, 7, 1000, 0x5000, 0x6000, "/usr/lib/libc.so", NULL);
	make_map(capture, 7, 1000, 0x7000, 0x8000, "[vdso]", NULL);
	make_stack(capture, 2, 7, 7, 1100, false, addrs, n);
}

TEST(stacks_that_end_in_code_of_syscap_are_left_out)
{
#define APP_NAME "app+0x2010"
#define OWN_NAME "libsyscap-memory.so+0x2010"
	static const struct {
		uint64_t addrs[4]; /* innermost first */
		unsigned n;
		const char *expected, *with; /* NULL: as expected */
	} rows[] = {
		{ { APP }, 1, APP_NAME, NULL },
		{ { OWN, APP }, 2, "", APP_NAME ";" OWN_NAME },
		{ { OWN }, 1, "", OWN_NAME },
		/* A wrapper, or the beginning of a thread */
		{ { LIBC, OWN, APP }, 3, APP_NAME ";libc.so+0x2010", NULL },
		{ { APP, OWN }, 2, APP_NAME, NULL },
		{ { OWN, APP, OWN, LIBC },
		  4,
		  "",
		  "libc.so+0x2010;" APP_NAME ";" OWN_NAME },
		{ { VDSO, OWN, APP },
		  3,
		  "",
		  APP_NAME ";" OWN_NAME ";[vdso]+0x2010" },
		{ { VDSO, APP }, 2, APP_NAME ";[vdso]+0x2010", NULL },
	};
	const struct syscap_filter filter = { 0 };
	const struct syscap_filter with = { .with_recording = true };

	for (unsigned i = 0; i < N(rows); i++) {
		struct make_capture capture;

		make_own(&capture, rows[i].addrs, rows[i].n);
		check_one(&capture, &filter, rows[i].expected);
		check_one(&capture, &with,
		          rows[i].with ? rows[i].with : rows[i].expected);
		make_free(&capture);
	}
}

TEST(filters_do_not_match_wrappers_of_syscap)
{
	static const struct {
		struct syscap_filter filter;
		const char *expected;
	} rows[] = {
		{ { .function = "memory" }, "" },
		{ { .drop = "memory" }, "app+0x2010;libc.so+0x2010" },
		{ { .focus = "libc" }, "libc.so+0x2010" },
		{ { .collapse_library = "libsyscap*" },
		  "app+0x2010;libc.so+0x2010" },
	};
	struct make_capture capture;

	make_own(&capture, (const uint64_t[]){ LIBC, OWN, APP }, 3);
	for (unsigned i = 0; i < N(rows); i++)
		check_one(&capture, &rows[i].filter, rows[i].expected);
	make_free(&capture);
}

static void check_recording(const struct syscap_profile *profile,
                            const struct syscap_filter *filter,
                            const uint64_t expected[5], const char *text)
{
	struct syscap_view *view = look(profile, filter);
	char described[100];

	CHECK_EQ(view->total, expected[0]);
	CHECK_EQ(view->recording, expected[1]);
	CHECK_EQ(view->whole, expected[2]);
	CHECK_EQ(view->n_passed, expected[3]);
	CHECK_EQ(view->n_looked, expected[4]);
	syscap_view_describe_recording(view, described, sizeof(described));
	CHECK_STR(described, text);
	syscap_view_free(view);
}

TEST(share_of_syscap_is_stated)
{
	const struct syscap_filter all = { 0 };
	const struct syscap_filter with = { .with_recording = true };
	const struct syscap_filter late = { .has_from = true, .from = 1200 };
	struct syscap_profile *profile;
	struct make_capture capture;

	make_own(&capture, (const uint64_t[]){ OWN, APP }, 2);
	set_ticks(&capture, 2);
	make_stack(&capture, 2, 7, 7, 1150, false, CODE(LIBC, OWN, APP), 3);
	set_ticks(&capture, 3);
	make_stack(&capture, 2, 7, 7, 1300, false, CODE(APP), 1);
	profile = read_all(&capture);
	check_recording(profile, &all, (const uint64_t[]){ 4, 2, 6, 2, 2 },
	                "33.3 % of the ticks was syscap itself");
	check_recording(profile, &with, (const uint64_t[]){ 6, 2, 6, 3, 3 },
	                "33.3 % of the ticks was syscap itself");
	check_recording(profile, &late, (const uint64_t[]){ 1, 0, 1, 1, 2 },
	                "");
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(code_of_syscap_is_recognised_by_library_and_prefix)
{
	static const struct {
		const char *name, *binary;
		bool expected;
	} rows[] = {
		{ "malloc", "libsyscap-memory.so", true },
		{ "syscap_mark", "libsyscap.so.0", true },
		{ "syc_emit", "app", true },
		{ "syscap_mark", "app", true },
		{ "syc_stat_text", "syscap", false },
		{ "main", "syscap-demo", false },
		{ "malloc", "libsysc.so", false },
		{ "my_syc_emit", "app", false },
	};

	for (unsigned i = 0; i < N(rows); i++)
		CHECK_EQ(syc_functions_is_recording(rows[i].name,
		                                    rows[i].binary),
		         rows[i].expected);
}

TEST(profile_read_once_gives_the_same_results)
{
	const struct syscap_profile_options once = { .no_lookup = true,
		                                     .is_once = true };
	struct syscap_profile *one, *other;
	struct make_capture capture;
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_view *a, *b;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1), JIT(2)), 2);
	make_stack(&capture, 2, 7, 7, 1200, false, CODE(JIT(2)), 1);
	other = read_all(&capture);
	CHECK_EQ(syscap_profile_new(&once, &one), 0);
	read_on(one, &capture, capture.size);
	a = look(one, NULL);
	b = look(other, NULL);
	CHECK_EQ(a->total, b->total);
	CHECK_EQ(a->n_nodes, b->n_nodes);
	CHECK_EQ(a->n_sums, b->n_sums);
	CHECK_EQ(syscap_profile_settle(one), 0);
	make_stack(&capture, 2, 7, 7, 1300, false, CODE(JIT(2)), 1);
	reader = open_capture(&capture, capture.size);
	CHECK_EQ(syscap_profile_read(one, reader, &error), -EINVAL);
	syscap_reader_close(reader);
	syscap_view_free(a);
	syscap_view_free(b);
	syscap_profile_free(one);
	syscap_profile_free(other);
	make_free(&capture);
}

TEST(invalid_regular_expression_is_refused)
{
	const struct syscap_filter filter = { .focus = "(" };
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_error error;
	struct syscap_view *view;

	begin(&capture);
	profile = read_all(&capture);
	CHECK_EQ(syscap_view_new(profile, &filter, &view, &error), -EINVAL);
	CHECK(strstr(error.message, "'('") != NULL);

	char *const deep = calloc(1, 100001);
	const struct syscap_filter by_deep = { .function = deep };
	memset(deep, '(', 100000);
	CHECK_EQ(syscap_view_new(profile, &by_deep, &view, &error), -EINVAL);
	CHECK(strstr(error.message, "longer than 4096") != NULL);
	free(deep);
	syscap_profile_free(profile);
	make_free(&capture);
}

/* Make a capture of @n samples with random stacks, and names at its end. */
static void make_random(struct make_capture *capture, unsigned n)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	srandom((unsigned)test_seed());
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1000, "demo");
	for (unsigned i = 0; i < n; i++) {
		uint64_t addrs[12];
		const unsigned depth =
			1 + (unsigned)(unsigned long)random() % 12;

		for (unsigned k = 0; k < depth; k++)
			addrs[k] = JIT(1 + (unsigned long)random() % 4);
		make_stack(capture, 2, 7, 7 + (int32_t)(i % 3), 1100 + i, false,
		           addrs, depth);
		if (i % 5 == 0)
			make_mark(capture, 7, 7 + (int32_t)(i % 3), 1100 + i,
			          (int64_t)((unsigned long)random() % 40),
			          "group", "name", "");
	}
	make_jitmap(capture, 1000, JIT(1), names, N(names));
}

static void check_same(const struct syscap_view *a, const struct syscap_view *b)
{
	CHECK_EQ(a->total, b->total);
	CHECK_EQ(a->n_nodes, b->n_nodes);
	CHECK_EQ(a->n_sums, b->n_sums);
	for (size_t i = 0; i < a->n_sums && i < b->n_sums; i++) {
		CHECK_EQ(a->sums[i].self, b->sums[i].self);
		CHECK_EQ(a->sums[i].total, b->sums[i].total);
	}
}

TEST(incremental_reading_equals_reading_at_once)
{
	struct syscap_profile *grown, *whole;
	struct syscap_view *a, *b;
	struct make_capture capture;
	size_t middle;

	make_random(&capture, 300);
	whole = read_all(&capture);
	a = look(whole, NULL);

	/* The file ends within a frame: frames begin at multiples of 8. */
	CHECK_EQ(syscap_profile_new(&no_lookup, &grown), 0);
	for (middle = 256; middle < capture.size; middle += 1024) {
		struct syscap_reader *reader = open_capture(&capture, middle);
		struct syscap_error error;
		const int r = syscap_profile_read(grown, reader, &error);

		CHECK(r == 0 || r == -EBADMSG);
		CHECK_EQ(syscap_profile_settle(grown), 0);
		b = look(grown, NULL);
		CHECK(b->total <= a->total);
		syscap_view_free(b);
		syscap_reader_close(reader);
	}
	read_on(grown, &capture, capture.size);
	b = look(grown, NULL);
	check_same(a, b);
	CHECK(sum_of(grown, b, "a").total > 0);
	syscap_view_free(a);
	syscap_view_free(b);
	syscap_profile_free(whole);
	syscap_profile_free(grown);
	make_free(&capture);
}

TEST(marks_of_a_lane_never_cross)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	unsigned lanes = 0;

	make_random(&capture, 1500);
	profile = read_all(&capture);
	CHECK_EQ(syscap_profile_n_marks(profile), 300);
	for (size_t i = 0; i < 300; i++) {
		const struct syscap_profile_mark a =
			syscap_profile_mark(profile, i);
		const int64_t end = a.time + a.duration;

		lanes += a.lane > 0;
		for (size_t k = 0; k < 300; k++) {
			const struct syscap_profile_mark b =
				syscap_profile_mark(profile, k);

			if (a.thread == b.thread && a.lane == b.lane)
				CHECK(!(a.time < b.time && b.time < end &&
				        end < b.time + b.duration));
		}
	}
	CHECK(lanes > 0);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(samples_inside_marks_are_of_the_same_thread)
{
	struct make_capture capture;
	struct syscap_filter filter = { .mark_group = "group" };
	struct syscap_profile *profile;
	struct syscap_view *view;

	begin(&capture);
	make_mark(&capture, 7, 7, 1100, 100, "group", "long", "");
	make_mark(&capture, 7, 8, 1300, 50, "group", "short", "");
	make_mark(&capture, 7, 0, 1500, 10, "group", "threadless", "");
	make_stack(&capture, 2, 7, 7, 1100, false, CODE(JIT(1)), 1);
	make_stack(&capture, 2, 7, 7, 1199, false, CODE(JIT(1)), 1);
	make_stack(&capture, 2, 7, 7, 1200, false, CODE(JIT(2)), 1);
	make_stack(&capture, 2, 7, 8, 1150, false, CODE(JIT(2)), 1);
	make_stack(&capture, 2, 7, 8, 1310, false, CODE(JIT(3)), 1);
	make_stack(&capture, 2, 7, 9, 1505, false, CODE(JIT(4)), 1);
	profile = read_all(&capture);

	view = look(profile, &filter);
	CHECK_EQ(view->n_passed, 4);
	CHECK_EQ(view->n_marks, 3);
	CHECK_EQ(view->n_threadless_marks, 1);
	CHECK_EQ(sum_of(profile, view, "a").self, 2);
	CHECK_EQ(sum_of(profile, view, "b").self, 0);
	syscap_view_free(view);

	filter.slowest = 1;
	view = look(profile, &filter);
	CHECK_EQ(view->n_passed, 2);
	syscap_view_free(view);

	filter.slowest = 0;
	filter.slowest_percent = 50; /* two of three */
	view = look(profile, &filter);
	CHECK_EQ(view->n_passed, 3);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(stacks_as_deep_as_a_frame_can_hold_are_one_stack)
{
	static uint64_t addrs[8000];
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;

	for (unsigned i = 0; i < N(addrs); i++)
		addrs[i] = 0x1000 + i;
	begin(&capture);
	for (unsigned i = 0; i < 20; i++)
		make_stack(&capture, 2, 7, 7, 1100, false, addrs, N(addrs));
	profile = read_all(&capture);
	view = look(profile, &(struct syscap_filter){ .reverse = true });
	CHECK_EQ(view->n_nodes, N(addrs) + 1);
	CHECK_EQ(view->total, 20);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(a_free_ends_the_latest_allocation_at_its_address)
{
	const struct syscap_profile_allocation *rows;
	struct syscap_profile_heap heap;
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;
	size_t n;

	begin(&capture);
	make_allocation(&capture, 7, 7, 1100, 0xA0, 100, CODE(JIT(1)), 1);
	make_allocation(&capture, 7, 7, 1200, 0xB0, 50, CODE(JIT(2)), 1);
	make_allocation(&capture, 7, 7, 1300, 0xB0, 0, NULL, 0);
	make_allocation(&capture, 7, 8, 1400, 0xA0, 0, NULL, 0);
	/* The free of the earlier block was lost. */
	make_allocation(&capture, 7, 7, 1500, 0xC0, 10, CODE(JIT(3)), 1);
	make_allocation(&capture, 7, 7, 1600, 0xC0, 20, CODE(JIT(4)), 1);
	/* Another process has other addresses. */
	make_allocation(&capture, 9, 9, 1700, 0xC0, 0, NULL, 0);
	profile = read_all(&capture);

	rows = syscap_profile_allocations(profile, &n);
	CHECK_EQ(n, 7);
	CHECK_EQ(rows[0].ended_by, 3);
	CHECK(!rows[0].is_temporary); /* another thread has freed the block */
	CHECK_EQ(rows[1].ended_by, 2);
	CHECK(rows[1].is_temporary);
	CHECK_EQ(rows[4].ended_by, 5);
	CHECK(!rows[4].is_temporary);
	CHECK_EQ(rows[5].ended_by, SYSCAP_PROFILE_NONE);
	syscap_profile_heap(profile, &heap);
	CHECK_EQ(heap.bytes, 180);
	CHECK_EQ(heap.n_frees, 3);
	CHECK_EQ(heap.leaked, 20);
	CHECK_EQ(heap.temporary, 50);
	CHECK_EQ(heap.peak, 150);
	CHECK_EQ(heap.peak_time, 1200);

	view = look(profile,
	            &(struct syscap_filter){ .of = SYSCAP_VIEW_LEAKED });
	CHECK_EQ(view->unit, SYSCAP_UNIT_BYTES);
	CHECK_EQ(view->total, 20);
	CHECK_EQ(sum_of(profile, view, "d").self, 20);
	syscap_view_free(view);
	/* The view has the allocation that reached the peak, and earlier
	 * allocations */
	view = look(profile, &(struct syscap_filter){ .of = SYSCAP_VIEW_PEAK });
	CHECK_EQ(view->unit, SYSCAP_UNIT_BYTES);
	CHECK_EQ(view->total, 150);
	CHECK_EQ(sum_of(profile, view, "a").self, 100);
	CHECK_EQ(sum_of(profile, view, "b").self, 50);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(end_of_process_takes_its_leaked_memory)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_profile_heap heap;
	struct syscap_view *view;

	begin(&capture);
	make_allocation(&capture, 7, 7, 1100, 0xA0, 100, CODE(JIT(1)), 1);
	make_exit(&capture, 7, 1200);
	make_allocation(&capture, 8, 8, 1200, 0xA0, 90, CODE(JIT(2)), 1);
	make_allocation(&capture, 8, 8, 1300, 0xB0, 30, CODE(JIT(2)), 1);
	make_allocation(&capture, 8, 8, 1400, 0xB0, 0, NULL, 0);
	make_exit(&capture, 8, 1500);
	profile = read_all(&capture);

	syscap_profile_heap(profile, &heap);
	CHECK_EQ(heap.leaked, 190);
	CHECK_EQ(heap.peak, 120);
	CHECK_EQ(heap.peak_time, 1300);
	view = look(profile, &(struct syscap_filter){ .of = SYSCAP_VIEW_PEAK });
	CHECK_EQ(view->total, 120);
	CHECK_EQ(sum_of(profile, view, "b").self, 120);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

static void make_code(struct make_capture *capture, int64_t time,
                      const char *value)
{
	make_frame(capture, 11, 0, 7, time, 0);
	make_field(capture, "syscap.code", 40);
	make_text(capture, value);
	make_end(capture);
}

TEST(code_that_came_later_has_its_own_name)
{
	struct make_capture capture;
	struct syscap_profile *profile;
	struct syscap_view *view;

	begin(&capture);
	make_code(&capture, 1100, "add 5000 100 alpha");
	make_stack(&capture, 2, 7, 7, 1200, false, CODE(0x5010, JIT(1)), 2);
	make_stack(&capture, 2, 7, 7, 1250, false, CODE(JIT(2), 0x5010), 2);
	make_code(&capture, 1500, "add 5000 100 beta");
	make_stack(&capture, 2, 7, 7, 1600, false, CODE(0x5010, JIT(1)), 2);
	make_stack(&capture, 2, 7, 7, 1650, false, CODE(JIT(2), 0x5010), 2);
	make_stack(&capture, 2, 7, 7, 1300, false, CODE(0x5010, JIT(1)), 2);

	CHECK_EQ(syscap_profile_new(NULL, &profile), 0);
	read_on(profile, &capture, capture.size);
	view = look(profile, NULL);
	CHECK_EQ(sum_of(profile, view, "alpha").self, 2);
	CHECK_EQ(sum_of(profile, view, "alpha").total, 3);
	CHECK_EQ(sum_of(profile, view, "beta").self, 1);
	CHECK_EQ(sum_of(profile, view, "beta").total, 2);
	CHECK_EQ(sum_of(profile, view, "a").total, 3);
	CHECK_EQ(view->total, 5);
	syscap_view_free(view);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	view = look(profile, NULL);
	CHECK_EQ(sum_of(profile, view, "alpha").total, 3);
	syscap_view_free(view);
	syscap_profile_free(profile);
	make_free(&capture);
}

/* A table with one range of process 7, and a name behind it for JIT(9). */
static void make_names(struct make_capture *capture, const char *name)
{
	static const char *const late[] = { "late" };
	unsigned char table[128] = { 0 };
	const uint64_t begin = 0x5000, end = 0x5100;

	memcpy(table, &begin, 8);
	memcpy(table + 8, &end, 8);
	table[16] = 7;
	table[20] = 64;
	strcpy((char *)table + 64, name);
	make_file_chunk(capture, 90000, false, "__symbols__", table, 64);
	make_file_chunk(capture, 90000, true, "__symbols__", table + 64, 64);
	make_jitmap(capture, 90000, JIT(9), late, 1);
}

/* @n stacks, half of whose addresses look like the lengths of frames. */
static void make_many(struct make_capture *capture, unsigned n)
{
	begin(capture);
	for (unsigned i = 0; i < n; i++)
		make_stack(capture, 2, 7, 7, 1100 + i, false,
		           CODE(0x5010, JIT(9), 0x20, 0x5d003000200018), 4);
}

static void check_first(struct make_capture *capture, uint64_t n_bytes,
                        uint64_t n_read, bool is_named)
{
	struct syscap_reader *reader = open_capture(capture, capture->size);
	struct syscap_profile *profile;
	struct syscap_view *view;

	CHECK_EQ(syscap_profile_new(&no_lookup, &profile), 0);
	CHECK_EQ(syscap_profile_read_on(profile, reader, n_read, NULL), 1);
	CHECK_EQ(syscap_profile_read_names(profile, reader, n_bytes), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	view = look(profile, NULL);
	CHECK_EQ(sum_of(profile, view, "early").self,
	         is_named ? view->total : 0);
	CHECK_EQ(sum_of(profile, view, "late").total,
	         is_named ? view->total : 0);
	syscap_view_free(view);
	syscap_profile_free(profile);
	syscap_reader_close(reader);
}

TEST(names_at_the_end_are_read_before_the_events)
{
	struct make_capture capture;

	make_many(&capture, 3000);
	make_names(&capture, "early");
	/* From each offset of a frame, and within it */
	for (unsigned i = 0; i < 12; i++)
		check_first(&capture, 1000 + 8 * i, 1000, true);
	check_first(&capture, 100000, 1000, true);
	make_free(&capture);
}

TEST(names_of_a_damaged_end_are_not_read)
{
	struct make_capture capture;

	make_many(&capture, 30000);
	make_names(&capture, "early");
	make_zeros(&capture, 24);
	check_first(&capture, 2000000, 1000, false);
	make_free(&capture);
}

TEST(names_read_before_the_events_do_not_stay)
{
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct make_capture capture;
	struct syscap_view *view;

	make_many(&capture, 300);
	make_names(&capture, "early");
	reader = open_capture(&capture, capture.size);
	CHECK_EQ(syscap_profile_new(&no_lookup, &profile), 0);
	CHECK_EQ(syscap_profile_read_on(profile, reader, 1000, NULL), 1);
	CHECK_EQ(syscap_profile_read_names(profile, reader, 4000), 0);
	CHECK_EQ(syscap_profile_read(profile, reader, NULL), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	CHECK_EQ(profile->naming.table.tables.n, 1);
	CHECK(!profile->naming.is_ahead);
	view = look(profile, NULL);
	CHECK_EQ(sum_of(profile, view, "early").self, 300);
	CHECK_EQ(sum_of(profile, view, "late").total, 300);
	syscap_view_free(view);
	syscap_profile_free(profile);
	syscap_reader_close(reader);
	make_free(&capture);
}
