/* SPDX-License-Identifier: BSD-2-Clause */
/* sources.c - what of a program's source addresses are. */
#include "profile/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

/* What debug information has no name for. */
#define NO_NAME "[inlined]"

/* Added to what is kept, so that 0 is "not looked for" and 1 is NONE. */
#define OF_BINARY 2u

void syc_sources_init(struct syc_sources *known, struct syc_texts *texts,
                      struct syc_functions *functions)
{
	memset(known, 0, sizeof(*known));
	known->texts = texts;
	known->functions = functions;
}

void syc_sources_fini(struct syc_sources *known)
{
	free(known->chunks.bytes.items);
	syc_map_fini(&known->by_binary);
	free(known->firsts.items);
	syc_map_fini(&known->by_line);
	free(known->lines.items);
	free(known->sources.items);
	free(known->binaries.items);
}

/* What tells a binary from others: its build-id, by which it is the same file
 * whatever it is called, or its path if it has none. */
struct name {
	const char *text;
	size_t len; /* with the NUL of a build-id: so it is no path */
};

static struct name name_of(const char *path, const char *build_id)
{
	if (build_id[0] != 0)
		return (struct name){ build_id, strlen(build_id) + 1 };
	return (struct name){ path, strlen(path) };
}

/* There may be as many maps as binaries: no map may go through all of them. */
static int index_binaries(struct syc_sources *known)
{
	for (uint32_t i = 0; i < known->table.n_binaries; i++) {
		struct syc_line_binary binary;
		struct name name;
		size_t number;
		int r;

		syc_line_table_binary(&known->table, i, &binary);
		name = name_of(binary.path, binary.build_id);
		r = syc_map_put(&known->by_binary, name.text, name.len,
		                &number);
		if (r > 0)
			r = syc_array_push(&known->firsts, i);
		if (r < 0)
			return -ENOMEM;
	}
	return 0;
}

int syc_sources_learn(struct syc_sources *known,
                      const struct syscap_frame *frame)
{
	int r;

	if (known->is_whole)
		return 0;
	r = syc_chunks_add(&known->chunks, frame);
	if (r <= 0)
		return r;
	known->is_whole = true;
	/* What is wrong with it, `syscap check` says. */
	syc_line_table_open(known->chunks.bytes.items, known->chunks.bytes.n,
	                    &known->table);
	return index_binaries(known);
}

void syc_sources_restart(struct syc_sources *known)
{
	known->sources.n = 0;
}

/* The table's binary that @map is of, or NONE: looked for once. */
static int look_up_binary(struct syc_sources *known, uint32_t number,
                          const struct syscap_profile_map *map,
                          uint32_t *ret_binary)
{
	const struct name name = name_of(map->path, map->build_id);
	uint32_t *binary;
	size_t found;

	while (known->binaries.n <= number)
		if (syc_array_push(&known->binaries, 0) < 0)
			return -ENOMEM;
	binary = &known->binaries.items[number];
	if (*binary == 0 &&
	    syc_map_get(&known->by_binary, name.text, name.len, &found))
		*binary = known->firsts.items[found] + OF_BINARY;
	else if (*binary == 0)
		*binary = NONE + OF_BINARY;
	*ret_binary = *binary - OF_BINARY;
	return 0;
}

static int put_line(struct syc_sources *known,
                    const struct syc_line_frame *frame, uint32_t *ret_line)
{
	struct syscap_profile_line line = { .line = frame->line };
	size_t number;
	int r;

	*ret_line = NONE;
	if (frame->file[0] == 0)
		return 0;
	r = syc_texts_keep(known->texts, frame->file, strlen(frame->file),
	                   &line.file);
	if (r < 0 || syc_array_room(&known->lines) < 0)
		return -ENOMEM;
	const struct {
		const char *file;
		uint64_t line;
	} key = { line.file, line.line };
	r = syc_map_put(&known->by_line, &key, sizeof(key), &number);
	if (r > 0)
		known->lines.items[known->lines.n++] = line;
	*ret_line = (uint32_t)number;
	return r < 0 ? r : 0;
}

/* The function of @name that was inlined into code of @into's binary. */
static int put_inlined(struct syc_sources *known, const char *name,
                       uint32_t into, uint32_t *ret_function)
{
	struct syscap_profile_function function =
		known->functions->items.items[into];
	int r;

	function.is_inlined = true;
	function.is_named = name[0] != 0;
	if (name[0] == 0)
		name = NO_NAME;
	r = syc_texts_keep(known->texts, name, strlen(name), &function.name);
	return r == 0 ? syc_functions_put(known->functions, &function,
	                                  ret_function)
	              : r;
}

/* The place's source frames, from the one that has the code. */
static int add_sources(struct syc_sources *known,
                       const struct syc_line_place *place, uint32_t function)
{
	for (uint32_t i = place->n; i-- > 0;) {
		struct syscap_profile_source source = {
			.function = function,
			.n_inlined = i,
		};
		struct syc_line_frame frame;

		syc_line_table_frame(&known->table, place->first + i, &frame);
		if (put_line(known, &frame, &source.line) < 0 ||
		    (i + 1 < place->n &&
		     put_inlined(known, frame.function, function,
		                 &source.function) < 0) ||
		    syc_array_push(&known->sources, source) < 0)
			return -ENOMEM;
	}
	return 0;
}

int syc_sources_find(struct syc_sources *known,
                     struct syscap_profile_location *location,
                     const struct syscap_profile_map *map, bool is_return)
{
	const uint64_t offset = location->address - map->start + map->offset;
	const uint32_t first = (uint32_t)known->sources.n;
	struct syc_line_place place;
	uint32_t binary;

	if (known->table.n_places == 0 || first >= NONE - SYC_LINE_FRAMES_MAX)
		return 0;
	if (look_up_binary(known, location->map, map, &binary) < 0)
		return -ENOMEM;
	/* What a signal interrupted is an instruction wherever it stands. */
	if (binary == NONE ||
	    (!(is_return && syc_line_table_place_at(&known->table, binary,
	                                            offset - 1, &place)) &&
	     !syc_line_table_place_at(&known->table, binary, offset, &place)))
		return 0;
	location->source = first;
	return add_sources(known, &place, location->function);
}
