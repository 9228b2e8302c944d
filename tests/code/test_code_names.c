/* SPDX-License-Identifier: BSD-2-Clause */
/* test_code_names.c - names of each process's code, by time. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code/code_names.h"
#include "code/samples.h"
#include "harness/make_capture.h"
#include "harness/test.h"

static struct syc_code_names *names;

static struct syc_code_table *table_of(int32_t pid)
{
	struct syc_code_table *table;

	CHECK_EQ(syc_code_names_table(names, pid, &table), 0);
	return table;
}

static void add(int32_t pid, int64_t time, uint64_t start, uint64_t len,
                const char *name)
{
	CHECK_EQ(syc_code_table_add(table_of(pid), time, start, len, name,
	                            strlen(name)),
	         0);
}

static void begin(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 9000);
	CHECK_EQ(syc_code_names_new(&names), 0);
}

static struct syscap_reader *open_reader(const struct make_capture *capture)
{
	struct syscap_reader *reader;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &reader, NULL),
	         0);
	return reader;
}

/* Read the names in @capture, and free the capture. */
static void scan(struct make_capture *capture)
{
	struct syscap_reader *reader = open_reader(capture);

	CHECK_EQ(syc_code_names_scan(names, reader), 0);
	CHECK_EQ(syc_code_names_settle(names), 0);
	syscap_reader_close(reader);
	make_free(capture);
}

/* The name at an address and time, or "-". */
static const char *find(int32_t pid, uint64_t addr, int64_t time)
{
	const struct syc_symbol_query query = {
		.pid = pid,
		.address = addr,
		.time = time,
	};
	struct syc_symbol symbol;

	if (syc_code_names_symbol(names, &query, &symbol) == 0)
		return "-";
	CHECK(symbol.is_named);
	CHECK(symbol.begin <= addr && addr < symbol.end);
	return symbol.name;
}

TEST(one_address_has_the_name_of_its_time)
{
	struct make_capture capture;

	begin(&capture);
	add(7, 1150, 0x7000, 0x40, "alpha");
	add(7, 1300, 0x7000, 0x40, "beta");
	scan(&capture);
	CHECK_STR(find(7, 0x7010, 1100), "-");
	CHECK_STR(find(7, 0x7010, 1200), "alpha");
	CHECK_STR(find(7, 0x7010, 1299), "alpha");
	CHECK_STR(find(7, 0x7010, 1300), "beta");
	CHECK_STR(find(7, 0x401000, 1300), "-");
	syc_code_names_free(names);
}

TEST(code_of_another_process_gives_no_name)
{
	struct make_capture capture;

	begin(&capture);
	add(7, 0, 0x7000, 0x40, "seven");
	add(8, 0, 0x7000, 0x40, "eight");
	scan(&capture);
	CHECK_STR(find(7, 0x7010, 1100), "seven");
	CHECK_STR(find(8, 0x7010, 1100), "eight");
	CHECK_STR(find(9, 0x7010, 1100), "-");
	syc_code_names_free(names);
}

static void add_events(struct make_capture *capture, const char *const *events,
                       unsigned n)
{
	const int32_t pid = 7;

	for (unsigned i = 0; i < n; i++) {
		make_metadata(capture, 1100 + 100 * (int64_t)i, "syscap.code",
		              events[i]);
		memcpy(capture->data + capture->frame + 4, &pid, 4);
	}
}

TEST(code_events_are_read_in_order)
{
	static const char *const events[] = {
		"add 7000 40 alpha one", "move 7000 8000 40",
		"remove 8000 40",        "add 7000 40 beta",
		"add 7000 40",           "move 1 2",
		"add 0x 40 gamma",       "nonsense",
		"remove 7000 40 x",
	};
	struct make_capture capture;

	begin(&capture);
	add_events(&capture, events, sizeof(events) / sizeof(*events));
	scan(&capture);
	CHECK_STR(find(7, 0x7010, 1150), "alpha one");
	CHECK_STR(find(7, 0x8010, 1150), "-");
	CHECK_STR(find(7, 0x7010, 1250), "-");
	CHECK_STR(find(7, 0x8010, 1250), "alpha one");
	CHECK_STR(find(7, 0x8010, 1350), "-");
	CHECK_STR(find(7, 0x7010, 1450), "beta");
	CHECK_STR(find(7, 0x7010, 5000), "beta");
	syc_code_names_free(names);
}

TEST(code_events_before_the_damage_of_a_capture_count)
{
	static const char *const events[] = { "add 7000 40 alpha",
		                              "add 7000 40 beta" };
	struct make_capture capture;

	begin(&capture);
	add_events(&capture, events, 2);
	capture.size -= 8;
	scan(&capture);
	CHECK_STR(find(7, 0x7010, 5000), "alpha");
	syc_code_names_free(names);
}

TEST(without_code_there_is_nothing_to_do)
{
	struct make_capture capture;

	begin(&capture);
	make_process(&capture, 7, 1001, "demo");
	table_of(7);
	scan(&capture);
	CHECK(!syc_code_names_any(names));
	CHECK_STR(find(7, 0x7010, 1100), "-");
	syc_code_names_free(names);
}

static char told[512];

static void tell(void *data, const char *text)
{
	(void)data;
	snprintf(told, sizeof(told), "%s", text);
}

static void read_files(struct make_capture *capture, const char *folder,
                       unsigned n_maps, unsigned n_dumps)
{
	const struct syc_code_files_options options = {
		.perf_map_directory = folder,
		.tell = tell,
	};
	struct syc_code_files_totals found;
	struct syscap_reader *reader = open_reader(capture);

	told[0] = 0;
	CHECK_EQ(syc_code_files_read(names, reader, &options, &found), 0);
	CHECK_EQ(found.n_perf_maps, n_maps);
	CHECK_EQ(found.n_dumps, n_dumps);
	syscap_reader_close(reader);
}

static void set_date(struct make_capture *capture, const char *date)
{
	memset(capture->data + 8, 0, 64);
	memcpy(capture->data + 8, date, strlen(date));
}

TEST(remaining_files_name_a_capture_later)
{
	char *map = sample_make("perf-7.map", "1000 10 alpha", 13);
	struct make_capture capture;
	char *dump, *folder = strdup(map);
	unsigned char *bytes;
	size_t size;

	*strrchr(folder, '/') = 0;
	bytes = sample_read("python.dump", &size);
	dump = sample_make("jit-13506.dump", bytes, size);
	begin(&capture);
	set_date(&capture, "2020-01-01T00:00:00Z");
	make_process(&capture, 7, 1001, "python");
	make_map(&capture, 7, 1002, 0x1000, 0x2000, dump, NULL);
	make_map(&capture, 7, 1002, 0x1000, 0x2000, "/tmp/jit-7.so", NULL);
	read_files(&capture, folder, 1, 1);
	CHECK_STR(told, "");
	scan(&capture);
	CHECK_STR(find(7, 0x1008, 37047484607165), "alpha");
	CHECK_STR(find(7, 140022943825696, 37047484607165),
	          "py::gr\xC3\xB6\xC3\x9F"
	          "e:/app/t.py");
	syc_code_names_free(names);
	sample_remove(map);
	sample_remove(dump);
	free(folder);
	free(bytes);
}

TEST(files_older_than_the_capture_are_ignored)
{
	char *map = sample_make("perf-7.map", "1000 10 alpha", 13);
	struct make_capture capture;
	char *folder = strdup(map);

	*strrchr(folder, '/') = 0;
	begin(&capture);
	set_date(&capture, "2199-01-01T00:00:00Z");
	make_process(&capture, 7, 1001, "python");
	read_files(&capture, folder, 0, 0);
	CHECK_STR(
		told,
		"perf-7.map: not used: the perf map is older than the capture");
	syc_code_names_free(names);
	make_free(&capture);
	sample_remove(map);
	free(folder);
}
