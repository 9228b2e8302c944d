/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_tables.c - strings, functions, frames and stacks shared by all
 * threads.
 *
 * A view has no addresses: a frame is a function, at a line if the line is
 * known.  The number of a stack is the number of its node minus one, because
 * the root is not a stack.  Numbers of allocation stacks follow.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox.h"

static const struct category {
	const char *name, *color;
} categories[SYC_FIREFOX_CATEGORIES] = {
	[SYSCAP_CATEGORY_APPLICATION] = { "Application", "green" },
	[SYSCAP_CATEGORY_SYSTEM] = { "System library", "blue" },
	[SYSCAP_CATEGORY_JIT] = { "JIT", "yellow" },
	[SYSCAP_CATEGORY_KERNEL] = { "Kernel", "orange" },
	/* The viewer needs a grey category */
	[SYSCAP_CATEGORY_NOTE] = { "Other", "grey" },
	[SYSCAP_CATEGORY_RECORDING] = { "Recording", "magenta" },
	[SYC_FIREFOX_MARK] = { "Mark", "purple" },
	[SYC_FIREFOX_LOG] = { "Log", "brown" },
	[SYC_FIREFOX_LOST] = { "Lost", "red" },
};

static const char *const other_names[SYC_FIREFOX_NAMES] = {
	[SYC_FIREFOX_NAME_LOG] = "log",
	[SYC_FIREFOX_NAME_LOST] = "lost",
};

/* Find the file of each function, the file of its first line. */
static int find_files(struct syc_firefox_tables *tables, size_t n_functions)
{
	const int r = syc_frames_init(&tables->frames, tables->export);
	size_t file;

	tables->file_of = malloc((n_functions + 1) * sizeof(uint32_t));
	if (r < 0 || tables->file_of == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n_functions; i++)
		tables->file_of[i] = SYSCAP_PROFILE_NONE;
	for (size_t i = tables->frames.n; i-- > 0;) {
		const struct syscap_profile_line *line =
			syc_frames_line(&tables->frames, i);

		if (line != NULL && syc_map_get(&tables->files, line->file,
		                                strlen(line->file) + 1, &file))
			tables->file_of[syc_frames_get(&tables->frames, i)
			                        .function] = (uint32_t)file;
	}
	return 0;
}

int syc_firefox_tables_init(struct syc_firefox_tables *tables,
                            const struct syc_export *export)
{
	const struct syscap_profile_function *functions;
	const struct syscap_profile_line *lines;
	size_t n_functions, n_names, n_lines, ignored;

	functions = syscap_profile_functions(export->profile, &n_functions);
	lines = syscap_profile_lines(export->profile, &n_lines);
	syscap_profile_mark_names(export->profile, &n_names);
	*tables = (struct syc_firefox_tables){
		.export = export,
		.mark_names = n_functions,
		.heap_stacks = export->view->n_nodes - 1,
		.other_names = n_functions + n_names,
		.binary_names = n_functions + n_names + SYC_FIREFOX_NAMES,
	};
	for (size_t i = 0; i < n_functions; i++)
		if (functions[i].binary[0] != 0 &&
		    syc_map_put(&tables->binaries, functions[i].binary,
		                strlen(functions[i].binary) + 1, &ignored) < 0)
			return -ENOMEM;
	tables->file_names = tables->binary_names + tables->binaries.n;
	for (size_t i = 0; i < n_lines; i++)
		if (syc_map_put(&tables->files, lines[i].file,
		                strlen(lines[i].file) + 1, &ignored) < 0)
			return -ENOMEM;
	return find_files(tables, n_functions);
}

void syc_firefox_tables_fini(struct syc_firefox_tables *tables)
{
	syc_map_fini(&tables->binaries);
	syc_map_fini(&tables->files);
	syc_frames_fini(&tables->frames);
	free(tables->file_of);
}

void syc_firefox_tables_categories(struct syc_json *json)
{
	syc_json_begin_array(json);
	for (size_t i = 0; i < SYC_FIREFOX_CATEGORIES; i++) {
		syc_json_begin_object(json);
		syc_json_member_text(json, "name", categories[i].name);
		syc_json_member_text(json, "color", categories[i].color);
		syc_json_key(json, "subcategories");
		syc_json_begin_array(json);
		syc_json_text(json, "Other");
		syc_json_end_array(json);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void begin_object(struct syc_json *json, const char *key)
{
	syc_json_key(json, key);
	syc_json_begin_object(json);
}

static void begin_column(struct syc_json *json, const char *key)
{
	syc_json_key(json, key);
	syc_json_begin_array(json);
}

static void integer_column(struct syc_json *json, const char *key, size_t n,
                           int64_t value)
{
	begin_column(json, key);
	for (size_t i = 0; i < n; i++)
		syc_json_integer(json, value);
	syc_json_end_array(json);
}

static void bool_column(struct syc_json *json, const char *key, size_t n,
                        bool value)
{
	begin_column(json, key);
	for (size_t i = 0; i < n; i++)
		syc_json_bool(json, value);
	syc_json_end_array(json);
}

/* @first, @first + 1, ... */
static void number_column(struct syc_json *json, const char *key, size_t n,
                          size_t first)
{
	begin_column(json, key);
	for (size_t i = 0; i < n; i++)
		syc_json_unsigned(json, first + i);
	syc_json_end_array(json);
}

/* @keys are separated by blanks. */
static void null_columns(struct syc_json *json, const char *keys, size_t n)
{
	char key[32];

	for (int used; sscanf(keys, "%31s%n", key, &used) == 1; keys += used) {
		begin_column(json, key);
		for (size_t i = 0; i < n; i++)
			syc_json_null(json);
		syc_json_end_array(json);
	}
}

static void end_table(struct syc_json *json, size_t n)
{
	syc_json_member_unsigned(json, "length", n);
	syc_json_end_object(json);
}

static void write_stacks(const struct syc_firefox_tables *tables,
                         struct syc_json *json)
{
	/* Offsets are relative to the node, so two views can be concatenated */
	const struct syscap_view *const views[] = { tables->export->view,
		                                    tables->export->heap };
	size_t n = 0;

	begin_object(json, "stackTable");
	begin_column(json, "frame");
	for (size_t v = 0; v < 2; v++)
		for (size_t i = 1; views[v] && i < views[v]->n_nodes; i++, n++)
			syc_json_unsigned(json,
			                  syc_frames_of(&tables->frames,
			                                views[v], (uint32_t)i));
	syc_json_end_array(json);
	begin_column(json, "prefixOffset"); /* distance to the caller; 0:
	                                     * none */
	for (size_t v = 0; v < 2; v++)
		for (size_t i = 1; views[v] && i < views[v]->n_nodes; i++)
			syc_json_unsigned(json,
			                  views[v]->parents[i] == 0
			                          ? 0
			                          : i - views[v]->parents[i]);
	syc_json_end_array(json);
	end_table(json, n);
}

/*
 * The format has a file for a function and a line for a frame.  A line of
 * another file is therefore omitted.
 */
static void write_line(const struct syc_firefox_tables *tables,
                       struct syc_json *json, size_t frame)
{
	const struct syscap_profile_line *line =
		syc_frames_line(&tables->frames, frame);
	size_t file;

	if (line != NULL && line->line != 0 &&
	    syc_map_get(&tables->files, line->file, strlen(line->file) + 1,
	                &file) &&
	    file == tables->file_of[syc_frames_get(&tables->frames, frame)
	                                    .function])
		syc_json_unsigned(json, line->line);
	else
		syc_json_null(json);
}

static void write_frames(const struct syc_firefox_tables *tables,
                         const struct syscap_profile_function *functions,
                         struct syc_json *json)
{
	const struct syc_frames *frames = &tables->frames;
	const size_t n = frames->n;

	begin_object(json, "frameTable");
	integer_column(json, "address", n, -1);
	integer_column(json, "lib", n, -1);
	/*
	 * The viewer finds inlined functions only by symbols of libraries,
	 * which a profile lacks.  So the name of an inlined function has a
	 * remark.
	 */
	integer_column(json, "inlineDepth", n, 0);
	begin_column(json, "category");
	for (size_t i = 0; i < n; i++)
		syc_json_unsigned(
			json,
			functions[syc_frames_get(frames, i).function].category);
	syc_json_end_array(json);
	integer_column(json, "subcategory", n, 0);
	begin_column(json, "func");
	for (size_t i = 0; i < n; i++)
		syc_json_unsigned(json, syc_frames_get(frames, i).function);
	syc_json_end_array(json);
	begin_column(json, "line");
	for (size_t i = 0; i < n; i++)
		write_line(tables, json, i);
	syc_json_end_array(json);
	null_columns(json, "nativeSymbol innerWindowID column originalLocation",
	             n);
	end_table(json, n);
}

static void write_functions(const struct syc_firefox_tables *tables,
                            const struct syscap_profile_function *functions,
                            size_t n, struct syc_json *json)
{
	size_t binary;

	begin_object(json, "funcTable");
	number_column(json, "name", n, 0);
	begin_column(json, "resource");
	for (size_t i = 0; i < n; i++)
		syc_json_integer(
			json,
			syc_map_get(&tables->binaries, functions[i].binary,
		                    strlen(functions[i].binary) + 1, &binary)
				? (int64_t)binary
				: -1);
	syc_json_end_array(json);
	bool_column(json, "isJS", n, false);
	bool_column(json, "relevantForJS", n, false);
	begin_column(json, "source");
	for (size_t i = 0; i < n; i++)
		if (tables->file_of[i] != SYSCAP_PROFILE_NONE)
			syc_json_unsigned(json, tables->file_of[i]);
		else
			syc_json_null(json);
	syc_json_end_array(json);
	null_columns(json, "lineNumber columnNumber originalLocation", n);
	end_table(json, n);
}

static void write_strings(struct syc_firefox_tables *tables,
                          struct syc_json *json)
{
	const struct syscap_profile *profile = tables->export->profile;
	const struct syscap_profile_mark_name *names;
	size_t n_functions, n_names;

	syscap_profile_functions(profile, &n_functions);
	names = syscap_profile_mark_names(profile, &n_names);
	begin_column(json, "stringArray");
	for (uint32_t i = 0; i < n_functions; i++)
		syc_json_text(json, syc_frames_name(&tables->frames, i));
	for (size_t i = 0; i < n_names; i++) {
		/*
		 * Group and name are short in a frame, but replaced bytes take
		 * up to three times the space
		 */
		char text[256];

		snprintf(text, sizeof(text), "%s/%s", names[i].group,
		         names[i].name);
		syc_json_text(json, text);
	}
	for (size_t i = 0; i < SYC_FIREFOX_NAMES; i++)
		syc_json_text(json, other_names[i]);
	for (size_t i = 0; i < tables->binaries.n; i++)
		syc_json_text(json, tables->binaries.keys[i].bytes);
	for (size_t i = 0; i < tables->files.n; i++)
		syc_json_text(json, tables->files.keys[i].bytes);
	syc_json_end_array(json);
}

void syc_firefox_tables_write(struct syc_firefox_tables *tables,
                              struct syc_json *json)
{
	const struct syscap_profile_function *functions;
	size_t n;

	functions = syscap_profile_functions(tables->export->profile, &n);
	syc_json_begin_object(json);
	write_strings(tables, json);
	write_stacks(tables, json);
	write_frames(tables, functions, json);
	write_functions(tables, functions, n, json);
	begin_object(json, "resourceTable");
	number_column(json, "name", tables->binaries.n, tables->binary_names);
	null_columns(json, "host", tables->binaries.n);
	/* Resource type: a library. */
	integer_column(json, "type", tables->binaries.n, 1);
	end_table(json, tables->binaries.n);
	begin_object(json, "nativeSymbols");
	null_columns(json, "libIndex address name functionSize", 0);
	end_table(json, 0);
	begin_object(json, "sources");
	number_column(json, "filename", tables->files.n, tables->file_names);
	integer_column(json, "startLine", tables->files.n, 1);
	integer_column(json, "startColumn", tables->files.n, 1);
	null_columns(json, "id sourceMapURL content", tables->files.n);
	end_table(json, tables->files.n);
	begin_object(json, "sourceLocationTable");
	null_columns(json, "source line column", 0);
	end_table(json, 0);
	syc_json_end_object(json);
}
