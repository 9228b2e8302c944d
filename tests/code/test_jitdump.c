/* SPDX-License-Identifier: BSD-2-Clause */
/* test_jitdump.c - complete, growing, torn and hostile jitdumps. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code/code_sources.h"
#include "code/samples.h"
#include "harness/make_capture.h"
#include "harness/test.h"

/* Bytes in either order, made by the functions for captures. */
static struct make_capture file;
static struct syc_code_table *table;
static struct syc_jitdump *dump;
static int fd;
static size_t written;

static void make_header(bool big, uint64_t flags)
{
	memset(&file, 0, sizeof(file));
	file.big = big;
	make_u32(&file, 0x4A695444);
	make_u32(&file, 1);
	make_u32(&file, 40);
	make_u32(&file, 62);
	make_u32(&file, 0);
	make_u32(&file, 7);
	make_u64(&file, 1000);
	make_u64(&file, flags);
}

static void make_prefix(uint32_t type, size_t body, uint64_t time)
{
	make_u32(&file, type);
	make_u32(&file, (uint32_t)(16 + body));
	make_u64(&file, time);
}

static void make_load(uint32_t pid, uint64_t time, uint64_t addr, uint64_t size,
                      const char *name)
{
	make_prefix(0, 40 + strlen(name) + 1 + 4, time);
	make_u32(&file, pid);
	make_u32(&file, pid);
	make_u64(&file, addr);
	make_u64(&file, addr);
	make_u64(&file, size);
	make_u64(&file, 1);
	make_text(&file, name);
	make_bytes(&file, "code", 4);
}

static void make_move(uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	make_prefix(1, 48, time);
	make_u32(&file, 7);
	make_u32(&file, 7);
	make_u64(&file, to);
	make_u64(&file, from);
	make_u64(&file, to);
	make_u64(&file, size);
	make_u64(&file, 1);
}

static void make_zeros_record(uint32_t type, size_t body)
{
	make_prefix(type, body, 1);
	make_zeros(&file, body);
}

static void begin(int32_t own_pid)
{
	fd = memfd_create("jitdump", MFD_CLOEXEC);
	CHECK(fd >= 0);
	written = 0;
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_jitdump_new(fd, own_pid, &dump), 0);
}

/* Write up to @size bytes of the file. */
static void write_up_to(size_t size)
{
	CHECK_EQ(
		pwrite(fd, file.data + written, size - written, (off_t)written),
		size - written);
	written = size;
}

static void end(void)
{
	syc_jitdump_free(dump);
	syc_code_table_free(table);
	make_free(&file);
}

static void check_all(int32_t own_pid, int result, const char *message)
{
	struct syscap_error error = { 0 };

	begin(own_pid);
	write_up_to(file.size);
	CHECK_EQ(syc_jitdump_read(dump, table, &error), result);
	if (message)
		CHECK_STR(error.message, message);
	CHECK_EQ(syc_code_table_settle(table), 0);
}

static void check_loads_and_moves(bool big)
{
	make_header(big, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha one");
	make_zeros_record(2, 40);
	make_zeros_record(4, 8);
	make_zeros_record(77, 100);
	make_move(3000, 0x1000, 0x2000, 0x40);
	make_load(7, 4000, 0x1000, 0x40, "beta");
	make_zeros_record(3, 0);
	check_all(0, 0, NULL);
	CHECK_STR(sample_find(table, 0x1010, 1999), "-");
	CHECK_STR(sample_find(table, 0x1010, 2000), "alpha one");
	CHECK_STR(sample_find(table, 0x1010, 3000), "-");
	CHECK_STR(sample_find(table, 0x2010, 3000), "alpha one");
	CHECK_STR(sample_find(table, 0x1010, 4000), "beta");
	end();
}

TEST(loads_and_moves_count_from_their_times)
{
	check_loads_and_moves(false);
}

TEST(the_other_byte_order_is_read_too)
{
	check_loads_and_moves(true);
}

TEST(a_file_that_grows_by_bytes_gives_each_record_once)
{
	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	make_load(7, 2001, 0x2000, 0x40, "beta");
	begin(0);
	for (size_t size = 1; size <= file.size; size++) {
		write_up_to(size);
		CHECK_EQ(syc_jitdump_read(dump, table, NULL), 0);
	}
	CHECK_EQ(syc_jitdump_loads(dump), 2);
	end();
}

/* The zeros are like a preallocated file, or like a page that is not written
 * yet. */
TEST(zeros_at_the_end_may_become_records)
{
	static const unsigned char zeros[256];

	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	begin(0);
	write_up_to(40);
	CHECK_EQ(pwrite(fd, zeros, sizeof(zeros), 40), sizeof(zeros));
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), 0);
	write_up_to(file.size);
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), 0);
	CHECK_EQ(syc_jitdump_loads(dump), 1);
	end();
}

TEST(a_torn_record_is_left_out)
{
	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	make_load(7, 2001, 0x2000, 0x40, "beta");
	file.size -= 3;
	check_all(0, 0, NULL);
	CHECK_EQ(syc_jitdump_loads(dump), 1);
	end();
}

TEST(records_of_other_processes_are_ignored)
{
	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "of the header's");
	make_load(9, 2001, 0x1000, 0x40, "of the child");
	make_load(8, 2002, 0x1000, 0x40, "of another child");
	check_all(9, 0, NULL);
	CHECK_STR(sample_find(table, 0x1000, 2000), "of the header's");
	CHECK_STR(sample_find(table, 0x1000, 2002), "of the child");
	CHECK_EQ(syc_jitdump_loads(dump), 2);
	end();
}

TEST(times_of_another_clock_are_refused_with_the_reason)
{
	make_header(false, 1);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	check_all(0, -EOPNOTSUPP,
	          "the times come from the processor's counter; make the "
	          "runtime use CLOCK_MONOTONIC");
	/* The file stays refused. */
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), -EOPNOTSUPP);
	CHECK_EQ(syc_jitdump_loads(dump), 0);
	end();
}

TEST(other_files_are_no_jitdump)
{
	make_header(false, 0);
	file.data[0] ^= 1;
	check_all(0, -EBADMSG, "the file is not a jitdump");
	end();
	make_header(false, 0);
	file.data[4] = 2;
	check_all(0, -EOPNOTSUPP,
	          "the jitdump has the unknown version 2, not 1");
	end();
	make_header(false, 0);
	file.data[8] = 39;
	check_all(0, -EBADMSG, "the header has an invalid size of 39 bytes");
	end();
	make_header(false, 0);
	file.data[11] = 0x80;
	check_all(0, -EBADMSG,
	          "the header has an invalid size of 2147483688 bytes");
	end();
}

TEST(a_record_too_short_for_itself_ends_the_file_with_its_place)
{
	struct syscap_error error = { 0 };

	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	const size_t at = file.size;
	make_u32(&file, 0);
	make_u32(&file, 15);
	make_u64(&file, 9);
	make_load(7, 2000, 0x1000, 0x40, "beta");
	check_all(0, -EBADMSG, "a record has an invalid size of 15 bytes");
	CHECK_EQ(syc_jitdump_read(dump, table, &error), -EBADMSG);
	CHECK_EQ(error.offset, at);
	CHECK_STR(sample_find(table, 0x1000, 2000), "alpha");
	end();
}

TEST(empty_loads_are_omitted)
{
	make_header(false, 0);
	make_zeros_record(0, 0);
	make_zeros_record(0, 40);
	make_zeros_record(1, 47);
	make_load(7, 2000, 0x1000, 0, "empty");
	make_load(7, 2000, UINT64_MAX, 2, "beyond");
	make_load(7, UINT64_MAX, 0x1000, 2, "too late");
	make_load(7, 2000, 0x1000, 0x40, "");
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	check_all(0, 0, NULL);
	CHECK_EQ(syc_jitdump_loads(dump), 1);
	CHECK_STR(sample_find(table, 0x1000, 2000), "alpha");
	end();
}

TEST(a_name_without_end_stays_within_its_record)
{
	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	/* Overwrites the NUL and the code after it. */
	memset(file.data + file.size - 5, 'x', 5);
	make_zeros_record(77, 8);
	make_load(7, 2000, 0x2000, 0x40, "beta");
	check_all(0, 0, NULL);
	CHECK_STR(sample_find(table, 0x1000, 2000), "alphaxxxxx");
	CHECK_STR(sample_find(table, 0x2000, 2000), "beta");
	end();
}

TEST(a_record_of_gigabytes_is_waited_for_and_not_read)
{
	make_header(false, 0);
	make_u32(&file, 0);
	make_u32(&file, 0xFFFFFFF0);
	make_u64(&file, 9);
	check_all(0, 0, NULL);
	CHECK_EQ(syc_jitdump_loads(dump), 0);
	/* A long record, here a hole, is skipped when the file has all bytes of
	 * the record. */
	CHECK_EQ(ftruncate(fd, INT64_C(40) + 0xFFFFFFF0), 0);
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), 0);
	end();
}

TEST(a_file_that_becomes_shorter_is_damaged)
{
	make_header(false, 0);
	make_load(7, 2000, 0x1000, 0x40, "alpha");
	check_all(0, 0, NULL);
	CHECK_EQ(ftruncate(fd, 50), 0);
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), -EBADMSG);
	end();
}

TEST(names_of_files_are_known)
{
	CHECK(syc_jitdump_is_name("/tmp/jit-12.dump"));
	CHECK(!syc_jitdump_is_name("jit-12.dump"));
	CHECK(!syc_jitdump_is_name("/tmp/jit-.dump"));
	CHECK(!syc_jitdump_is_name("/tmp/jit-12.dump (deleted)"));
	CHECK(!syc_jitdump_is_name("/tmp/jit-12x.dump"));
	CHECK(!syc_jitdump_is_name("/tmp/ajit-12.dump"));
}

TEST(output_of_runtimes_is_read)
{
	struct syc_code_table *of = sample_jitdump(sample_path("node.dump"));

	CHECK_STR(sample_find(of, 139908332938048 + 5, 37042360096581),
	          "JS:*leafHash /app/t.js:1:18");
	CHECK_STR(sample_find(of, 139908332938048 + 5, 37042360096580), "-");
	syc_code_table_free(of);
	of = sample_jitdump(sample_path("python.dump"));
	CHECK_STR(sample_find(of, 140022943825696, 37047484607165),
	          "py::gr\xC3\xB6\xC3\x9F"
	          "e:/app/t.py");
	syc_code_table_free(of);
}
