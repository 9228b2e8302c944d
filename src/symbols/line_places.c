/* SPDX-License-Identifier: BSD-2-Clause */
/* line_places.c - from places in files to the table of their source lines. */
#define _GNU_SOURCE
#include "symbols/line_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/line_make.h"
#include "symbols/lines.h"
#include "symbols/readable.h"

struct lines_making {
	struct syc_line_places *places;
	struct syc_line_make make;
	const struct syc_line_listener *listener;
	struct syc_line_totals totals;
	/* Functions and paths are met again and again. */
	struct syc_map texts;
	SYC_ARRAY(char *) readable;
};

void syc_line_places_fini(struct syc_line_places *places)
{
	syc_map_fini(&places->by_place);
	free(places->wanted.items);
	memset(&places->by_place, 0, sizeof(places->by_place));
	memset(&places->wanted, 0, sizeof(places->wanted));
}

int syc_line_places_add(struct syc_line_places *places, struct syc_found *found,
                        uint64_t offset, uint64_t linked)
{
	const uint64_t key[] = { (uintptr_t)found, offset };
	const struct syc_line_wanted wanted = { found, offset, linked };
	size_t number;
	int r;

	if (syc_array_room(&places->wanted) < 0)
		return -ENOMEM;
	r = syc_map_put(&places->by_place, key, sizeof(key), &number);
	if (r > 0)
		places->wanted.items[places->wanted.n++] = wanted;
	return r < 0 ? r : 0;
}

/* @kind: 'f' for the name of a function, 'p' for a path. */
static const char *make_readable(struct lines_making *making, char kind,
                                 const char *text)
{
	const size_t len = strlen(text);
	char *key = malloc(len + 1), *readable;
	size_t number;
	int r;

	if (key == NULL || syc_array_room(&making->readable) < 0) {
		free(key);
		return NULL;
	}
	key[0] = kind;
	memcpy(key + 1, text, len);
	if (syc_map_get(&making->texts, key, len + 1, &number)) {
		free(key);
		return making->readable.items[number];
	}
	readable = kind == 'f' ? syc_readable_name(text, false)
	                       : syc_readable_text(text);
	r = readable == NULL
	            ? -ENOMEM
	            : syc_map_put(&making->texts, key, len + 1, &number);
	free(key);
	if (r < 0) {
		free(readable);
		return NULL;
	}
	making->readable.items[making->readable.n++] = readable;
	return readable;
}

static int put_place(struct lines_making *making, size_t binary,
                     uint64_t offset, const struct syc_line_frame *frames,
                     size_t n)
{
	struct syc_line_frame clean[SYC_LINE_FRAMES_MAX];
	int r;

	for (size_t i = 0; i < n; i++) {
		clean[i].function =
			make_readable(making, 'f', frames[i].function);
		clean[i].file = make_readable(making, 'p', frames[i].file);
		clean[i].line = frames[i].line;
		if (clean[i].function == NULL || clean[i].file == NULL)
			return -ENOMEM;
	}
	r = syc_line_make_place(&making->make, binary, offset, clean, n);
	making->totals.with_line += r > 0;
	making->totals.inlined += r > 0 && n > 1;
	return r < 0 && r != -EEXIST ? r : 0;
}

static void tell(struct lines_making *making, const struct syc_found *found,
                 const char *why)
{
	making->listener->tell(making->listener->data, found->use.path, why);
}

static int ask_all(struct lines_making *making, struct syc_lines *lines,
                   const struct syc_line_wanted *wanted, size_t n)
{
	const struct syc_found *found = wanted->found;
	const struct syc_line_frame *frames;
	size_t binary, n_frames;
	int r = syc_line_make_binary(&making->make, found->wish.path,
	                             found->wish.build_id, &binary);

	/* Without a build-id nobody could tell the two apart. */
	if (r == 0 && found->wish.build_id[0] == 0) {
		tell(making, found, "another file of that name has lines");
		return 0;
	}
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = syc_lines_find(lines, wanted[i].linked, &frames, &n_frames);
		if (r == -EIO) {
			tell(making, found,
			     "its debug information could not be read to the "
			     "end: some addresses have no lines");
			return 0;
		}
		if (r > 0)
			r = put_place(making, binary, wanted[i].offset, frames,
			              n_frames);
	}
	return r < 0 ? r : 0;
}

/* The places of one file, sorted. */
static int look_up(struct lines_making *making,
                   const struct syc_line_wanted *wanted, size_t n)
{
	const struct syc_found *found = wanted->found;
	const struct syc_module *module = &found->loaded->module;
	const struct syc_lines_file file = {
		.fd = module->debug_fd,
		.path = module->debug_fd_path,
		.debug_files = making->places->debug_files,
	};
	struct syc_lines *lines = NULL;
	int r = -ENOENT;

	making->totals.places += n;
	if (module->debug_fd >= 0)
		r = syc_lines_open(&file, &lines);
	if (r == 0)
		r = ask_all(making, lines, wanted, n);
	else if (r == -EIO)
		tell(making, found,
		     "no lines: its debug information could not be read");
	else if (r == -ENOENT && module->debug_fd >= 0)
		tell(making, found,
		     "no lines: its debug information makes no sense");
	syc_lines_close(lines);
	return r == -ENOMEM || r == -EFBIG ? r : 0;
}

static int compare_wanted(const void *left, const void *right)
{
	const struct syc_line_wanted *a = left, *b = right;
	const int r = strcmp(a->found->wish.path, b->found->wish.path);

	if (r != 0)
		return r;
	if (a->found != b->found)
		return a->found < b->found ? -1 : 1;
	return (a->linked > b->linked) - (a->linked < b->linked);
}

static int look_all_up(struct lines_making *making)
{
	struct syc_line_wanted *const items = making->places->wanted.items;
	const size_t n = making->places->wanted.n;
	int r = 0;

	/* In the order of addresses, for which libdw keeps what it has read. */
	if (n > 0)
		qsort(items, n, sizeof(*items), compare_wanted);
	for (size_t first = 0, next; r == 0 && first < n; first = next) {
		for (next = first + 1;
		     next < n && items[next].found == items[first].found;)
			next++;
		r = look_up(making, &items[first], next - first);
	}
	return r;
}

static int add_old(struct lines_making *making, struct syscap_reader *reader)
{
	const size_t before = making->make.places.n;
	struct syc_line_table table;
	unsigned char *bytes;
	uint64_t left_out;
	size_t size;
	int r = syc_embedded_load(reader, SYC_LINE_TABLE_PATH,
	                          SYC_LINE_TABLE_MAX, &bytes, &size);

	if (r <= 0)
		return r;
	if (syc_line_table_open(bytes, size, &table) == NULL)
		r = syc_line_make_add(&making->make, &table, &left_out);
	free(bytes);
	making->totals.kept = making->make.places.n - before;
	return r < 0 ? r : 0;
}

int syc_line_places_make(struct syc_line_places *places,
                         struct syscap_reader *reader,
                         const struct syc_line_listener *listener,
                         struct syc_line_bytes *ret_lines)
{
	struct lines_making making = { .places = places, .listener = listener };
	struct syc_line_bytes lines = { 0 };
	int r = look_all_up(&making);

	if (r == 0)
		r = add_old(&making, reader);
	if (r == 0 && making.make.places.n > 0)
		r = syc_line_make_table(&making.make, &lines.bytes,
		                        &lines.size);
	lines.totals = making.totals;
	if (r == 0)
		*ret_lines = lines;
	/* The map of the places has the numbers that they had before. */
	syc_line_places_fini(places);
	for (size_t i = 0; i < making.readable.n; i++)
		free(making.readable.items[i]);
	free(making.readable.items);
	syc_map_fini(&making.texts);
	syc_line_make_fini(&making.make);
	return r;
}
