/* SPDX-License-Identifier: BSD-2-Clause */
/* line_table.c - the table of source lines that a capture carries: read. */
#define _GNU_SOURCE
#include "capture/line_table.h"

#include <string.h>

#include "capture/line_layout.h"
#include "data/load.h"

static bool has_text(uint32_t at, const struct syc_line_table *table,
                     size_t size)
{
	/* The last of them ends with the table. */
	return at < size && (at == 0 || table->texts[at - 1] == 0);
}

static const char *check_binaries(const struct syc_line_table *table,
                                  size_t size)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < table->n_binaries; i++) {
		const unsigned char *p =
			table->binaries + (size_t)i * SYC_LINE_BINARY;

		if (!has_text(syc_load_u32(p, false), table, size) ||
		    !has_text(syc_load_u32(p + 4, false), table, size))
			return "a binary's text is none";
		if (syc_load_u32(p + 8, false) != places ||
		    syc_load_u32(p + 12, false) > table->n_places - places)
			return "a binary's places are not behind those of the "
			       "one before";
		places += syc_load_u32(p + 12, false);
	}
	return places == table->n_places ? NULL : "places of no binary";
}

static const char *check_places(const struct syc_line_table *table)
{
	for (uint32_t i = 0; i < table->n_binaries; i++) {
		struct syc_line_binary binary;
		struct syc_line_place place;
		uint64_t least = 0;

		syc_line_table_binary(table, i, &binary);
		for (uint32_t j = 0; j < binary.n; j++) {
			syc_line_table_place(table, binary.first + j, &place);
			if (place.offset < least || place.offset == UINT64_MAX)
				return "places that are not sorted";
			least = place.offset + 1;
			if (place.n == 0 || place.n > SYC_LINE_FRAMES_MAX ||
			    place.first > table->n_frames ||
			    place.n > table->n_frames - place.first)
				return "a place's source frames are none";
		}
	}
	return NULL;
}

static const char *check_frames(const struct syc_line_table *table, size_t size)
{
	for (uint32_t i = 0; i < table->n_frames; i++) {
		const unsigned char *p =
			table->frames + (size_t)i * SYC_LINE_FRAME;

		if (!has_text(syc_load_u32(p, false), table, size) ||
		    !has_text(syc_load_u32(p + 4, false), table, size))
			return "a source frame's text is none";
	}
	return NULL;
}

const char *syc_line_table_open(const unsigned char *bytes, size_t size,
                                struct syc_line_table *ret_table)
{
	struct syc_line_table table = { 0 };
	const char *wrong;
	uint64_t texts, all;

	if (size < SYC_LINE_HEADER ||
	    memcmp(bytes, SYC_LINE_MAGIC, sizeof(SYC_LINE_MAGIC) - 1) != 0)
		return "no table of lines";
	if (syc_load_u32(bytes + 8, false) != SYC_LINE_VERSION)
		return "a table of lines of another version";
	table.n_binaries = syc_load_u32(bytes + 12, false);
	table.n_places = syc_load_u32(bytes + 16, false);
	table.n_frames = syc_load_u32(bytes + 20, false);
	texts = syc_load_u32(bytes + 24, false);
	all = SYC_LINE_HEADER + (uint64_t)table.n_binaries * SYC_LINE_BINARY +
	      (uint64_t)table.n_places * SYC_LINE_PLACE +
	      (uint64_t)table.n_frames * SYC_LINE_FRAME + texts;
	if (all != size || texts == 0)
		return "another size than it says";
	table.binaries = bytes + SYC_LINE_HEADER;
	table.places =
		table.binaries + (size_t)table.n_binaries * SYC_LINE_BINARY;
	table.frames = table.places + (size_t)table.n_places * SYC_LINE_PLACE;
	table.texts = (const char *)table.frames +
	              (size_t)table.n_frames * SYC_LINE_FRAME;
	if (table.texts[0] != 0 || table.texts[texts - 1] != 0)
		return "texts that do not begin or end with a NUL";
	wrong = check_binaries(&table, (size_t)texts);
	if (wrong == NULL)
		wrong = check_places(&table);
	if (wrong == NULL)
		wrong = check_frames(&table, (size_t)texts);
	if (wrong == NULL)
		*ret_table = table;
	return wrong;
}

void syc_line_table_binary(const struct syc_line_table *table, uint32_t i,
                           struct syc_line_binary *ret_binary)
{
	const unsigned char *p = table->binaries + (size_t)i * SYC_LINE_BINARY;

	ret_binary->path = table->texts + syc_load_u32(p, false);
	ret_binary->build_id = table->texts + syc_load_u32(p + 4, false);
	ret_binary->first = syc_load_u32(p + 8, false);
	ret_binary->n = syc_load_u32(p + 12, false);
}

void syc_line_table_place(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_place *ret_place)
{
	const unsigned char *p = table->places + (size_t)i * SYC_LINE_PLACE;

	ret_place->offset = syc_load_u64(p, false);
	ret_place->first = syc_load_u32(p + 8, false);
	ret_place->n = syc_load_u32(p + 12, false);
}

void syc_line_table_frame(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_frame *ret_frame)
{
	const unsigned char *p = table->frames + (size_t)i * SYC_LINE_FRAME;

	ret_frame->function = table->texts + syc_load_u32(p, false);
	ret_frame->file = table->texts + syc_load_u32(p + 4, false);
	ret_frame->line = syc_load_u32(p + 8, false);
}

/* By the build-id it is the same file, whatever it is called. */
static bool is_binary(const struct syc_line_binary *binary, const char *path,
                      const char *build_id)
{
	if (build_id[0] != 0 || binary->build_id[0] != 0)
		return strcmp(binary->build_id, build_id) == 0;
	return strcmp(binary->path, path) == 0;
}

static uint32_t find_binary(const struct syc_line_table *table,
                            const char *path, const char *build_id)
{
	struct syc_line_binary binary;

	for (uint32_t i = 0; i < table->n_binaries; i++) {
		syc_line_table_binary(table, i, &binary);
		if (is_binary(&binary, path, build_id))
			return i;
	}
	return UINT32_MAX;
}

bool syc_line_table_place_at(const struct syc_line_table *table,
                             uint32_t number, uint64_t offset,
                             struct syc_line_place *ret_place)
{
	struct syc_line_binary binary;
	uint32_t low, high;

	syc_line_table_binary(table, number, &binary);
	low = binary.first;
	high = binary.first + binary.n;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		struct syc_line_place place;

		syc_line_table_place(table, middle, &place);
		if (place.offset == offset) {
			*ret_place = place;
			return true;
		}
		if (place.offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool syc_line_table_find(const struct syc_line_table *table, const char *path,
                         const char *build_id, uint64_t offset,
                         struct syc_line_place *ret_place)
{
	const uint32_t binary = find_binary(table, path, build_id);

	return binary != UINT32_MAX &&
	       syc_line_table_place_at(table, binary, offset, ret_place);
}
