/* SPDX-License-Identifier: BSD-2-Clause */
/* test_perf_map.c - lines, and files that grow, are torn, or belong to
 * others. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/code_sources.h"
#include "code/samples.h"
#include "harness/test.h"

static const char *parse(const char *text)
{
	static char told[256];
	struct syc_perf_map_line line;

	if (!syc_perf_map_parse(text, strlen(text), &line))
		return "-";
	snprintf(told, sizeof(told), "%llx %llx %.*s",
	         (unsigned long long)line.start, (unsigned long long)line.len,
	         (int)line.name_len, line.name);
	return told;
}

TEST(a_line_is_two_numbers_and_a_name)
{
	CHECK_STR(parse("7f00 1a alpha"), "7f00 1a alpha");
	CHECK_STR(parse("0x00007F00 0X1a alpha"), "7f00 1a alpha");
	CHECK_STR(parse("  7f00\t1a   int T.alpha(int, int)"),
	          "7f00 1a int T.alpha(int, int)");
	CHECK_STR(parse("7f00 1a JS:~gr\xC3\xB6\xC3\x9F"
	                "e a.js:1"),
	          "7f00 1a JS:~gr\xC3\xB6\xC3\x9F"
	          "e a.js:1");
	CHECK_STR(parse("ffffffffffffffff 1 a"), "ffffffffffffffff 1 a");
	/* A name may look like a number. */
	CHECK_STR(parse("1 2 3"), "1 2 3");
}

TEST(other_lines_are_invalid)
{
	CHECK_STR(parse(""), "-");
	CHECK_STR(parse("7f00"), "-");
	CHECK_STR(parse("7f00 "), "-");
	CHECK_STR(parse("7f00 1a"), "-");
	CHECK_STR(parse("7f00 1a "), "-");
	CHECK_STR(parse("7f00 xyz name"), "-");
	CHECK_STR(parse("0x 1 name"), "-");
	CHECK_STR(parse("-7f00 1a name"), "-");
	CHECK_STR(parse("7f00-7f10 1a name"), "-");
	CHECK_STR(parse("10000000000000000 1 name"), "-");
}

static struct syc_perf_map map;
static struct syc_code_table *table;
static char *path;

static void begin(const char *text)
{
	memset(&map, 0, sizeof(map));
	CHECK_EQ(syc_code_table_new(&table), 0);
	path = sample_make("perf-1.map", text, strlen(text));
}

static void end(void)
{
	syc_code_table_free(table);
	sample_remove(path);
}

static int read_at(int64_t from, bool is_last)
{
	const struct syc_perf_map_options options = {
		.owner = geteuid(),
		.from = from,
		.maybe_from = INT64_MAX,
		.is_last = is_last,
	};
	struct syscap_error error;
	const int r = syc_perf_map_read(&map, AT_FDCWD, path, &options, table,
	                                &error);

	CHECK_EQ(syc_code_table_settle(table), 0);
	return r;
}

static void append(const char *text)
{
	FILE *file = fopen(path, "abe");

	CHECK(file != NULL && fputs(text, file) >= 0);
	fclose(file);
}

TEST(later_lines_count_from_the_previous_look)
{
	begin("1000 10 alpha\n2000 10 beta\n");
	CHECK_EQ(read_at(SYC_CODE_ALWAYS, false), 0);
	append("1000 10 gamma\n");
	CHECK_EQ(read_at(50, false), 0);
	CHECK_EQ(read_at(60, false), 0);
	CHECK_STR(sample_find(table, 0x1000, 49), "alpha");
	CHECK_STR(sample_find(table, 0x1000, 50), "gamma");
	CHECK_STR(sample_find(table, 0x2008, 99), "beta");
	CHECK_EQ(map.n_ranges, 3);
	CHECK_EQ(map.restarts, 0);
	end();
}

TEST(half_a_line_waits_for_the_rest)
{
	begin("1000 10 alpha\n2000 1");
	CHECK_EQ(read_at(1, false), 0);
	append("0 be");
	CHECK_EQ(read_at(2, false), 0);
	CHECK_EQ(map.n_ranges, 1);
	append("ta\n");
	CHECK_EQ(read_at(3, false), 0);
	CHECK_EQ(map.n_ranges, 2);
	CHECK_EQ(map.n_bad, 0);
	CHECK_STR(sample_find(table, 0x2000, 3), "beta");
	end();
}

TEST(a_last_line_without_newline_counts_at_the_end)
{
	begin("1000 10 alpha\n2000 10 beta");
	CHECK_EQ(read_at(1, false), 0);
	CHECK_STR(sample_find(table, 0x2000, 9), "-");
	CHECK_EQ(read_at(2, true), 0);
	CHECK_STR(sample_find(table, 0x2000, 9), "beta");
	end();
}

TEST(later_one_of_overlapping_lines_wins)
{
	begin("1000 100 alpha\n1080 100 beta\n");
	CHECK_EQ(read_at(SYC_CODE_ALWAYS, true), 0);
	CHECK_STR(sample_find(table, 0x107F, 0), "alpha");
	CHECK_STR(sample_find(table, 0x1080, 0), "beta");
	CHECK_STR(sample_find(table, 0x117F, 0), "beta");
	end();
}

TEST(bad_lines_are_counted)
{
	begin("\n1000 10 alpha\ngarbage\n3000 0 empty\n"
	      "ffffffffffffff00 10 kernel\n2000 10 beta\r\n");
	CHECK_EQ(read_at(1, true), 0);
	CHECK_EQ(map.n_ranges, 2);
	CHECK_EQ(map.n_bad, 4);
	CHECK_STR(sample_find(table, 0x2000, 1), "beta");
	end();
}

TEST(a_line_longer_than_any_buffer_is_one_line)
{
	static char text[300000];

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "1000 10 alpha", 13);
	begin(text);
	CHECK_EQ(read_at(1, false), 0);
	append("yyy\n2000 10 beta\n");
	CHECK_EQ(read_at(2, false), 0);
	CHECK_EQ(map.n_ranges, 2);
	CHECK_EQ(map.n_bad, 0);
	CHECK_EQ(strlen(sample_find(table, 0x1000, 5)), 4095);
	CHECK_STR(sample_find(table, 0x2000, 5), "beta");
	end();
}

TEST(many_lines_cross_the_buffer_whole)
{
	enum {
		N = 20000
	};
	char *text = malloc(N * 40), *at = text;

	for (unsigned i = 0; i < N; i++)
		at += sprintf(at, "%x 10 function %u\n", 0x1000 + 16 * i, i);
	begin(text);
	free(text);
	CHECK_EQ(read_at(1, false), 0);
	CHECK_EQ(map.n_ranges, N);
	CHECK_EQ(map.n_bad, 0);
	CHECK_STR(sample_find(table, 0x1000 + 16 * 12345, 1), "function 12345");
	end();
}

TEST(a_file_that_was_replaced_is_read_from_its_start)
{
	char other[4200];
	FILE *file;

	begin("1000 10 alpha\n");
	CHECK_EQ(read_at(1, false), 0);
	snprintf(other, sizeof(other), "%s.new", path);
	file = fopen(other, "wbe");
	fputs("1000 10 alpha\n1000 10 beta\n2000 10 gamma\n", file);
	fclose(file);
	CHECK_EQ(rename(other, path), 0);
	CHECK_EQ(read_at(2, false), 0);
	CHECK_EQ(map.restarts, 1);
	CHECK_STR(sample_find(table, 0x1000, 1), "alpha");
	CHECK_STR(sample_find(table, 0x1000, 2), "beta");
	CHECK_STR(sample_find(table, 0x2000, 2), "gamma");
	end();
}

TEST(a_file_that_was_emptied_and_filled_again_is_read_from_its_start)
{
	FILE *file;

	begin("1000 10 alpha\n");
	CHECK_EQ(read_at(1, false), 0);
	/* Longer than before, so that the size does not reveal the new file. */
	file = fopen(path, "wbe");
	fputs("1000 10 beta\n2000 10 gamma\n", file);
	fclose(file);
	CHECK_EQ(read_at(2, false), 0);
	CHECK_EQ(map.restarts, 1);
	CHECK_EQ(map.n_bad, 0);
	CHECK_STR(sample_find(table, 0x1000, 2), "beta");
	end();
}

TEST(file_older_than_the_process_is_ignored)
{
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	struct syc_perf_map_options options = {
		.owner = geteuid(),
		.from = 1,
		.not_before = INT64_C(2000000000000),
	};
	struct syscap_error error;

	begin("1000 10 stale\n");
	CHECK_EQ(utimensat(AT_FDCWD, path, old, 0), 0);
	CHECK_EQ(syc_perf_map_read(&map, AT_FDCWD, path, &options, table,
	                           &error),
	         0);
	CHECK_EQ(map.n_ranges, 0);
	append("2000 10 fresh\n");
	CHECK_EQ(syc_perf_map_read(&map, AT_FDCWD, path, &options, table,
	                           &error),
	         0);
	CHECK_EQ(map.n_ranges, 1);
	end();
}

TEST(no_file_is_no_error)
{
	begin("");
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(read_at(1, true), 0);
	CHECK_EQ(map.n_ranges, 0);
	end();
}

TEST(links_pipes_and_files_of_others_are_refused)
{
	struct syc_perf_map_options options = { .owner = geteuid() + 1 };
	struct syscap_error error;
	char target[4200];

	begin("1000 10 alpha\n");
	CHECK_EQ(syc_perf_map_read(&map, AT_FDCWD, path, &options, table,
	                           &error),
	         -EPERM);
	CHECK(strstr(error.message, "belongs to user") != NULL);
	snprintf(target, sizeof(target), "%s.target", path);
	CHECK_EQ(rename(path, target), 0);
	CHECK_EQ(symlink(target, path), 0);
	CHECK_EQ(read_at(1, true), -ELOOP);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(read_at(1, true), -EINVAL);
	CHECK_EQ(unlink(target), 0);
	CHECK_EQ(map.n_ranges, 0);
	end();
}

TEST(oversized_file_is_refused_before_reading)
{
	begin("1000 10 alpha\n");
	CHECK_EQ(truncate(path, INT64_C(100) << 30), 0);
	CHECK_EQ(read_at(1, true), -EFBIG);
	CHECK_EQ(map.n_ranges, 0);
	end();
}

static void check_sample(const char *name, uint64_t addr, const char *what)
{
	uint64_t bad;
	struct syc_code_table *of = sample_perf_map(sample_path(name), &bad);

	CHECK_EQ(bad, 0);
	CHECK_STR(sample_find(of, addr, 0), what);
	syc_code_table_free(of);
}

TEST(output_of_runtimes_is_read)
{
	check_sample("node.map", 0x7f0b00005c00, "JS:*leafHash /app/t.js:1:18");
	check_sample("node.map", 0x200c98c620,
	             "JS:~gr\xC3\xB6\xC3\x9F"
	             "e /app/t.js:5:29");
	check_sample("node-native-stack.map", 0x7fa795fe4010,
	             "JS:~leafHash /app/t.js:1:18");
	check_sample("python.map", 0x7f45482c081f, "py::leaf_hash:/app/t.py");
	check_sample("java.map", 0x7f7c05401320,
	             "int T.alphaStep(int, java.lang.String)");
	check_sample("mono.map", 0x41c656a1, "T:AlphaStep (int,string)");
}
