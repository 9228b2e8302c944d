/* SPDX-License-Identifier: BSD-2-Clause */
/* test_code_names.c - stacks of a capture get the names of their time. */
#define _GNU_SOURCE
#include "harness/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code/code_files.h"
#include "code/code_names.h"
#include "code/samples.h"
#include "unit/make_capture.h"

#define MARK UINT64_C(0xE000000000000000)

static struct sc_code_names *names;
static struct sc_code_names_totals totals;

static struct sc_code_table *table_of(int32_t pid)
{
	struct sc_code_table *table;

	CHECK_EQ(sc_code_names_table(names, pid, &table), 0);
	return table;
}

static void add(int32_t pid, int64_t time, uint64_t start, uint64_t len,
                const char *name)
{
	CHECK_EQ(sc_code_table_add(table_of(pid), time, start, len, name,
	                           strlen(name)),
	         0);
}

static void begin(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 9000);
	CHECK_EQ(sc_code_names_new(&names), 0);
}

static struct syscap_reader *open_reader(const struct make_capture *capture)
{
	struct syscap_reader *reader;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &reader, NULL),
	         0);
	return reader;
}

/* Name all of @capture; @capture is the result then. */
static void name_all(struct make_capture *capture)
{
	const int fd = memfd_create("named", MFD_CLOEXEC);
	struct syscap_reader *reader = open_reader(capture);
	struct sc_writer *writer;
	char path[64];
	off_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_EQ(sc_code_names_scan(names, reader), 0);
	CHECK_EQ(sc_code_names_settle(names), 0);
	syscap_reader_rewind(reader);
	CHECK_EQ(sc_writer_open(path, true, &writer, NULL), 0);
	CHECK_EQ(sc_writer_begin_as(writer, 1000, "", NULL), 0);
	CHECK_EQ(sc_code_names_write(names, reader, writer), 0);
	CHECK_EQ(sc_writer_finish(writer, 9000), 0);
	sc_writer_close(writer);
	syscap_reader_close(reader);
	sc_code_names_totals(names, &totals);
	sc_code_names_free(names);
	make_free(capture);
	size = lseek(fd, 0, SEEK_END);
	capture->data = malloc((size_t)size);
	capture->size = (size_t)size;
	CHECK_EQ(pread(fd, capture->data, (size_t)size, 0), size);
	close(fd);
}

/* The name that stands before the reader for @addr, or NULL. */
static const char *named(const struct make_capture *capture, uint64_t end,
                         uint64_t addr)
{
	struct syscap_reader *reader = open_reader(capture);
	const char *found = NULL, *name;
	struct syscap_frame frame;
	uint64_t of;

	while (syscap_reader_next(reader, &frame, NULL) > 0 &&
	       frame.offset < end)
		for (size_t cursor = 0; syscap_frame_jit_name(
			     reader, &frame, &cursor, &of, &name);)
			if (of == addr) {
				CHECK(found == NULL);
				found = name;
			}
	/* It points into the capture, not into the reader. */
	syscap_reader_close(reader);
	return found;
}

/* "alpha 401000; beta": all stacks; every name is told before its use. */
static const char *stacks(const struct make_capture *capture)
{
	struct syscap_reader *reader = open_reader(capture);
	static char text[4096];
	struct syscap_frame frame;
	uint64_t addr;
	int r;

	text[0] = 0;
	while ((r = syscap_reader_next(reader, &frame, NULL)) > 0)
		for (unsigned i = 0;
		     syscap_frame_addr(reader, &frame, i, &addr); i++) {
			const char *name = named(capture, frame.offset, addr);
			size_t len = strlen(text);

			if (len > 0)
				len += (size_t)sprintf(text + len, "%s",
				                       i ? " " : "; ");
			if (name)
				snprintf(text + len, sizeof(text) - len, "%s",
				         name);
			else
				snprintf(text + len, sizeof(text) - len, "%llx",
				         (unsigned long long)addr);
		}
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	return text;
}

TEST(one_address_gets_the_name_of_each_samples_time)
{
	const uint64_t stack[] = { 0x7010, 0x401000 };
	struct make_capture capture;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, stack, 2);
	make_stack(&capture, 2, 7, 7, 1200, false, stack, 2);
	make_stack(&capture, 2, 7, 7, 1299, false, stack, 2);
	make_stack(&capture, 2, 7, 7, 1300, false, stack, 2);
	add(7, 1150, 0x7000, 0x40, "alpha");
	add(7, 1300, 0x7000, 0x40, "beta");
	name_all(&capture);
	CHECK_STR(stacks(&capture),
	          "7010 401000; alpha 401000; alpha 401000; beta 401000");
	CHECK_EQ(totals.n_addresses, 3);
	CHECK_EQ(totals.n_names, 2);
	make_free(&capture);
}

TEST(code_of_another_process_gives_no_name)
{
	const uint64_t stack[] = { 0x7010 };
	struct make_capture capture;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, stack, 1);
	make_stack(&capture, 2, 8, 8, 1100, false, stack, 1);
	make_stack(&capture, 2, 9, 9, 1100, false, stack, 1);
	add(7, 0, 0x7000, 0x40, "seven");
	add(8, 0, 0x7000, 0x40, "eight");
	name_all(&capture);
	CHECK_STR(stacks(&capture), "seven; eight; 7010");
	make_free(&capture);
}

TEST(traces_and_allocations_are_named_too)
{
	const uint64_t stack[] = { 0x7010, 0x7020 };
	struct make_capture capture;

	begin(&capture);
	make_stack(&capture, 16, 7, 7, 1100, true, stack, 2);
	make_allocation(&capture, 7, 7, 1200, 0x7000, 64, stack, 1);
	add(7, 0, 0x7000, 0x20, "alpha");
	add(7, 0, 0x7020, 0x20, "beta");
	name_all(&capture);
	CHECK_STR(stacks(&capture), "alpha beta; alpha");
	make_free(&capture);
}

TEST(names_that_the_capture_has_keep_their_numbers)
{
	static const char *const own[] = { "own one", "own two" };
	const uint64_t stack[] = { MARK | 1, 0x7010, MARK | 2, MARK | 4,
		                   0x7110 };
	struct make_capture capture;

	begin(&capture);
	make_jitmap(&capture, 1050, MARK | 1, own, 2);
	make_stack(&capture, 2, 7, 7, 1100, false, stack, 5);
	/* Told late, and on the number that would be next. */
	make_jitmap(&capture, 1200, MARK | 3, own, 1);
	add(7, 0, 0x7000, 0x40, "alpha");
	add(7, 0, 0x7100, 0x40, "beta");
	name_all(&capture);
	/* The third has no name, and must not have got one. */
	CHECK_STR(stacks(&capture),
	          "own one alpha own two e000000000000004 beta");
	CHECK(named(&capture, UINT64_MAX, MARK | 5) != NULL);
	CHECK(named(&capture, UINT64_MAX, MARK | 6) != NULL);
	make_free(&capture);
}

TEST(doing_it_twice_changes_nothing)
{
	const uint64_t stack[] = { 0x7010, 0x401000 };
	struct make_capture capture;
	unsigned char *once;
	size_t size;

	begin(&capture);
	make_metadata(&capture, 1001, "syscap.code", "add 7000 40 alpha");
	memcpy(capture.data + capture.frame + 4, &(int32_t){ 7 }, 4);
	make_stack(&capture, 2, 7, 7, 1100, false, stack, 2);
	name_all(&capture);
	CHECK_STR(stacks(&capture), "alpha 401000");
	size = capture.size;
	once = malloc(size);
	memcpy(once, capture.data, size);
	CHECK_EQ(sc_code_names_new(&names), 0);
	name_all(&capture);
	CHECK_EQ(capture.size, size);
	CHECK_EQ(memcmp(capture.data, once, size), 0);
	free(once);
	make_free(&capture);
}

TEST(a_name_is_told_once_however_often_it_is_used)
{
	const uint64_t stack[] = { 0x7010, 0x7020, 0x7010 };
	struct make_capture capture;

	begin(&capture);
	for (int64_t time = 1100; time < 1200; time++)
		make_stack(&capture, 2, 7, 7, time, false, stack, 3);
	add(7, 0, 0x7000, 0x40, "alpha");
	name_all(&capture);
	/* named(), in there, fails at a second one. */
	CHECK(strstr(stacks(&capture), "alpha alpha alpha;") != NULL);
	CHECK_EQ(totals.n_names, 1);
	CHECK_EQ(totals.n_addresses, 300);
	make_free(&capture);
}

TEST(more_names_than_one_frame_holds_are_told_in_several)
{
	enum {
		N = 64
	};
	struct make_capture capture;
	static char name[4000];
	uint64_t stack[N];

	begin(&capture);
	for (unsigned i = 0; i < N; i++)
		stack[i] = 0x7000 + 16 * i;
	make_stack(&capture, 2, 7, 7, 1100, false, stack, N);
	memset(name, 'n', sizeof(name) - 1);
	for (unsigned i = 0; i < N; i++) {
		name[0] = (char)('0' + i);
		add(7, 0, stack[i], 16, name);
	}
	name_all(&capture);
	for (unsigned i = 0; i < N; i++) {
		const char *told = named(&capture, UINT64_MAX, MARK | (i + 1));

		CHECK(told != NULL && told[0] == (char)('0' + i));
		CHECK_EQ(strlen(told), sizeof(name) - 1);
	}
	make_free(&capture);
}

TEST(code_events_of_the_capture_are_taken_in_their_order)
{
	static const char *const events[] = {
		"add 7000 40 alpha one", "move 7000 8000 40",
		"remove 8000 40",        "add 7000 40 beta",
		"add 7000 40",           "move 1 2",
		"add 0x 40 gamma",       "nonsense",
		"remove 7000 40 x",
	};
	const uint64_t stack[] = { 0x7010, 0x8010 };
	struct make_capture capture;
	const int32_t pid = 7;

	begin(&capture);
	for (unsigned i = 0; i < sizeof(events) / sizeof(*events); i++) {
		make_metadata(&capture, 1100 + 100 * (int64_t)i, "syscap.code",
		              events[i]);
		memcpy(capture.data + capture.frame + 4, &pid, 4);
	}
	for (int64_t time = 1150; time <= 1450; time += 100)
		make_stack(&capture, 2, 7, 7, time, false, stack, 2);
	name_all(&capture);
	CHECK_STR(stacks(&capture), "alpha one 8010; 7010 alpha one; 7010 "
	                            "8010; beta 8010");
	CHECK_EQ(totals.n_bad, 5);
	CHECK_EQ(totals.n_ranges, 4);
	make_free(&capture);
}

TEST(all_other_frames_are_copied_as_they_are)
{
	struct make_capture capture, expected;
	struct syscap_reader *in, *out;
	struct syscap_frame a, b;

	CHECK_EQ(sc_code_names_new(&names), 0);
	make_everything(&capture, false);
	make_everything(&expected, false);
	name_all(&capture);
	in = open_reader(&expected);
	out = open_reader(&capture);
	while (syscap_reader_next(in, &a, NULL) > 0) {
		if (a.type == SYSCAP_FRAME_TIMESTAMP && a.timestamp.is_index)
			continue;
		CHECK_EQ(syscap_reader_next(out, &b, NULL), 1);
		CHECK_EQ(a.len, b.len);
		CHECK_EQ(memcmp(a.bytes, b.bytes, a.len), 0);
	}
	CHECK_EQ(syscap_reader_next(out, &b, NULL), 0);
	syscap_reader_close(in);
	syscap_reader_close(out);
	make_free(&expected);
	make_free(&capture);
}

TEST(a_damaged_capture_is_named_up_to_the_damage)
{
	const uint64_t stack[] = { 0x7010 };
	struct make_capture capture;

	begin(&capture);
	make_stack(&capture, 2, 7, 7, 1100, false, stack, 1);
	make_stack(&capture, 2, 7, 7, 1200, false, stack, 1);
	capture.size -= 8;
	add(7, 0, 0x7000, 0x40, "alpha");
	name_all(&capture);
	CHECK_STR(stacks(&capture), "alpha");
	CHECK_EQ(totals.n_left_out, 1);
	make_free(&capture);
}

TEST(without_code_there_is_nothing_to_do)
{
	struct make_capture capture;
	struct syscap_reader *reader;

	begin(&capture);
	make_process(&capture, 7, 1001, "demo");
	table_of(7);
	reader = open_reader(&capture);
	CHECK_EQ(sc_code_names_scan(names, reader), 0);
	CHECK_EQ(sc_code_names_settle(names), 0);
	CHECK(!sc_code_names_any(names));
	syscap_reader_close(reader);
	sc_code_names_free(names);
	make_free(&capture);
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
	const struct sc_code_files_options options = {
		.perf_map_folder = folder,
		.tell = tell,
	};
	struct sc_code_files_totals found;
	struct syscap_reader *reader = open_reader(capture);

	told[0] = 0;
	CHECK_EQ(sc_code_files_read(names, reader, &options, &found), 0);
	CHECK_EQ(found.n_perf_maps, n_maps);
	CHECK_EQ(found.n_dumps, n_dumps);
	syscap_reader_close(reader);
}

static void set_date(struct make_capture *capture, const char *date)
{
	memset(capture->data + 8, 0, 64);
	memcpy(capture->data + 8, date, strlen(date));
}

TEST(files_that_are_still_there_name_a_capture_later)
{
	const uint64_t stack[] = { 0x1008, 140022943825696 };
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
	make_stack(&capture, 2, 7, 7, 37047484607165, false, stack, 2);
	read_files(&capture, folder, 1, 1);
	CHECK_STR(told, "");
	name_all(&capture);
	CHECK_STR(stacks(&capture), "alpha py::gr\xC3\xB6\xC3\x9F"
	                            "e:/app/t.py");
	make_free(&capture);
	sample_remove(map);
	sample_remove(dump);
	free(folder);
	free(bytes);
}

TEST(files_older_than_the_capture_are_of_another_process)
{
	char *map = sample_make("perf-7.map", "1000 10 alpha", 13);
	struct make_capture capture;
	char *folder = strdup(map);

	*strrchr(folder, '/') = 0;
	begin(&capture);
	set_date(&capture, "2199-01-01T00:00:00Z");
	make_process(&capture, 7, 1001, "python");
	read_files(&capture, folder, 0, 0);
	CHECK_STR(told, "perf-7.map: not used: it is older than the capture");
	sc_code_names_free(names);
	make_free(&capture);
	sample_remove(map);
	free(folder);
}
