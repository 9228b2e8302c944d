/* SPDX-License-Identifier: BSD-2-Clause */
/* test_join_pids.c - captures with the same pid for two processes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "capture/joining.h"
#include "harness/make_capture.h"
#include "harness/test.h"

/* Frames as "process 7 alpha|", without times. */
static const char *frames(const struct joined *joined)
{
	struct syscap_reader *reader = joined_open(joined);
	static char text[4096];
	struct syscap_frame f;
	char *to = text;

	text[0] = 0;
	while (syscap_reader_next(reader, &f, NULL) > 0) {
		to = text + strlen(text);
		const size_t room = sizeof(text) - strlen(text);

		switch (f.type) {
		case SYSCAP_FRAME_PROCESS:
			snprintf(to, room, "%d is %s|", f.pid,
			         f.process.cmdline);
			break;
		case SYSCAP_FRAME_FORK:
			snprintf(to, room, "%d forks %d|", f.pid,
			         f.fork.child_pid);
			break;
		case SYSCAP_FRAME_METADATA:
			snprintf(to, room, "%d %s=%s|", f.pid, f.metadata.id,
			         f.metadata.value);
			break;
		case SYSCAP_FRAME_FILE_CHUNK:
			snprintf(to, room, "%s|", f.file_chunk.path);
			break;
		case SYSCAP_FRAME_TIMESTAMP:
			break;
		default:
			snprintf(to, room, "%d %s|", f.pid,
			         syscap_frame_type_name(f.type));
		}
	}
	syscap_reader_close(reader);
	return text;
}

static void begin(struct make_capture *captures, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		make_begin(&captures[i], i == 2, 1000, 2000);
}

/* Describes process @pid: a program, and a library at @base. */
static void describe(struct make_capture *capture, int32_t pid,
                     const char *program, uint64_t base)
{
	char path[64];

	snprintf(path, sizeof(path), "/%s", program);
	make_process(capture, pid, 1000, program);
	make_map(capture, pid, 1000, 0x400000, 0x500000, path, NULL);
	make_map(capture, pid, 1000, base, base + 0x1000, "/libc", NULL);
}

static void add_symbol(struct make_capture *capture, int32_t pid,
                       const char *name)
{
	struct make_capture table = { .big = capture->big };

	make_u64(&table, 0x400100);
	make_u64(&table, 0x400200);
	make_u32(&table, (uint32_t)pid);
	make_u32(&table, 65);
	make_zeros(&table, 8 + 32 + 1);
	make_text(&table, name);
	make_file_chunk(capture, 1900, true, "__symbols__", table.data,
	                (unsigned)table.size);
	make_free(&table);
}

/* "7=name|" for all records, in the table's order. */
static const char *symbols(const struct joined *joined)
{
	static char text[256];
	struct syscap_frame frame;
	const unsigned char *data;

	for (unsigned i = 0;; i++) {
		joined_find(joined, SYSCAP_FRAME_FILE_CHUNK, i, &frame);
		if (strcmp(frame.file_chunk.path, "__symbols__") == 0)
			break;
	}
	text[0] = 0;
	data = frame.file_chunk.data;
	for (;; data += 32) {
		const uint32_t at = data[20] | (uint32_t)data[21] << 8;
		const uint32_t pid = data[16] | (uint32_t)data[17] << 8 |
		                     (uint32_t)data[18] << 16 |
		                     (uint32_t)data[19] << 24;

		if (at == 0)
			return text;
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		         "%u=%s|", pid,
		         (const char *)frame.file_chunk.data + at);
	}
}

TEST(two_processes_with_one_pid_become_two)
{
	const uint64_t addrs[] = { 0x400180 };
	struct make_capture in[3];
	struct joined joined;

	begin(in, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { "alpha", "beta", "gamma" };

		describe(&in[i], 1, names[i], 0x7000000 + i * 0x10000);
		make_stack(&in[i], 2, 1, 1, 1500, false, addrs, 1);
		make_fork(&in[i], 1, 1600, 9);
		make_mark(&in[i], 9, 9, 1700, 1, "g", "n", "m");
		add_symbol(&in[i], 1, names[i]);
	}
	join(&joined, in, 3);
	CHECK_STR(frames(&joined),
	          "1 is alpha|1 map|1 map|1 sample|1 forks 9|9 mark|"
	          "4194305 syscap.pid=1|"
	          "4194305 is beta|4194305 map|4194305 map|4194305 sample|"
	          "4194305 forks 9|9 mark|"
	          "4194306 syscap.pid=1|"
	          "4194306 is gamma|4194306 map|4194306 map|4194306 sample|"
	          "4194306 forks 9|9 mark|"
	          "__symbols__|");
	CHECK_STR(symbols(&joined), "1=alpha|4194305=beta|4194306=gamma|");
	CHECK_STR(
		joined.told,
		"b: process 1 (beta) differs from that of a; renumbered it to "
		"4194305\n"
		"c: process 1 (gamma) differs from that of a; renumbered it "
		"to 4194306\n");
	CHECK_EQ(joined.totals.problems, 0);
	joined_free(&joined);
}

TEST(parts_of_one_process_stay_one)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	describe(&in[0], 7, "alpha", 0x7000000);
	make_map(&in[0], 7, 1100, 0x8000000, 0x8001000, "/plugin", NULL);
	add_symbol(&in[0], 7, "alpha");
	/* the second part is later, with another library at the same address,
	 * and another title */
	make_process(&in[1], 7, 1500, "alpha: idle");
	make_map(&in[1], 7, 1500, 0x400000, 0x500000, "/alpha", NULL);
	make_map(&in[1], 7, 1500, 0x8000000, 0x8001000, "/other", NULL);
	make_map(&in[1], 7, 1500, 0x7000000, 0x7001000, "/libc", NULL);
	make_exit(&in[1], 7, 1600);
	add_symbol(&in[1], 7, "alpha");
	join(&joined, in, 2);
	CHECK_STR(frames(&joined),
	          "7 is alpha|7 map|7 map|7 map|__symbols__|"
	          "7 is alpha: idle|7 map|7 map|7 map|7 exit|");
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

/* A missing fact is, for example, a build-id. */
TEST(missing_facts_do_not_separate_processes)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	describe(&in[0], 7, "alpha", 0x7000000);
	make_map(&in[0], 7, 1100, 0x8000000, 0x8001000, "/plugin", NULL);
	add_symbol(&in[0], 7, "alpha");
	/* the second part is later, with another library at the same address,
	 * and another title */
	make_process(&in[1], 7, 1500, "alpha: idle");
	make_map(&in[1], 7, 1500, 0x400000, 0x500000, "/alpha", "abcd");
	make_map(&in[1], 7, 1500, 0x8000000, 0x8001000, "/other", NULL);
	make_map(&in[1], 7, 1500, 0x7000000, 0x7001000, "/libc", NULL);
	make_exit(&in[1], 7, 1600);
	add_symbol(&in[1], 7, "alpha");
	join(&joined, in, 2);
	CHECK_STR(frames(&joined),
	          "7 is alpha|7 map|7 map|7 map|__symbols__|"
	          "7 is alpha: idle|7 map|7 map|7 map|7 exit|");
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

TEST(libraries_distinguish_programs_at_fixed_places)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	describe(&in[0], 7, "alpha", 0x7000000);
	describe(&in[1], 7, "alpha", 0x7100000);
	join(&joined, in, 2);
	CHECK(strstr(frames(&joined), "4194305 is alpha|") != NULL);
	joined_free(&joined);
}

TEST(a_pid_that_is_used_again_later_is_another_process)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	make_process(&in[0], 7, 1000, "sh");
	make_exit(&in[0], 7, 1200);
	make_process(&in[1], 7, 1500, "sh");
	join(&joined, in, 2);
	CHECK_STR(frames(&joined),
	          "7 is sh|7 exit|4194305 syscap.pid=7|4194305 is sh|");
	joined_free(&joined);
}

TEST(without_maps_command_lines_decide)
{
	struct make_capture in[3];
	struct joined joined;

	begin(in, 3);
	make_process(&in[0], 7, 1000, "alpha");
	make_process(&in[1], 7, 1000, "[pid 7]"); /* nobody knows */
	make_process(&in[1], 8, 1000, "alpha");
	make_process(&in[2], 7, 1000, "beta");
	make_mark(&in[2], 8, 8, 1700, 1, "g", "n", "m");
	join(&joined, in, 3);
	CHECK_STR(frames(&joined),
	          "7 is alpha|7 is [pid 7]|8 is alpha|"
	          "4194305 syscap.pid=7|4194305 is beta|8 mark|");
	joined_free(&joined);
}

/* @joined as an input. */
static struct make_capture again(const struct joined *joined)
{
	struct make_capture capture = { 0 };

	make_bytes(&capture, joined->data, joined->size);
	return capture;
}

TEST(second_join_keeps_processes)
{
	struct make_capture in[3];
	struct joined first, joined;

	begin(in, 2);
	describe(&in[0], 1, "alpha", 0x7000000);
	describe(&in[1], 1, "beta", 0x7100000);
	join(&first, in, 2);
	make_begin(&in[0], false, 1000, 2000);
	describe(&in[0], 1, "gamma", 0x7200000);
	in[1] = again(&first);
	make_begin(&in[2], false, 1000, 2000);
	describe(&in[2], 1, "beta", 0x7100000);
	join(&joined, in, 3);
	CHECK_STR(frames(&joined),
	          "1 is gamma|1 map|1 map|"
	          "4194306 syscap.pid=1|4194306 is alpha|4194306 map|"
	          "4194306 map|"
	          "4194305 syscap.pid=1|4194305 is beta|4194305 map|"
	          "4194305 map|"
	          "4194305 syscap.pid=1|4194305 is beta|4194305 map|"
	          "4194305 map|");
	joined_free(&joined);
	joined_free(&first);
}

TEST(files_of_a_process_go_with_it)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	for (unsigned i = 0; i < 2; i++) {
		describe(&in[i], 1, i == 0 ? "alpha" : "beta", 0x7000000 + i);
		make_file_chunk(&in[i], 1500, true, "/proc/1/mountinfo",
		                i == 0 ? "x" : "y", 1);
		make_file_chunk(&in[i], 1500, true, "/proc/12/mountinfo", "z",
		                1);
	}
	join(&joined, in, 2);
	CHECK_STR(frames(&joined),
	          "1 is alpha|1 map|1 map|/proc/1/mountinfo|"
	          "/proc/12/mountinfo|"
	          "4194305 syscap.pid=1|4194305 is beta|4194305 map|"
	          "4194305 map|/proc/4194305/mountinfo|");
	joined_free(&joined);
}
