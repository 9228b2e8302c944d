/* SPDX-License-Identifier: BSD-2-Clause */
/* functions.c - functions of a profile, and their source lines. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/naming.h"

#define NONE SYSCAP_PROFILE_NONE

static const char *const notes[] = {
	[SYSCAP_FUNCTION_ROOT] = "",
	[SYSCAP_FUNCTION_CUT] = "[stack cut]",
	[SYSCAP_FUNCTION_STOPPED] = "[stack incomplete]",
	[SYSCAP_FUNCTION_EMPTY] = "[no stack]",
	[SYSCAP_FUNCTION_HIDDEN] = "[system]",
};

#define N_NOTES (sizeof(notes) / sizeof(notes[0]))

int syc_functions_init(struct syc_functions *functions, struct syc_texts *texts)
{
	const char *none;
	int r = syc_texts_keep(texts, "", 0, &none);

	memset(functions, 0, sizeof(*functions));
	for (unsigned i = 0; r == 0 && i < N_NOTES; i++) {
		struct syscap_profile_function note = {
			.binary = none,
			.category = SYSCAP_CATEGORY_NOTE,
			.is_named = true,
		};
		uint32_t number;

		r = syc_texts_keep(texts, notes[i], strlen(notes[i]),
		                   &note.name);
		if (r == 0)
			r = syc_functions_put(functions, &note, &number);
	}
	return r;
}

void syc_functions_fini(struct syc_functions *functions)
{
	syc_map_fini(&functions->by_text);
	free(functions->items.items);
	free(functions->of_binary.items);
}

int syc_functions_put(struct syc_functions *functions,
                      const struct syscap_profile_function *function,
                      uint32_t *ret_number)
{
	/* A function called "[system]" differs from the predefined function. */
	const struct {
		const char *name, *binary;
		uint32_t is_note, is_inlined;
	} key = {
		function->name,
		function->binary,
		function->category == SYSCAP_CATEGORY_NOTE,
		function->is_inlined,
	};
	size_t number;
	int r;

	if (syc_array_room(&functions->items) < 0)
		return -ENOMEM;
	r = syc_map_put(&functions->by_text, &key, sizeof(key), &number);
	if (r > 0)
		functions->items.items[functions->items.n++] = *function;
	if (r >= 0)
		*ret_number = (uint32_t)number;
	return r < 0 ? r : 0;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * Names of binaries identify syscap's libraries, and prefixes of functions
 * identify linked copies.  The command's own functions have these prefixes,
 * too, but a recorded `syscap` is a program like others.
 */
bool syc_functions_is_recording(const char *name, const char *binary)
{
	if (has_prefix(binary, "libsyscap-") ||
	    has_prefix(binary, "libsyscap.so"))
		return true;
	return strcmp(binary, "syscap") != 0 &&
	       (has_prefix(name, "syc_") || has_prefix(name, "syscap_"));
}

static int put_binary(struct syc_functions *functions, struct syc_texts *texts,
                      uint32_t of, uint32_t *ret_number)
{
	struct syscap_profile_function binary = functions->items.items[of];
	const size_t len = strlen(binary.binary);
	char *text;
	int r;

	*ret_number = of;
	binary.is_inlined = false;
	/* All functions of a syscap library are syscap's code. */
	if (binary.category == SYSCAP_CATEGORY_RECORDING &&
	    !syc_functions_is_recording("", binary.binary))
		binary.category = SYSCAP_CATEGORY_APPLICATION;
	if (binary.name[0] == '[' && strlen(binary.name) == len + 2 &&
	    memcmp(binary.name + 1, binary.binary, len) == 0)
		return 0; /* the function already represents the binary */
	if (asprintf(&text, "[%s]", binary.binary) < 0)
		return -ENOMEM;
	r = syc_texts_keep(texts, text, strlen(text), &binary.name);
	free(text);
	return r == 0 ? syc_functions_put(functions, &binary, ret_number) : r;
}

int syc_functions_settle(struct syc_functions *functions,
                         struct syc_texts *texts)
{
	/* This loop adds functions; each added function represents itself. */
	for (size_t i = functions->of_binary.n; i < functions->items.n; i++) {
		uint32_t number = (uint32_t)i;

		if (functions->items.items[i].binary[0] != 0 &&
		    put_binary(functions, texts, number, &number) < 0)
			return -ENOMEM;
		if (syc_array_push(&functions->of_binary, number) < 0)
			return -ENOMEM;
	}
	return 0;
}

enum syscap_profile_category syc_functions_category(const char *path)
{
	static const char *const directories[] = {
		"/usr/lib/",     "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
		"/usr/libexec/", "/lib/",       "/lib32/",     "/lib64/",
		"/libx32/",      "/app/lib/",   "[vdso]",
	};

	for (unsigned i = 0; i < sizeof(directories) / sizeof(directories[0]);
	     i++)
		if (strncmp(path, directories[i], strlen(directories[i])) == 0)
			return SYSCAP_CATEGORY_SYSTEM;
	return SYSCAP_CATEGORY_APPLICATION;
}

/* Name of functions without a name in debug information. */
#define NO_NAME "[inlined]"

/* Offset of stored numbers, so that 0 is "not looked up" and 1 is NONE. */
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

/*
 * The identity of a binary: its build-id, or its path if no build-id is known.
 * Binaries with one build-id are the same file under any path.
 */
struct name {
	const char *text;
	size_t len; /* length, including the NUL of a build-id, so that no path
	             * equals a build-id
	             * */
};

static struct name name_of(const char *path, const char *build_id)
{
	if (build_id[0] != 0)
		return (struct name){ build_id, strlen(build_id) + 1 };
	return (struct name){ path, strlen(path) };
}

/*
 * Maps and binaries are numerous, so an index avoids comparing all pairs.
 */
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
	/* Ignore damage, which `syscap check` reports. */
	syc_line_table_open(known->chunks.bytes.items, known->chunks.bytes.n,
	                    &known->table);
	return index_binaries(known);
}

void syc_sources_restart(struct syc_sources *known)
{
	known->sources.n = 0;
}

/*
 * The table's binary for @map, or NONE.  The function looks up each map once.
 */
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

/* The function @name, inlined into code of @into's binary. */
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
	if (syc_functions_is_recording(name, function.binary))
		function.category = SYSCAP_CATEGORY_RECORDING;
	r = syc_texts_keep(known->texts, name, strlen(name), &function.name);
	return r == 0 ? syc_functions_put(known->functions, &function,
	                                  ret_function)
	              : r;
}

/* Add the source frames of the place, outermost first. */
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
	/* A frame interrupted by a signal is exact at any depth. */
	if (binary == NONE ||
	    (!(is_return && syc_line_table_place_at(&known->table, binary,
	                                            offset - 1, &place)) &&
	     !syc_line_table_place_at(&known->table, binary, offset, &place)))
		return 0;
	location->source = first;
	return add_sources(known, &place, location->function);
}
