/* SPDX-License-Identifier: BSD-2-Clause */
/* test_join_files.c - files and tables of symbols in joined captures. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/joining.h"
#include "harness/make_capture.h"
#include "harness/test.h"

static void chunk(struct make_capture *capture, const char *path,
                  const char *text, bool is_last)
{
	make_file_chunk(capture, 1, is_last, path, text,
	                (unsigned)strlen(text));
}

/* "PATH=content|PATH=content|": the files as seen by readers; "!" follows a
 * file with an end. */
static const char *files(const struct joined *joined)
{
	struct syscap_reader *reader = joined_open(joined);
	struct syscap_frame frame;
	static char text[2048];

	text[0] = 0;
	while (syscap_reader_next(reader, &frame, NULL) > 0)
		if (frame.type == SYSCAP_FRAME_FILE_CHUNK)
			snprintf(text + strlen(text),
			         sizeof(text) - strlen(text), "%s=%.*s%s|",
			         frame.file_chunk.path, frame.file_chunk.len,
			         (const char *)frame.file_chunk.data,
			         frame.file_chunk.is_last ? "!" : "");
	syscap_reader_close(reader);
	return text;
}

static void begin(struct make_capture *captures, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		make_begin(&captures[i], false, 0, 9);
}

TEST(chunks_of_an_input_keep_their_order)
{
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	chunk(&in[0], "/a", "one", false);
	chunk(&in[0], "/b", "two", true);
	chunk(&in[0], "/a", "three", true);
	chunk(&in[0], "/a", "four", true);
	chunk(&in[1], "/c", "five", true);
	join(&joined, in, 2);
	CHECK_STR(files(&joined),
	          "/a=one|/b=two!|/a=three!|/a=four!|/c=five!|");
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

TEST(a_file_that_inputs_share_is_written_once)
{
	struct make_capture in[3];
	struct joined joined;

	begin(in, 3);
	chunk(&in[0], "/a", "hello", true);
	chunk(&in[1], "/a", "hel", false);
	chunk(&in[1], "/a", "", false);
	chunk(&in[1], "/a", "lo", true);
	chunk(&in[1], "/b", "x", true);
	chunk(&in[2], "/a", "hello", true);
	join(&joined, in, 3);
	CHECK_STR(files(&joined), "/a=hello!|/b=x!|");
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

TEST(files_that_differ_get_a_path_of_their_own)
{
	struct make_capture in[4];
	struct joined joined;

	begin(in, 4);
	chunk(&in[0], "/a", "one", true);
	chunk(&in[0], "/a (2)", "taken", true);
	chunk(&in[1], "/a", "two", true);
	/* this file differs: it has no end */
	chunk(&in[2], "/a", "one", false);
	chunk(&in[3], "/a", "two", true);
	join(&joined, in, 4);
	CHECK_STR(files(&joined),
	          "/a=one!|/a (2)=taken!|/a (3)=two!|/a (4)=one|");
	CHECK_STR(joined.told,
	          "b: renamed the file '/a' to '/a (3)', because another "
	          "input's file differs\n"
	          "c: renamed the file '/a' to '/a (4)', because another "
	          "input's file differs\n");
	CHECK_EQ(joined.totals.problems, 0);
	joined_free(&joined);
}

TEST(a_path_that_is_too_long_is_cut_between_characters)
{
	struct make_capture in[2];
	struct joined joined;
	char path[256] = "/";

	/* 250 bytes, a character of three bytes, and two more bytes. */
	memset(path + 1, 'p', 249);
	memcpy(path + 250,
	       "\xE2\x82\xAC"
	       "zz",
	       6);
	begin(in, 2);
	chunk(&in[0], path, "one", true);
	chunk(&in[1], path, "two", true);
	join(&joined, in, 2);
	struct syscap_frame frame;
	joined_find(&joined, SYSCAP_FRAME_FILE_CHUNK, 1, &frame);
	CHECK_EQ(strlen(frame.file_chunk.path), 254);
	CHECK_STR(frame.file_chunk.path + 248, "pp (2)");
	joined_free(&joined);
}

/* A table of symbols, byte by byte. */
struct symbol {
	uint64_t begin, end;
	uint32_t pid;
	const char *name, *tag;
};

static void add_table(struct make_capture *capture, const struct symbol *items,
                      unsigned n)
{
	struct make_capture table = { .big = capture->big };
	uint32_t at = (n + 1) * 32 + 1;

	for (unsigned i = 0; i < n; i++) {
		make_u64(&table, items[i].begin);
		make_u64(&table, items[i].end);
		make_u32(&table, items[i].pid);
		make_u32(&table, at);
		at += (uint32_t)strlen(items[i].name) + 1;
		make_u32(&table, items[i].tag ? at : 0);
		if (items[i].tag)
			at += (uint32_t)strlen(items[i].tag) + 1;
		make_u32(&table, 0xCCCCCCCC); /* litter */
	}
	make_zeros(&table, 32 + 1);
	for (unsigned i = 0; i < n; i++) {
		make_text(&table, items[i].name);
		if (items[i].tag)
			make_text(&table, items[i].tag);
	}
	make_file_chunk(capture, 3, false, "__symbols__", table.data, 40);
	make_file_chunk(capture, 4, true, "__symbols__", table.data + 40,
	                (unsigned)table.size - 40);
	make_free(&table);
}

static uint64_t number(const unsigned char *at, unsigned size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

/* "7:100-200=f[tag] ..."; checks the order that readers rely on. */
static const char *table(const struct joined *joined)
{
	struct syscap_frame frame;
	static char text[1024];
	const unsigned char *data;
	size_t size;

	CHECK_EQ(joined_count(joined, SYSCAP_FRAME_FILE_CHUNK), 1);
	joined_find(joined, SYSCAP_FRAME_FILE_CHUNK, 0, &frame);
	CHECK_STR(frame.file_chunk.path, "__symbols__");
	CHECK(frame.file_chunk.is_last);
	data = frame.file_chunk.data;
	size = frame.file_chunk.len;
	text[0] = 0;
	for (size_t at = 0;; at += 32) {
		CHECK(at + 33 <= size);
		const uint32_t name = (uint32_t)number(data + at + 20, 4);
		const uint32_t tag = (uint32_t)number(data + at + 24, 4);

		if (name == 0)
			break;
		CHECK(name < size && tag < size);
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		         "%u:%x-%x=%s[%s] ", (int)number(data + at + 16, 4),
		         (int)number(data + at, 8),
		         (int)number(data + at + 8, 8),
		         (const char *)data + name,
		         tag ? (const char *)data + tag : "");
	}
	return text;
}

TEST(tables_of_symbols_become_one)
{
	static const struct symbol one[] = {
		{ 0x100, 0x200, 7, "f", NULL },
		{ 0x300, 0x400, 7, "g", "lib" },
		{ 0x100, 0x180, 9, "h", NULL },
	};
	static const struct symbol two[] = {
		{ 0x200, 0x280, 7, "between", "lib" },
		{ 0x300, 0x400, 7, "g", "lib" }, /* the same */
		{ 0x100, 0x200, 8, "other pid", NULL },
	};
	static const struct symbol three[] = {
		{ 0x50, 0x101, 7, "overlaps f", NULL },
		{ 0x3FF, 0x500, 7, "overlaps g", NULL },
		{ 0x300, 0x400, 7, "not g", NULL },
		{ 0x500, 0x500, 7, "one address", NULL },
		{ 0x500, 0x501, 7, "overlaps it", NULL },
	};
	struct make_capture in[3];
	struct joined joined;

	begin(in, 3);
	add_table(&in[0], one, 3);
	make_free(&in[1]);
	make_begin(&in[1], true, 0, 9);
	add_table(&in[1], two, 3);
	add_table(&in[2], three, 5);
	join(&joined, in, 3);
	CHECK_STR(table(&joined), "7:100-200=f[] 7:200-280=between[lib] "
	                          "7:300-400=g[lib] 7:500-500=one address[] "
	                          "8:100-200=other pid[] 9:100-180=h[] ");
	CHECK_STR(joined.told,
	          "c: omitted 4 symbols that overlap other symbols\n");
	/* The reference 3.46 skips one frame before a file. */
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_TIMESTAMP), 1);
	joined_free(&joined);
}

TEST(equal_tables_of_symbols_are_a_file_like_any_other)
{
	static const struct symbol one = { 0x100, 0x200, 7, "f", NULL };
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	add_table(&in[0], &one, 1);
	add_table(&in[1], &one, 1);
	join(&joined, in, 2);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_FILE_CHUNK), 2);
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

TEST(a_big_endian_table_of_symbols_turns)
{
	static const struct symbol one = { 0x100, 0x200, 7, "f", "lib" };
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, true, 0, 9);
	add_table(in, &one, 1);
	join(&joined, in, 1);
	CHECK_STR(table(&joined), "7:100-200=f[lib] ");
	joined_free(&joined);
}

TEST(a_table_that_cannot_be_read_gets_another_path)
{
	static const struct symbol one = { 0x100, 0x200, 7, "f", NULL };
	static const struct symbol two = { 0x300, 0x400, 7, "g", NULL };
	struct make_capture in[3];
	struct joined joined;

	begin(in, 3);
	chunk(&in[0], "__symbols__", "no table", true);
	add_table(&in[1], &one, 1);
	add_table(&in[2], &two, 1);
	join(&joined, in, 3);
	CHECK_STR(joined.told,
	          "a: renamed the file '__symbols__' to '__symbols__ (2)', "
	          "because another input's file differs\n");
	struct syscap_frame frame;
	joined_find(&joined, SYSCAP_FRAME_FILE_CHUNK, 0, &frame);
	CHECK_STR(frame.file_chunk.path, "__symbols__ (2)");
	joined_find(&joined, SYSCAP_FRAME_FILE_CHUNK, 1, &frame);
	CHECK_STR(frame.file_chunk.path, "__symbols__");
	CHECK_EQ(frame.file_chunk.len, 3 * 32 + 1 + 4);
	joined_free(&joined);
}

TEST(compressed_symbols_beside_others_are_noted)
{
	static const struct symbol one = { 0x100, 0x200, 7, "f", NULL };
	struct make_capture in[2];
	struct joined joined;

	begin(in, 2);
	add_table(&in[0], &one, 1);
	chunk(&in[1], "__symbols__.gz", "\x1F\x8B", true);
	join(&joined, in, 2);
	CHECK_STR(joined.told,
	          "b: did not merge the compressed symbols: readers will use "
	          "only the symbols of other inputs\n");
	joined_free(&joined);
}

TEST(a_large_table_goes_into_several_chunks)
{
	enum {
		N = 5000
	};
	struct make_capture in[2];
	struct joined joined;
	size_t total = 0;

	begin(in, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct make_capture bytes = { 0 };

		for (unsigned j = 0; j < N; j++) {
			make_u64(&bytes, 0x1000 + 32 * j + 16 * i);
			make_u64(&bytes, 0x1000 + 32 * j + 16 * i + 16);
			make_u32(&bytes, 7);
			make_u32(&bytes, (N + 1) * 32 + 1);
			make_u64(&bytes, 0);
		}
		make_zeros(&bytes, 33);
		make_text(&bytes, "f");
		for (size_t at = 0; at < bytes.size; at += 60000) {
			const size_t left = bytes.size - at;

			make_file_chunk(&in[i], 3, left <= 60000, "__symbols__",
			                bytes.data + at,
			                left < 60000 ? (unsigned)left : 60000);
		}
		make_free(&bytes);
	}
	join(&joined, in, 2);
	const unsigned n = joined_count(&joined, SYSCAP_FRAME_FILE_CHUNK);
	for (unsigned i = 0; i < n; i++) {
		struct syscap_frame frame;

		joined_find(&joined, SYSCAP_FRAME_FILE_CHUNK, i, &frame);
		CHECK_EQ(frame.file_chunk.is_last, i == n - 1);
		total += frame.file_chunk.len;
	}
	CHECK_EQ(n, 5);
	CHECK_EQ(total, (2 * N + 1) * 32 + 1 + 2);
	joined_free(&joined);
}
