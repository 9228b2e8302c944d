/* SPDX-License-Identifier: BSD-2-Clause */
/* pprof_tables.c - what samples of a profile.proto refer to. */
#include "export/pprof_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Fields of Profile. */
enum {
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6
};

/* Then the functions' names, then the binaries', then the files'. */
static const char *const texts[] = { "",     "samples",     "count",
	                             "time", "nanoseconds", "pid",
	                             "tid" };

void syc_pprof_write(struct syc_pprof_file *file, unsigned field)
{
	syc_protobuf_clear(&file->outer);
	syc_protobuf_message(&file->outer, field, &file->message);
	syc_gzip_write(file->gzip, file->outer.bytes.items,
	               file->outer.bytes.n);
	syc_protobuf_clear(&file->message);
}

static void write_string(struct syc_pprof_file *file, const char *text,
                         size_t n)
{
	syc_protobuf_clear(&file->outer);
	syc_protobuf_bytes(&file->outer, STRING_TABLE, text, n);
	syc_gzip_write(file->gzip, file->outer.bytes.items,
	               file->outer.bytes.n);
}

/* The program that took the most: pprof takes the first mapping for it. */
static const char *main_binary(const struct syc_pprof_tables *tables)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	const char *name = "";
	uint64_t most = 0;
	size_t n, n_threads;

	processes = syscap_profile_processes(tables->export->profile, &n);
	threads = syscap_profile_threads(tables->export->profile, &n_threads);
	for (size_t i = 0; i < n_threads; i++)
		if (threads[i].ticks >= most) {
			most = threads[i].ticks;
			name = processes[threads[i].process].binary;
		}
	return name;
}

static int number_binaries(struct syc_pprof_tables *tables)
{
	const char *first = main_binary(tables);
	size_t ignored;

	if (syc_map_put(&tables->binaries, first, strlen(first), &ignored) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < tables->n_functions; i++)
		if (syc_map_put(&tables->binaries, tables->functions[i].binary,
		                strlen(tables->functions[i].binary),
		                &ignored) < 0)
			return -ENOMEM;
	return 0;
}

/* Turned round, what was inlined no longer stands behind what it is in. */
static bool is_in_caller(const struct syc_pprof_tables *tables, uint32_t node)
{
	const struct syscap_view *view = tables->export->view;

	return view->lines != NULL && !tables->export->filter->reverse &&
	       tables->functions[view->functions[node]].is_inlined &&
	       view->parents[node] != 0;
}

static int number_locations(struct syc_pprof_tables *tables)
{
	const struct syscap_view *view = tables->export->view;
	struct syc_map known = { 0 };
	int r = 0;

	if (view->lines == NULL)
		return 0;
	tables->location_of = calloc(view->n_nodes, sizeof(uint32_t));
	if (tables->location_of == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct syc_pprof_location location = {
			view->functions[i], view->lines[i],
			is_in_caller(tables, i)
				? tables->location_of[view->parents[i]] + 1
				: 0
		};
		size_t number;

		r = syc_map_put(&known, &location, sizeof(location), &number);
		if (r > 0)
			r = syc_array_push(&tables->locations, location);
		if (r >= 0)
			tables->location_of[i] = (uint32_t)number;
	}
	syc_map_fini(&known);
	return r < 0 ? r : 0;
}

static const struct syscap_profile_line *
line_of(const struct syc_pprof_tables *tables, uint32_t line)
{
	size_t n;

	return line == SYSCAP_PROFILE_NONE
	               ? NULL
	               : &syscap_profile_lines(tables->export->profile,
	                                       &n)[line];
}

/* A function's file is that of the first of its lines. */
static int number_files(struct syc_pprof_tables *tables)
{
	tables->file_of = malloc((tables->n_functions + 1) * sizeof(uint32_t));
	if (tables->file_of == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < tables->n_functions; i++)
		tables->file_of[i] = SYSCAP_PROFILE_NONE;
	for (size_t i = tables->locations.n; i-- > 0;) {
		const struct syc_pprof_location *location =
			&tables->locations.items[i];
		const struct syscap_profile_line *line =
			line_of(tables, location->line);
		size_t file;

		if (line == NULL)
			continue;
		if (syc_map_put(&tables->files, line->file, strlen(line->file),
		                &file) < 0)
			return -ENOMEM;
		tables->file_of[location->function] = (uint32_t)file;
	}
	return 0;
}

static void write_texts(const struct syc_pprof_tables *tables,
                        struct syc_pprof_file *file)
{
	for (size_t i = 0; i < SYC_PPROF_N_TEXTS; i++)
		write_string(file, texts[i], strlen(texts[i]));
	for (size_t i = 0; i < tables->n_functions; i++)
		write_string(file, tables->functions[i].name,
		             strlen(tables->functions[i].name));
	for (size_t i = 0; i < tables->binaries.n; i++)
		write_string(file, tables->binaries.keys[i].bytes,
		             tables->binaries.keys[i].len);
	for (size_t i = 0; i < tables->files.n; i++)
		write_string(file, tables->files.keys[i].bytes,
		             tables->files.keys[i].len);
}

static void write_mappings(const struct syc_pprof_tables *tables,
                           struct syc_pprof_file *file)
{
	const uint64_t first = SYC_PPROF_N_TEXTS + tables->n_functions;

	for (size_t i = 0; i < tables->binaries.n; i++) {
		syc_protobuf_number(&file->message, 1, i + 1);
		syc_protobuf_number(&file->message, 5, first + i);
		syc_protobuf_number(&file->message, 7, 1);
		if (tables->files.n > 0) {
			/* It has files, lines and what was inlined. */
			syc_protobuf_number(&file->message, 8, 1);
			syc_protobuf_number(&file->message, 9, 1);
			syc_protobuf_number(&file->message, 10, 1);
		}
		syc_pprof_write(file, MAPPING);
	}
}

static void write_functions(const struct syc_pprof_tables *tables,
                            struct syc_pprof_file *file)
{
	const uint64_t first =
		SYC_PPROF_N_TEXTS + tables->n_functions + tables->binaries.n;

	for (size_t i = 0; i < tables->n_functions; i++) {
		syc_protobuf_number(&file->message, 1, i + 1);
		syc_protobuf_number(&file->message, 2, SYC_PPROF_N_TEXTS + i);
		syc_protobuf_number(&file->message, 3, SYC_PPROF_N_TEXTS + i);
		if (tables->file_of[i] != SYSCAP_PROFILE_NONE)
			syc_protobuf_number(&file->message, 4,
			                    first + tables->file_of[i]);
		syc_pprof_write(file, FUNCTION);
	}
}

static void add_line(const struct syc_pprof_tables *tables,
                     struct syc_pprof_file *file, uint32_t function,
                     uint32_t number)
{
	const struct syscap_profile_line *line = line_of(tables, number);

	syc_protobuf_clear(&file->inner);
	syc_protobuf_number(&file->inner, 1, UINT64_C(1) + function);
	if (line != NULL && line->line != 0)
		syc_protobuf_number(&file->inner, 2, line->line);
	syc_protobuf_message(&file->message, 4, &file->inner);
}

static void begin_location(const struct syc_pprof_tables *tables,
                           struct syc_pprof_file *file, size_t number,
                           uint32_t function)
{
	const char *name = tables->functions[function].binary;
	size_t binary = 0;

	syc_map_get(&tables->binaries, name, strlen(name), &binary);
	syc_protobuf_number(&file->message, 1, number + 1);
	syc_protobuf_number(&file->message, 2, binary + 1);
}

/* Of each the innermost function first. */
static void write_locations(const struct syc_pprof_tables *tables,
                            struct syc_pprof_file *file)
{
	for (uint32_t i = 0;
	     tables->location_of == NULL && i < tables->n_functions; i++) {
		begin_location(tables, file, i, i);
		add_line(tables, file, i, SYSCAP_PROFILE_NONE);
		syc_pprof_write(file, LOCATION);
	}
	for (size_t i = 0; i < tables->locations.n; i++) {
		const struct syc_pprof_location *at =
			&tables->locations.items[i];

		begin_location(tables, file, i, at->function);
		add_line(tables, file, at->function, at->line);
		while (at->into != 0) {
			at = &tables->locations.items[at->into - 1];
			add_line(tables, file, at->function, at->line);
		}
		syc_pprof_write(file, LOCATION);
	}
}

void syc_pprof_tables_write(const struct syc_pprof_tables *tables,
                            struct syc_pprof_file *file)
{
	write_texts(tables, file);
	write_mappings(tables, file);
	write_functions(tables, file);
	write_locations(tables, file);
}

void syc_pprof_stack(const struct syc_pprof_tables *tables, uint32_t node,
                     struct syc_protobuf *ids)
{
	const struct syscap_view *view = tables->export->view;

	for (; node != 0; node = view->parents[node]) {
		syc_protobuf_varint(
			ids, UINT64_C(1) + (tables->location_of != NULL
		                                    ? tables->location_of[node]
		                                    : view->functions[node]));
		while (is_in_caller(tables, node))
			node = view->parents[node];
	}
}

int syc_pprof_tables_init(struct syc_pprof_tables *tables,
                          const struct syc_export *export)
{
	int r;

	*tables = (struct syc_pprof_tables){ .export = export };
	tables->functions =
		syscap_profile_functions(export->profile, &tables->n_functions);
	r = number_binaries(tables);
	if (r == 0)
		r = number_locations(tables);
	return r == 0 ? number_files(tables) : r;
}

void syc_pprof_tables_fini(struct syc_pprof_tables *tables)
{
	syc_map_fini(&tables->binaries);
	syc_map_fini(&tables->files);
	free(tables->file_of);
	free(tables->location_of);
	free(tables->locations.items);
	*tables = (struct syc_pprof_tables){ 0 };
}
