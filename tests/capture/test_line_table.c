/* SPDX-License-Identifier: BSD-2-Clause */
/* test_line_table.c - the table of source lines, and its errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/line_table.h"
#include "common/load.h"
#include "harness/test.h"

static const struct syc_line_frame frames[] = {
	{ "swap", "/src/swap.h", 9 },
	{ "order", "/src/order.c", 120 },
	{ "main", "/src/main.c", 7 },
};

struct made {
	struct syc_line_make make;
	unsigned char *bytes;
	size_t size;
	struct syc_line_table table;
};

static void finish(struct made *made)
{
	CHECK_EQ(syc_line_make_table(&made->make, &made->bytes, &made->size),
	         0);
	CHECK(syc_line_table_open(made->bytes, made->size, &made->table) ==
	      NULL);
}

static void begin(struct made *made)
{
	size_t binary;

	memset(made, 0, sizeof(*made));
	CHECK_EQ(syc_line_make_binary(&made->make, "/usr/bin/a", "abcd",
	                              &binary),
	         1);
	CHECK_EQ(syc_line_make_place(&made->make, binary, 0x2000, frames, 3),
	         1);
	CHECK_EQ(syc_line_make_place(&made->make, binary, 0x1000, frames, 3),
	         1);
	CHECK_EQ(
		syc_line_make_place(&made->make, binary, 0x1001, frames + 2, 1),
		1);
	CHECK_EQ(syc_line_make_binary(&made->make, "/opt/b", "", &binary), 1);
	CHECK_EQ(
		syc_line_make_place(&made->make, binary, 0x1000, frames + 1, 2),
		1);
}

static void end(struct made *made)
{
	syc_line_make_fini(&made->make);
	free(made->bytes);
}

static const char *at(const struct made *made, const char *path,
                      const char *build_id, uint64_t offset)
{
	struct syc_line_place place;
	struct syc_line_frame frame;
	static char text[512];

	text[0] = 0;
	if (!syc_line_table_find(&made->table, path, build_id, offset, &place))
		return "nothing";
	for (uint32_t i = 0; i < place.n; i++) {
		syc_line_table_frame(&made->table, place.first + i, &frame);
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		         "%s%s %s:%u", i ? ", " : "", frame.function,
		         frame.file, frame.line);
	}
	return text;
}

TEST(a_place_is_found_by_file_and_offset)
{
	struct made made;

	begin(&made);
	finish(&made);
	CHECK_STR(at(&made, "/usr/bin/a", "abcd", 0x1000),
	          "swap /src/swap.h:9, order /src/order.c:120, "
	          "main /src/main.c:7");
	CHECK_STR(at(&made, "/usr/bin/a", "abcd", 0x1001),
	          "main /src/main.c:7");
	CHECK_STR(at(&made, "/moved/a", "abcd", 0x1001), "main /src/main.c:7");
	CHECK_STR(at(&made, "/usr/bin/a", "abce", 0x1001), "nothing");
	CHECK_STR(at(&made, "/usr/bin/a", "", 0x1001), "nothing");
	CHECK_STR(at(&made, "/opt/b", "", 0x1000),
	          "order /src/order.c:120, main /src/main.c:7");
	CHECK_STR(at(&made, "/opt/b", "", 0x1001), "nothing");
	CHECK_STR(at(&made, "/opt/b", "", UINT64_MAX), "nothing");
	end(&made);
}

TEST(equal_places_share_their_source_frames)
{
	struct made made;

	begin(&made);
	finish(&made);
	CHECK_EQ(made.table.n_places, 4);
	CHECK_EQ(made.table.n_frames, 6);
	end(&made);
}

TEST(the_first_of_two_that_differ_stays)
{
	struct made made;
	size_t binary;

	begin(&made);
	CHECK_EQ(syc_line_make_binary(&made.make, "/else", "abcd", &binary), 0);
	CHECK_EQ(syc_line_make_place(&made.make, binary, 0x1001, frames + 2, 1),
	         0);
	CHECK_EQ(syc_line_make_place(&made.make, binary, 0x1001, frames, 1),
	         -EEXIST);
	finish(&made);
	CHECK_STR(at(&made, "/usr/bin/a", "abcd", 0x1001),
	          "main /src/main.c:7");
	end(&made);
}

TEST(a_table_that_is_added_to_itself_or_nothing_is_the_same)
{
	struct made made, other = { 0 };
	uint64_t left_out;

	begin(&made);
	finish(&made);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(syc_line_make_add(&other.make, &made.table, &left_out),
		         0);
		CHECK_EQ(left_out, 0);
	}
	finish(&other);
	CHECK_STR(at(&other, "/usr/bin/a", "abcd", 0x2000),
	          "swap /src/swap.h:9, order /src/order.c:120, "
	          "main /src/main.c:7");
	CHECK_EQ(other.size, made.size);
	end(&other);
	end(&made);
}

TEST(an_empty_table_is_one)
{
	struct made made = { 0 };

	finish(&made);
	CHECK_STR(at(&made, "/a", "", 0), "nothing");
	end(&made);
}

/* The error of a table whose u32 at @offset is @value. */
static const char *spoil(const struct made *made, size_t offset, uint32_t value)
{
	unsigned char *copy = malloc(made->size);
	struct syc_line_table table;
	const char *wrong;

	CHECK(copy != NULL && offset + 4 <= made->size);
	memcpy(copy, made->bytes, made->size);
	syc_store_u32(copy + offset, value);
	wrong = syc_line_table_open(copy, made->size, &table);
	free(copy);
	return wrong != NULL ? wrong : "nothing";
}

TEST(a_table_that_makes_no_sense_is_refused)
{
	const size_t binaries = 32, places = binaries + 2 * 16,
		     lines = places + 4 * 16;
	struct made made;

	begin(&made);
	finish(&made);
	CHECK_STR(spoil(&made, 0, 1), "not a table of source lines");
	CHECK_STR(spoil(&made, 8, 2), "an unknown version");
	for (size_t count = 12; count <= 24; count += 4) {
		CHECK_STR(spoil(&made, count, UINT32_MAX),
		          "a size that differs from the header");
		CHECK_STR(spoil(&made, count, 0),
		          "a size that differs from the header");
	}
	CHECK_STR(spoil(&made, binaries, 2), "a binary's text is out of range");
	CHECK_STR(spoil(&made, binaries + 4, UINT32_MAX),
	          "a binary's text is out of range");
	CHECK_STR(spoil(&made, binaries + 8, 1),
	          "the places of two binaries are not in order");
	CHECK_STR(spoil(&made, binaries + 12, 5),
	          "the places of two binaries are not in order");
	CHECK_STR(spoil(&made, binaries + 16 + 12, 0),
	          "places without a binary");
	CHECK_STR(spoil(&made, places, 0x1001), "places that are not sorted");
	CHECK_STR(spoil(&made, places + 8, 7),
	          "a place's source frames are out of range");
	CHECK_STR(spoil(&made, places + 12, 0),
	          "a place's source frames are out of range");
	CHECK_STR(spoil(&made, places + 12, 7),
	          "a place's source frames are out of range");
	CHECK_STR(spoil(&made, lines, 2),
	          "a source frame's text is out of range");
	CHECK_STR(spoil(&made, lines + 4, UINT32_MAX),
	          "a source frame's text is out of range");
	CHECK_STR(spoil(&made, made.size - 4, UINT32_MAX),
	          "texts that do not begin or end with a NUL");
	end(&made);
}

TEST(a_table_that_is_cut_is_refused)
{
	struct syc_line_table table;
	struct made made;

	begin(&made);
	finish(&made);
	for (size_t size = 0; size < made.size; size++) {
		/* Exactly this size, so that ASan sees a read beyond. */
		unsigned char *copy = malloc(size ? size : 1);

		CHECK(copy != NULL);
		memcpy(copy, made.bytes, size);
		CHECK(syc_line_table_open(copy, size, &table) != NULL);
		free(copy);
	}
	end(&made);
}
