/* SPDX-License-Identifier: BSD-2-Clause */
/* line_make.c - the table of source lines that a capture carries: made. */
#define _GNU_SOURCE
#include "capture/line_make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/line_layout.h"
#include "data/load.h"

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

/* Where it is among the texts; "" is the first. */
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

/* The number of the chain that is these frames. */
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

	for (size_t i = 0; i < make->binaries.n; i++, p += SYC_LINE_BINARY) {
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
	for (size_t i = 0; i < make->places.n; i++, p += SYC_LINE_PLACE) {
		const size_t chain = sorted[i].chain;

		syc_store_u64(p, sorted[i].offset);
		syc_store_u32(p + 8, (uint32_t)make->chain_at.items[chain]);
		syc_store_u32(p + 12,
		              make->chains.keys[chain].len / SYC_LINE_FRAME);
	}
}

static void store_table(const struct syc_line_make *make,
                        const struct syc_line_made_place *sorted,
                        unsigned char *p)
{
	memcpy(p, SYC_LINE_MAGIC, sizeof(SYC_LINE_MAGIC) - 1);
	syc_store_u32(p + 8, SYC_LINE_VERSION);
	syc_store_u32(p + 12, (uint32_t)make->binaries.n);
	syc_store_u32(p + 16, (uint32_t)make->places.n);
	syc_store_u32(p + 20, (uint32_t)make->n_frames);
	syc_store_u32(p + 24, (uint32_t)make->texts_size);
	p += SYC_LINE_HEADER;
	store_binaries(make, sorted, p);
	p += make->binaries.n * SYC_LINE_BINARY;
	store_places(make, sorted, p);
	p += make->places.n * SYC_LINE_PLACE;
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
	size = SYC_LINE_HEADER + make->binaries.n * SYC_LINE_BINARY +
	       n * SYC_LINE_PLACE + make->n_frames * SYC_LINE_FRAME +
	       make->texts_size;
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
