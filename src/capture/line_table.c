/* SPDX-License-Identifier: BSD-2-Clause */
/* line_table.c - reader and builder of the source line table. */
#define _GNU_SOURCE
#include "capture/line_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/load.h"

#define LINE_MAGIC   "syclines"
#define LINE_VERSION 1u

#define LINE_HEADER 32u
#define LINE_BINARY 16u
#define LINE_PLACE  16u
#define LINE_FRAME  12u

static bool has_text(uint32_t at, const struct syc_line_table *table,
                     size_t size)
{
	/* The last text ends at the end of the table. */
	return at < size && (at == 0 || table->texts[at - 1] == 0);
}

static const char *check_binaries(const struct syc_line_table *table,
                                  size_t size)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < table->n_binaries; i++) {
		const unsigned char *p =
			table->binaries + (size_t)i * LINE_BINARY;

		if (!has_text(syc_load_u32(p, false), table, size) ||
		    !has_text(syc_load_u32(p + 4, false), table, size))
			return "a binary's text is out of range";
		if (syc_load_u32(p + 8, false) != places ||
		    syc_load_u32(p + 12, false) > table->n_places - places)
			return "the places of two binaries are not in order";
		places += syc_load_u32(p + 12, false);
	}
	return places == table->n_places ? NULL : "places without a binary";
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
				return "a place's source frames are out of "
				       "range";
		}
	}
	return NULL;
}

static const char *check_frames(const struct syc_line_table *table, size_t size)
{
	for (uint32_t i = 0; i < table->n_frames; i++) {
		const unsigned char *p = table->frames + (size_t)i * LINE_FRAME;

		if (!has_text(syc_load_u32(p, false), table, size) ||
		    !has_text(syc_load_u32(p + 4, false), table, size))
			return "a source frame's text is out of range";
	}
	return NULL;
}

const char *syc_line_table_open(const unsigned char *bytes, size_t size,
                                struct syc_line_table *ret_table)
{
	struct syc_line_table table = { 0 };
	const char *wrong;
	uint64_t texts, all;

	if (size < LINE_HEADER ||
	    memcmp(bytes, LINE_MAGIC, sizeof(LINE_MAGIC) - 1) != 0)
		return "not a table of source lines";
	if (syc_load_u32(bytes + 8, false) != LINE_VERSION)
		return "an unknown version";
	table.n_binaries = syc_load_u32(bytes + 12, false);
	table.n_places = syc_load_u32(bytes + 16, false);
	table.n_frames = syc_load_u32(bytes + 20, false);
	texts = syc_load_u32(bytes + 24, false);
	all = LINE_HEADER + (uint64_t)table.n_binaries * LINE_BINARY +
	      (uint64_t)table.n_places * LINE_PLACE +
	      (uint64_t)table.n_frames * LINE_FRAME + texts;
	if (all != size || texts == 0)
		return "a size that differs from the header";
	table.binaries = bytes + LINE_HEADER;
	table.places = table.binaries + (size_t)table.n_binaries * LINE_BINARY;
	table.frames = table.places + (size_t)table.n_places * LINE_PLACE;
	table.texts = (const char *)table.frames +
	              (size_t)table.n_frames * LINE_FRAME;
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
	const unsigned char *p = table->binaries + (size_t)i * LINE_BINARY;

	ret_binary->path = table->texts + syc_load_u32(p, false);
	ret_binary->build_id = table->texts + syc_load_u32(p + 4, false);
	ret_binary->first = syc_load_u32(p + 8, false);
	ret_binary->n = syc_load_u32(p + 12, false);
}

void syc_line_table_place(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_place *ret_place)
{
	const unsigned char *p = table->places + (size_t)i * LINE_PLACE;

	ret_place->offset = syc_load_u64(p, false);
	ret_place->first = syc_load_u32(p + 8, false);
	ret_place->n = syc_load_u32(p + 12, false);
}

void syc_line_table_frame(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_frame *ret_frame)
{
	const unsigned char *p = table->frames + (size_t)i * LINE_FRAME;

	ret_frame->function = table->texts + syc_load_u32(p, false);
	ret_frame->file = table->texts + syc_load_u32(p + 4, false);
	ret_frame->line = syc_load_u32(p + 8, false);
}

/*
 * Return whether the binary matches.  Files with the same build-id are the same
 * file, even if their paths differ.
 */
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

void syc_line_make_fini(struct syc_line_make *make)
{
	syc_map_fini(&make->texts);
	free(make->text_at.items);
	syc_map_fini(&make->binaries);
	free(make->names.items);
	syc_map_fini(&make->chains);
	free(make->chain_at.items);
	syc_map_fini(&make->by_place);
	free(make->places.items);
	free(make->chain.items);
	memset(make, 0, sizeof(*make));
}

/* Store the offset of @text among the texts, of which "" is the first. */
static int put_text(struct syc_line_make *make, const char *text,
                    uint32_t *ret_at)
{
	const size_t size = strlen(text) + 1;
	size_t number;
	uint32_t none;
	int r = 0;

	if (make->texts.n == 0 && text[0] != 0)
		r = put_text(make, "", &none);
	if (r < 0)
		return r;
	if (make->texts_size + size > UINT32_MAX)
		return -EFBIG;
	if (syc_array_room(&make->text_at) < 0)
		return -ENOMEM;
	r = syc_map_put(&make->texts, text, size, &number);
	if (r < 0)
		return r;
	if (r > 0) {
		make->text_at.items[make->text_at.n++] =
			(uint32_t)make->texts_size;
		make->texts_size += size;
	}
	*ret_at = make->text_at.items[number];
	return 0;
}

int syc_line_make_binary(struct syc_line_make *make, const char *path,
                         const char *build_id, size_t *ret_binary)
{
	const bool has_id = build_id[0] != 0;
	const char *text = has_id ? build_id : path;
	uint32_t path_at, id_at;
	char *key = malloc(strlen(text) + 2);
	int r;

	if (key == NULL)
		return -ENOMEM;
	key[0] = has_id ? 'b' : 'p';
	strcpy(key + 1, text);
	r = syc_map_put(&make->binaries, key, strlen(key), ret_binary);
	free(key);
	if (r <= 0)
		return r;
	r = put_text(make, path, &path_at);
	if (r == 0)
		r = put_text(make, build_id, &id_at);
	if (r == 0 && (syc_array_push(&make->names, path_at) < 0 ||
	               syc_array_push(&make->names, id_at) < 0))
		r = -ENOMEM;
	return r == 0 ? 1 : r;
}

static int push_u32(struct syc_line_make *make, uint32_t value)
{
	unsigned char bytes[4];

	syc_store_u32(bytes, value);
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (syc_array_push(&make->chain, bytes[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* Get the number of the chain of @frames. */
static int put_chain(struct syc_line_make *make,
                     const struct syc_line_frame *frames, size_t n,
                     size_t *ret_chain)
{
	int r = 0;

	make->chain.n = 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		uint32_t function, file;

		r = put_text(make, frames[i].function, &function);
		if (r == 0)
			r = put_text(make, frames[i].file, &file);
		if (r == 0)
			r = push_u32(make, function);
		if (r == 0)
			r = push_u32(make, file);
		if (r == 0)
			r = push_u32(make, frames[i].line);
	}
	if (r < 0)
		return r;
	if (make->n_frames + n > UINT32_MAX)
		return -EFBIG;
	if (syc_array_room(&make->chain_at) < 0)
		return -ENOMEM;
	r = syc_map_put(&make->chains, make->chain.items, make->chain.n,
	                ret_chain);
	if (r <= 0)
		return r;
	make->chain_at.items[make->chain_at.n++] = make->n_frames;
	make->n_frames += n;
	return 0;
}

int syc_line_make_place(struct syc_line_make *make, size_t binary,
                        uint64_t offset, const struct syc_line_frame *frames,
                        size_t n)
{
	const uint64_t key[] = { binary, offset };
	struct syc_line_made_place place = { .offset = offset,
		                             .binary = binary };
	size_t number;
	int r = put_chain(make, frames, n, &place.chain);

	if (r < 0)
		return r;
	if (make->places.n >= UINT32_MAX)
		return -EFBIG;
	if (syc_array_room(&make->places) < 0)
		return -ENOMEM;
	r = syc_map_put(&make->by_place, key, sizeof(key), &number);
	if (r > 0)
		make->places.items[make->places.n++] = place;
	else if (r == 0 && make->places.items[number].chain != place.chain)
		r = -EEXIST;
	return r;
}

static int add_place(struct syc_line_make *make,
                     const struct syc_line_table *table, size_t binary,
                     uint32_t number)
{
	struct syc_line_place place;
	struct syc_line_frame *frames;
	int r;

	syc_line_table_place(table, number, &place);
	frames = calloc(place.n, sizeof(*frames));
	if (frames == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < place.n; i++)
		syc_line_table_frame(table, place.first + i, &frames[i]);
	r = syc_line_make_place(make, binary, place.offset, frames, place.n);
	free(frames);
	return r;
}

int syc_line_make_add(struct syc_line_make *make,
                      const struct syc_line_table *table,
                      uint64_t *ret_left_out)
{
	uint64_t left_out = 0;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < table->n_binaries; i++) {
		struct syc_line_binary binary;
		size_t number;

		syc_line_table_binary(table, i, &binary);
		r = syc_line_make_binary(make, binary.path, binary.build_id,
		                         &number);
		for (uint32_t j = 0; r >= 0 && j < binary.n; j++) {
			r = add_place(make, table, number, binary.first + j);
			left_out += r == -EEXIST;
			if (r == -EEXIST)
				r = 0;
		}
	}
	*ret_left_out = left_out;
	return r < 0 ? r : 0;
}

static int compare_places(const void *left, const void *right)
{
	const struct syc_line_made_place *a = left, *b = right;

	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void store_binaries(const struct syc_line_make *make,
                           const struct syc_line_made_place *sorted,
                           unsigned char *p)
{
	size_t at = 0;

	for (size_t i = 0; i < make->binaries.n; i++, p += LINE_BINARY) {
		const size_t first = at;

		while (at < make->places.n && sorted[at].binary == i)
			at++;
		syc_store_u32(p, make->names.items[2 * i]);
		syc_store_u32(p + 4, make->names.items[2 * i + 1]);
		syc_store_u32(p + 8, (uint32_t)first);
		syc_store_u32(p + 12, (uint32_t)(at - first));
	}
}

static void store_places(const struct syc_line_make *make,
                         const struct syc_line_made_place *sorted,
                         unsigned char *p)
{
	for (size_t i = 0; i < make->places.n; i++, p += LINE_PLACE) {
		const size_t chain = sorted[i].chain;

		syc_store_u64(p, sorted[i].offset);
		syc_store_u32(p + 8, (uint32_t)make->chain_at.items[chain]);
		syc_store_u32(p + 12,
		              make->chains.keys[chain].len / LINE_FRAME);
	}
}

static void store_table(const struct syc_line_make *make,
                        const struct syc_line_made_place *sorted,
                        unsigned char *p)
{
	memcpy(p, LINE_MAGIC, sizeof(LINE_MAGIC) - 1);
	syc_store_u32(p + 8, LINE_VERSION);
	syc_store_u32(p + 12, (uint32_t)make->binaries.n);
	syc_store_u32(p + 16, (uint32_t)make->places.n);
	syc_store_u32(p + 20, (uint32_t)make->n_frames);
	syc_store_u32(p + 24, (uint32_t)make->texts_size);
	p += LINE_HEADER;
	store_binaries(make, sorted, p);
	p += make->binaries.n * LINE_BINARY;
	store_places(make, sorted, p);
	p += make->places.n * LINE_PLACE;
	for (size_t i = 0; i < make->chains.n; i++) {
		memcpy(p, make->chains.keys[i].bytes, make->chains.keys[i].len);
		p += make->chains.keys[i].len;
	}
	for (size_t i = 0; i < make->texts.n; i++) {
		memcpy(p, make->texts.keys[i].bytes, make->texts.keys[i].len);
		p += make->texts.keys[i].len;
	}
}

int syc_line_make_table(struct syc_line_make *make, unsigned char **ret_bytes,
                        size_t *ret_size)
{
	const size_t n = make->places.n;
	struct syc_line_made_place *sorted;
	unsigned char *bytes;
	uint32_t none;
	uint64_t size;
	int r = put_text(make, "", &none);

	if (r < 0)
		return r;
	size = LINE_HEADER + make->binaries.n * LINE_BINARY + n * LINE_PLACE +
	       make->n_frames * LINE_FRAME + make->texts_size;
	if (size > SYC_LINE_TABLE_MAX)
		return -EFBIG;
	sorted = malloc((n + 1) * sizeof(*sorted));
	bytes = calloc(1, (size_t)size);
	if (sorted == NULL || bytes == NULL) {
		free(sorted);
		free(bytes);
		return -ENOMEM;
	}
	if (n > 0)
		memcpy(sorted, make->places.items, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_places);
	store_table(make, sorted, bytes);
	free(sorted);
	*ret_bytes = bytes;
	*ret_size = (size_t)size;
	return 0;
}
