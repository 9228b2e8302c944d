/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_lines.c - reads of any bytes that may be a table of source lines.
 *
 * An accepted table is readable to its end, a look-up finds every place, and a
 * copy made anew has the same content.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_frames(const struct syc_line_table *table,
                         const struct syc_line_place *a,
                         const struct syc_line_table *other,
                         const struct syc_line_place *b)
{
	demand(a->n == b->n);
	for (uint32_t i = 0; i < a->n; i++) {
		struct syc_line_frame one, two;

		syc_line_table_frame(table, a->first + i, &one);
		syc_line_table_frame(other, b->first + i, &two);
		demand(strcmp(one.function, two.function) == 0 &&
		       strcmp(one.file, two.file) == 0 && one.line == two.line);
		sink += strlen(one.function);
	}
}

static bool is_first(const struct syc_line_table *table, uint32_t i)
{
	struct syc_line_binary binary, before;

	syc_line_table_binary(table, i, &binary);
	for (uint32_t k = 0; k < i; k++) {
		syc_line_table_binary(table, k, &before);
		if (strcmp(before.build_id, binary.build_id) == 0 &&
		    (binary.build_id[0] != 0 ||
		     strcmp(before.path, binary.path) == 0))
			return false;
	}
	return true;
}

/* Checks that the first of several descriptions of a place is kept, and that
 * the first of several binaries with one name is found. */
static void check_places(const struct syc_line_table *table,
                         const struct syc_line_table *other)
{
	for (uint32_t i = 0; i < table->n_binaries; i++) {
		struct syc_line_binary binary;

		syc_line_table_binary(table, i, &binary);
		if (!is_first(table, i))
			continue;
		for (uint32_t j = 0; j < binary.n; j++) {
			struct syc_line_place place, first, made;

			syc_line_table_place(table, binary.first + j, &place);
			demand(syc_line_table_find(table, binary.path,
			                           binary.build_id,
			                           place.offset, &first));
			demand(syc_line_table_find(other, binary.path,
			                           binary.build_id,
			                           place.offset, &made));
			check_frames(table, &first, other, &made);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syc_line_make make = { 0 };
	struct syc_line_table table, other;
	uint64_t left_out;
	unsigned char *copy = malloc(size ? size : 1), *bytes;
	size_t n;

	if (copy == NULL)
		return 0;
	/* Exactly this size, so that ASan sees a read beyond. */
	memcpy(copy, data, size);
	if (syc_line_table_open(copy, size, &table) == NULL) {
		demand(syc_line_make_add(&make, &table, &left_out) == 0);
		demand(left_out <= table.n_places);
		demand(syc_line_make_table(&make, &bytes, &n) == 0);
		demand(syc_line_table_open(bytes, n, &other) == NULL);
		check_places(&table, &other);
		free(bytes);
		syc_line_make_fini(&make);
	}
	free(copy);
	return 0;
}
