/* SPDX-License-Identifier: BSD-2-Clause */
/* test_join_lines.c - tables of source lines in joined captures. */
#include <stdlib.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/joining.h"
#include "capture/line_table.h"
#include "harness/make_capture.h"
#include "harness/test.h"

/* Adds a table in which @offset of /bin/x is @line of x.c. */
static void put_table(struct make_capture *capture, uint64_t offset,
                      uint32_t line)
{
	const struct syc_line_frame frame = { "main", "x.c", line };
	struct syc_line_make make = { 0 };
	unsigned char *bytes;
	size_t binary, size;

	make_begin(capture, false, 0, 9);
	CHECK_EQ(syc_line_make_binary(&make, "/bin/x", "12", &binary), 1);
	CHECK_EQ(syc_line_make_place(&make, binary, offset, &frame, 1), 1);
	CHECK_EQ(syc_line_make_table(&make, &bytes, &size), 0);
	make_file_chunk(capture, 1, true, SYC_LINE_TABLE_PATH, bytes,
	                (unsigned)size);
	free(bytes);
	syc_line_make_fini(&make);
}

/* The line at @offset in the joined capture; 0: no line. */
static uint32_t line_at(const struct joined *joined, uint64_t offset)
{
	struct syscap_reader *reader = joined_open(joined);
	struct syc_line_table table;
	struct syc_line_place place;
	struct syc_line_frame frame = { "", "", 0 };
	unsigned char *bytes;
	size_t size;

	CHECK_EQ(syc_embedded_load(reader, SYC_LINE_TABLE_PATH,
	                           SYC_LINE_TABLE_MAX, &bytes, &size),
	         1);
	CHECK(syc_line_table_open(bytes, size, &table) == NULL);
	if (syc_line_table_find(&table, "/bin/x", "12", offset, &place))
		syc_line_table_frame(&table, place.first, &frame);
	free(bytes);
	syscap_reader_close(reader);
	return frame.line;
}

TEST(tables_become_one)
{
	struct make_capture in[3];
	struct joined joined;

	put_table(&in[0], 0x10, 3);
	put_table(&in[1], 0x20, 4);
	put_table(&in[2], 0x10, 3);
	join(&joined, in, 3);
	CHECK_STR(joined.told, "");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_FILE_CHUNK), 1);
	CHECK_EQ(line_at(&joined, 0x10), 3);
	CHECK_EQ(line_at(&joined, 0x20), 4);
	joined_free(&joined);
}

TEST(equal_tables_stay_as_they_are)
{
	struct make_capture in[2];
	struct joined joined;

	put_table(&in[0], 0x10, 3);
	put_table(&in[1], 0x10, 3);
	join(&joined, in, 2);
	CHECK_STR(joined.told, "");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_FILE_CHUNK), 1);
	CHECK_EQ(line_at(&joined, 0x10), 3);
	joined_free(&joined);
}

TEST(first_of_differing_places_stays)
{
	struct make_capture in[2];
	struct joined joined;

	put_table(&in[0], 0x10, 3);
	put_table(&in[1], 0x10, 4);
	join(&joined, in, 2);
	CHECK_STR(joined.told,
	          "b: omitted 1 source lines that differ from those of another "
	          "input\n");
	CHECK_EQ(line_at(&joined, 0x10), 3);
	joined_free(&joined);
}

TEST(invalid_table_gets_a_path_of_its_own)
{
	struct make_capture in[2];
	struct joined joined;

	put_table(&in[0], 0x10, 3);
	make_begin(&in[1], false, 0, 9);
	make_file_chunk(&in[1], 1, true, SYC_LINE_TABLE_PATH, "no", 2);
	join(&joined, in, 2);
	CHECK_STR(joined.told,
	          "b: renamed the file '__lines__' to '__lines__ (2)', because "
	          "another input's file differs\n");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_FILE_CHUNK), 2);
	CHECK_EQ(line_at(&joined, 0x10), 3);
	joined_free(&joined);
}
