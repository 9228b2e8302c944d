/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_table.c - the table of symbols, byte by byte, and its limits.
 *
 * The test looks names up like both readers, after the description of the
 * format and without the library's code.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "stage.h"
#include "symbols/symbol_table.h"

static const struct elf_symbol alpha[] = {
	{ "alpha", 0x400, 0x40, STT_FUNC, STB_GLOBAL, false },
	{ "beta", 0x440, 0x40, STT_FUNC, STB_GLOBAL, false },
	{ "unused", 0x500, 0x40, STT_FUNC, STB_GLOBAL, false },
};
static const struct elf_symbol other_symbols[] = {
	{ "gamma", 0x410, 0x60, STT_FUNC, STB_GLOBAL, false },
};

static struct stage stage;
static struct syc_symbols *symbols;
static struct syc_symbol_table *table;
static unsigned char *bytes; /* bytes of the written table */
static size_t size;

static void begin(void)
{
	const struct elf_spec spec = stage_spec(alpha, 3);

	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
}

static void stack(int pid, int64_t time, uint64_t a, uint64_t b)
{
	const uint64_t addrs[] = { a, b };

	make_stack(&stage.capture, SYSCAP_FRAME_SAMPLE, pid, pid, time, false,
	           addrs, b ? 2 : 1);
}

/* Writes the table into a file, and opens the file. */
static struct syscap_reader *written(const char *name)
{
	struct syscap_reader *reader;
	struct syc_writer *writer;
	struct syscap_error error;

	CHECK_EQ(syc_writer_open(stage_path(&stage, name), false, &writer,
	                         &error),
	         0);
	CHECK_EQ(syc_writer_begin(writer, 1000, &error), 0);
	syc_symbol_table_write(table, writer, 9000);
	CHECK_EQ(syc_writer_finish(writer, 9000), 0);
	syc_writer_close(writer);
	CHECK_EQ(syscap_reader_open(stage_path(&stage, name), &reader, &error),
	         0);
	return reader;
}

/* Reads the bytes of `__symbols__`, of all chunks. */
static void read_back(void)
{
	struct syscap_reader *reader = written("table");
	struct syscap_frame frame;

	bytes = NULL;
	size = 0;
	while (syscap_reader_next(reader, &frame, NULL) == 1) {
		if (frame.type != SYSCAP_FRAME_FILE_CHUNK)
			continue;
		CHECK_STR(frame.file_chunk.path, "__symbols__");
		bytes = realloc(bytes, size + frame.file_chunk.len);
		CHECK(bytes != NULL);
		memcpy(bytes + size, frame.file_chunk.data,
		       frame.file_chunk.len);
		size += frame.file_chunk.len;
	}
	syscap_reader_close(reader);
}

static void make_table(bool extend)
{
	const struct syc_symbol_table_options options = { .extend = extend };
	const struct syc_symbols_options none = { 0 };

	stage_read(&stage);
	CHECK_EQ(syc_symbols_new(&none, &symbols), 0);
	CHECK_EQ(syc_symbols_learn(symbols, stage.reader), 0);
	CHECK_EQ(syc_symbol_table_make(symbols, stage.reader, &options, &table),
	         0);
	read_back();
}

static void finish(void)
{
	free(bytes);
	syc_symbol_table_free(table);
	syc_symbols_free(symbols);
	stage_end(&stage);
}

static uint64_t u64(size_t at)
{
	uint64_t value = 0;

	CHECK(at + 8 <= size);
	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)bytes[at + i] << 8 * i;
	return value;
}

static uint32_t u32(size_t at)
{
	uint32_t value = 0;

	CHECK(at + 4 <= size);
	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)bytes[at + i] << 8 * i;
	return value;
}

/* All records as one text. */
static void check_records(const char *wanted)
{
	char text[2048] = "";
	size_t len = 0;

	for (size_t at = 0; size > 0; at += 32) {
		if (u64(at) == 0 && u64(at + 8) == 0 && u32(at + 16) == 0 &&
		    u32(at + 20) == 0) {
			/* some bytes follow the record of zeros */
			CHECK(at + 32 < size);
			break;
		}
		CHECK(u32(at + 20) > 0 && u32(at + 20) < size);
		CHECK(u32(at + 24) > 0 && u32(at + 24) < size);
		CHECK_EQ(u32(at + 28), 0);
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		                        "%s%u:%llx-%llx %s/%s", at ? ", " : "",
		                        u32(at + 16),
		                        (unsigned long long)u64(at),
		                        (unsigned long long)u64(at + 8),
		                        (const char *)bytes + u32(at + 20),
		                        (const char *)bytes + u32(at + 24));
	}
	CHECK_STR(text, wanted);
}

TEST(table_has_only_used_functions)
{
	begin();
	stack(7, 3000, 0x10410, 0x10445);
	stack(7, 3001, 0x10410, 0);
	make_table(false);
	check_records(
		"7:10400-10440 alpha/liba.so, 7:10440-10480 beta/liba.so");
	CHECK_EQ(bytes[size - 1], 0);
	finish();
}

TEST(records_are_sorted_by_pid_and_address)
{
	begin();
	stage_map(&stage, 3, 2000, 0x50000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	stack(7, 3000, 0x10510, 0x10445);
	stack(3, 3000, 0x50445, 0);
	make_table(false);
	check_records("3:50440-50480 beta/liba.so, 7:10440-10480 beta/liba.so, "
	              "7:10500-10540 unused/liba.so");
	finish();
}

TEST(traces_and_allocations_have_stacks_too)
{
	const uint64_t one = 0x10410, two = 0x10450;

	begin();
	make_stack(&stage.capture, SYSCAP_FRAME_TRACE, 7, 7, 3000, true, &one,
	           1);
	make_allocation(&stage.capture, 7, 7, 3000, 0x1234, 8, &two, 1);
	make_table(false);
	check_records(
		"7:10400-10440 alpha/liba.so, 7:10440-10480 beta/liba.so");
	finish();
}

TEST(a_capture_without_stacks_gets_no_table)
{
	begin();
	make_table(false);
	CHECK(bytes == NULL);
	finish();
}

TEST(a_call_that_never_returns_keeps_its_function)
{
	begin();
	/* The address after alpha's last call is beta's first instruction. */
	stack(7, 3000, 0x10510, 0x10440);
	stack(7, 3001, 0x10448, 0);
	make_table(false);
	check_records(
		"7:10400-10441 alpha/liba.so, 7:10441-10480 beta/liba.so, "
		"7:10500-10540 unused/liba.so");
	finish();
}

static size_t n_patches(void)
{
	size_t n;

	syc_symbol_table_patches(table, &n);
	return n;
}

TEST(second_name_of_an_address_is_a_jit_name)
{
	const struct syc_symbol_patch *patches;
	size_t n;

	begin();
	/* Samples have beta's first instruction, and also return from alpha's
	 * last call to the same address. */
	stack(7, 3000, 0x10440, 0);
	stack(7, 3001, 0x10510, 0x10440);
	make_table(false);
	check_records(
		"7:10400-1043f alpha/liba.so, 7:10440-10480 beta/liba.so, "
		"7:10500-10540 unused/liba.so");
	patches = syc_symbol_table_patches(table, &n);
	CHECK_EQ(n, 1);
	CHECK(patches[0].address == UINT64_C(0xe000000000000001));
	/* The patch is at the second address of the last frame. */
	CHECK_EQ(patches[0].offset, stage.capture.size - 8);
	finish();
}

TEST(first_instruction_belongs_to_its_function_for_all_readers)
{
	begin();
	stack(7, 3000, 0x10410, 0);
	stack(7, 3001, 0x10440, 0);
	make_table(false);
	/* Readers that include the end would find 0x10440 in alpha. */
	check_records(
		"7:10400-1043f alpha/liba.so, 7:10440-10480 beta/liba.so");
	CHECK_EQ(n_patches(), 0);
	finish();
	begin();
	/* the last byte of alpha has a sample, too */
	stack(7, 3000, 0x1043f, 0);
	stack(7, 3001, 0x10440, 0);
	make_table(false);
	check_records(
		"7:10400-10440 alpha/liba.so, 7:10440-10480 beta/liba.so");
	finish();
}

/* Two libraries at the same addresses; the second is mapped at 5000 ns. */
static void two_libraries(void)
{
	struct elf_spec other = stage_spec(other_symbols, 1);

	begin();
	other.build_id_size = 4;
	stage_elf(&stage, "libb.so", &other);
	stage_map(&stage, 7, 5000, 0x10000, stage_path(&stage, "libb.so"),
	          "01234567", 0);
}

TEST(more_used_library_at_a_place_is_in_the_table)
{
	const struct syc_symbol_patch *patches;
	size_t n;

	two_libraries();
	stack(7, 4000, 0x10420, 0x10450);
	for (int i = 0; i < 10; i++)
		stack(7, 6000 + i, 0x10420, 0);
	make_table(false);
	check_records("7:10410-10470 gamma/libb.so");
	patches = syc_symbol_table_patches(table, &n);
	CHECK_EQ(n, 2);
	CHECK(patches[0].offset < patches[1].offset);
	CHECK(patches[0].address != patches[1].address);
	finish();
}

TEST(patch_addresses_are_above_present_ones)
{
	const char *const names[] = { "x", "y" };
	struct syscap_reader *reader;
	struct syscap_frame frame;
	size_t cursor = 0;
	uint64_t address;
	const char *name;

	two_libraries();
	make_jitmap(&stage.capture, 1500, UINT64_C(0xe000000000000100), names,
	            2);
	stack(7, 3000, UINT64_C(0xe000000000000200), 0);
	stack(7, 4000, 0x10420, 0);
	stack(7, 6000, 0x10420, 0);
	stack(7, 6001, 0x10420, 0);
	make_table(false);
	reader = written("names");
	CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 1);
	CHECK_EQ(frame.type, SYSCAP_FRAME_JITMAP);
	CHECK_EQ(frame.jitmap.n_names, 1);
	CHECK(syscap_frame_jit_name(reader, &frame, &cursor, &address, &name));
	CHECK_STR(name, "alpha");
	CHECK(address == UINT64_C(0xe000000000000201));
	syscap_reader_close(reader);
	finish();
}

TEST(patch_addresses_fall_back_to_the_lowest_free)
{
	const char *const names[] = { "x", "y" };
	const struct syc_symbol_patch *patches;
	size_t n;

	two_libraries();
	make_jitmap(&stage.capture, 1500, UINT64_C(0xe0000000fffffffe), names,
	            2);
	make_jitmap(&stage.capture, 1500, UINT64_C(0xe000000000000001), names,
	            1);
	/* This address has no name, and must not get alpha's name. */
	stack(7, 3000, UINT64_C(0xe000000000000002), 0);
	stack(7, 4000, 0x10420, 0x10450);
	for (int i = 0; i < 3; i++)
		stack(7, 6000 + i, 0x10420, 0);
	make_table(false);
	patches = syc_symbol_table_patches(table, &n);
	CHECK_EQ(n, 2);
	CHECK(patches[0].address == UINT64_C(0xe000000000000003));
	CHECK(patches[1].address == UINT64_C(0xe000000000000004));
	finish();
}

TEST(a_large_table_is_cut_into_chunks_behind_a_timestamp)
{
	const size_t n = 3000;
	struct elf_spec spec;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	size_t at = 0, n_chunks = 0;

	begin();
	/* Each mapping of libc.so has other addresses. */
	spec = stage_spec(alpha, 3);
	stage_elf(&stage, "libc.so", &spec);
	for (size_t i = 0; i < n; i++) {
		stage_map(&stage, 9, 2000, 0x1000000 + i * 0x1000,
		          stage_path(&stage, "libc.so"), STAGE_ID, 0);
		stack(9, 3000, 0x1000410 + i * 0x1000, 0);
	}
	make_table(false);
	CHECK(size > 65244);
	reader = written("chunks");
	CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 1);
	CHECK_EQ(frame.type, SYSCAP_FRAME_TIMESTAMP);
	while (syscap_reader_next(reader, &frame, NULL) == 1) {
		CHECK_EQ(frame.type, SYSCAP_FRAME_FILE_CHUNK);
		CHECK_EQ(frame.time, 9000);
		CHECK_EQ(frame.pid, -1);
		CHECK_STR(frame.file_chunk.path, "__symbols__");
		CHECK(at + frame.file_chunk.len <= size);
		CHECK(memcmp(bytes + at, frame.file_chunk.data,
		             frame.file_chunk.len) == 0);
		at += frame.file_chunk.len;
		CHECK_EQ(frame.file_chunk.is_last, at == size);
		n_chunks++;
	}
	CHECK_EQ(at, size);
	CHECK(n_chunks > 1);
	syscap_reader_close(reader);
	finish();
}

/* A table with one record, "kept" at 0x70000 of process 7. */
static void add_old_table(void)
{
	struct make_capture old;

	make_begin(&old, false, 0, 0);
	old.size = 0;
	make_u64(&old, 0x70000);
	make_u64(&old, 0x70010);
	make_u32(&old, 7);
	make_u32(&old, 64);
	make_u32(&old, 0);
	make_u32(&old, 0);
	make_zeros(&old, 32);
	make_text(&old, "kept");
	make_file_chunk(&stage.capture, 1500, true, "__symbols__", old.data,
	                (unsigned)old.size);
	make_free(&old);
}

TEST(names_of_an_old_table_are_kept_on_request)
{
	struct syc_symbol_table_totals totals;

	for (int extend = 0; extend < 2; extend++) {
		begin();
		add_old_table();
		stack(7, 3000, 0x10410, 0);
		make_table(extend);
		syc_symbol_table_totals(table, &totals);
		CHECK(totals.had_table);
		CHECK_EQ(totals.kept, extend);
		CHECK_EQ(totals.records, 1 + extend);
		finish();
	}
}

TEST(addresses_are_counted_by_outcome)
{
	const uint64_t addrs[] = {
		UINT64_C(0xffffffffffffff80), UINT64_C(0xffffffff81000000),
		UINT64_C(0xfffffffffffffe00), 0x10410,
		UINT64_C(0xe000000000000001), 0x77777777
	};
	struct syc_symbol_table_totals totals;

	begin();
	make_stack(&stage.capture, SYSCAP_FRAME_SAMPLE, 7, 7, 3000, false,
	           addrs, 6);
	make_table(false);
	syc_symbol_table_totals(table, &totals);
	CHECK_EQ(totals.addresses, 2);
	CHECK_EQ(totals.named, 1);
	CHECK_EQ(totals.kernel, 1);
	CHECK_EQ(totals.jit, 1);
	finish();
}

TEST(an_address_behind_a_marker_is_no_return_address)
{
	const uint64_t addrs[] = { 0x10410, UINT64_C(0xfffffffffffffe00),
		                   0x10440 };

	begin();
	make_stack(&stage.capture, SYSCAP_FRAME_SAMPLE, 7, 7, 3000, false,
	           addrs, 3);
	make_table(false);
	check_records(
		"7:10400-1043f alpha/liba.so, 7:10440-10480 beta/liba.so");
	finish();
}

TEST(big_endian_captures_are_refused)
{
	const struct syc_symbol_table_options options = { 0 };
	const struct syc_symbols_options none = { 0 };

	stage_begin(&stage);
	make_free(&stage.capture);
	make_begin(&stage.capture, true, 1000, 9000);
	stage_read(&stage);
	CHECK_EQ(syc_symbols_new(&none, &symbols), 0);
	CHECK_EQ(syc_symbol_table_make(symbols, stage.reader, &options, &table),
	         -EILSEQ);
	syc_symbols_free(symbols);
	stage_end(&stage);
}
