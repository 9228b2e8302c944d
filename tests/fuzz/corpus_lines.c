/* SPDX-License-Identifier: BSD-2-Clause */
/* corpus_lines.c - tables of source lines. */
#include <stdlib.h>

#include "capture/line_table.h"
#include "corpus.h"

static const struct syc_line_frame frames[] = {
	{ "std::swap<int>(int&, int&)", "/usr/include/c++/12/move.h", 205 },
	{ "sort", "/src/sort.cc", 80 },
	{ "main", "/src/main.cc", 7 },
	{ "", "", 0 },
};

static void put(struct make_capture *bytes, struct syc_line_make *make)
{
	unsigned char *table;
	size_t size;

	if (syc_line_make_table(make, &table, &size) < 0)
		abort();
	make_bytes(bytes, table, size);
	free(table);
	syc_line_make_fini(make);
}

static void add(struct syc_line_make *make, const char *path,
                const char *build_id, uint64_t offset, unsigned first,
                unsigned n)
{
	size_t binary;

	if (syc_line_make_binary(make, path, build_id, &binary) < 0 ||
	    syc_line_make_place(make, binary, offset, frames + first, n) < 0)
		abort();
}

static void full(struct make_capture *bytes)
{
	struct syc_line_make make = { 0 };

	add(&make, "/usr/bin/a", "0123456789abcdef", 0x1234, 0, 3);
	add(&make, "/usr/bin/a", "0123456789abcdef", 0x1200, 0, 3);
	add(&make, "/usr/bin/a", "0123456789abcdef", 0x1201, 2, 1);
	add(&make, "/opt/b", "", 0, 1, 2);
	add(&make, "/opt/b", "", UINT64_MAX - 1, 3, 1);
	put(bytes, &make);
}

static void one(struct make_capture *bytes)
{
	struct syc_line_make make = { 0 };

	add(&make, "/bin/x", "", 1, 2, 1);
	put(bytes, &make);
}

static void empty(struct make_capture *bytes)
{
	struct syc_line_make make = { 0 };

	put(bytes, &make);
}

/* The places of the second binary are not found, because only the first binary
 * of a name counts. */
static void twice(struct make_capture *bytes)
{
	struct syc_line_make make = { 0 };

	add(&make, "/bin/x", "", 1, 2, 1);
	add(&make, "/bin/y", "", 2, 1, 2);
	make.names.items[2] = make.names.items[0];
	put(bytes, &make);
}

const struct corpus_case corpus_lines[] = {
	{ "full", full, false },
	{ "one", one, false },
	{ "empty", empty, false },
	{ "twice", twice, false },
	{ 0 },
};
