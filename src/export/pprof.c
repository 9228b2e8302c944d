/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof.c - profile.proto of pprof: stacks with their sums, by thread.
 *
 * A view has no addresses: a location is a function, or a function at a line
 * with the functions inlined there.
 *
 * The format requires a gzip file.  The writer stores the blocks of the file
 * uncompressed, and gzip makes the file smaller.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "export/export.h"
#include "export/protobuf.h"
#include "export/stacks.h"

struct gzip {
	FILE *out;
	uint32_t table[256], crc, size;
	size_t n; /* number of bytes in the block */
	unsigned char block[65535];
};

static void gzip_begin(struct gzip *gzip, FILE *out)
{
	static const unsigned char header[10] = { 0x1f, 0x8b, 8, 0, 0,
		                                  0,    0,    0, 0, 255 };

	gzip->out = out;
	gzip->crc = UINT32_MAX;
	gzip->size = 0;
	gzip->n = 0;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (unsigned bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
		gzip->table[i] = value;
	}
	fwrite(header, sizeof(header), 1, out);
}

static void write_block(struct gzip *gzip, unsigned char is_last)
{
	const unsigned n = (unsigned)gzip->n;
	const unsigned char header[5] = { is_last, n & 0xff, n >> 8 & 0xff,
		                          ~n & 0xff, ~n >> 8 & 0xff };

	fwrite(header, sizeof(header), 1, gzip->out);
	if (n > 0)
		fwrite(gzip->block, n, 1, gzip->out);
	gzip->n = 0;
}

static void gzip_write(struct gzip *gzip, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	gzip->size += (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		gzip->crc = gzip->table[(gzip->crc ^ at[i]) & 0xff] ^
		            gzip->crc >> 8;
		gzip->block[gzip->n++] = at[i];
		if (gzip->n == sizeof(gzip->block))
			write_block(gzip, 0);
	}
}

static void write_u32(FILE *out, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		putc((int)(value >> (8 * i) & 0xff), out);
}

static void gzip_end(struct gzip *gzip)
{
	write_block(gzip, 1);
	write_u32(gzip->out, ~gzip->crc);
	write_u32(gzip->out, gzip->size);
}

/* The output, and the messages under construction. */
struct pprof_file {
	struct gzip *gzip;
	struct syc_protobuf outer, message, inner;
};

/* Predefined strings, by number. */
enum {
	SYC_PPROF_TEXT_NONE,
	SYC_PPROF_TEXT_SAMPLES,
	SYC_PPROF_TEXT_COUNT,
	SYC_PPROF_TEXT_TIME,
	SYC_PPROF_TEXT_NANOSECONDS,
	SYC_PPROF_TEXT_PID,
	SYC_PPROF_TEXT_TID,
	SYC_PPROF_N_TEXTS
};

/* A frame, and 1 + the number of the frame into which it is inlined; or 0. */
struct pprof_location {
	uint32_t function, line, into;
};

struct pprof_tables {
	const struct syc_export *export;
	const struct syscap_profile_function *functions;
	size_t n_functions;
	struct syc_map binaries; /* numbers of mappings, from 1 */
	struct syc_map files;    /* source files; their strings follow the
	                          * strings of binaries */
	uint32_t *file_of;       /* number of each function's file, or NONE */
	/* If lines are written: the location of each node, and the
	 * locations. */
	uint32_t *location_of;
	SYC_ARRAY(struct pprof_location) locations;
};

/* Fields of Profile. */
enum {
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6
};

/*
 * The first strings.  Names of functions follow, then of binaries, then of
 * files, and the comment.
 */
static const char *const texts[] = { "",     "samples",     "count",
	                             "time", "nanoseconds", "pid",
	                             "tid" };

/* Write @file->message as a field of the profile, and empty the message. */
static void pprof_write(struct pprof_file *file, unsigned field)
{
	syc_protobuf_clear(&file->outer);
	syc_protobuf_message(&file->outer, field, &file->message);
	gzip_write(file->gzip, file->outer.bytes.items, file->outer.bytes.n);
	syc_protobuf_clear(&file->message);
}

static void write_string(struct pprof_file *file, const char *text, size_t n)
{
	syc_protobuf_clear(&file->outer);
	syc_protobuf_bytes(&file->outer, STRING_TABLE, text, n);
	gzip_write(file->gzip, file->outer.bytes.items, file->outer.bytes.n);
}

/* The program with the largest amount, since pprof treats the first mapping as
 * the program. */
static const char *main_binary(const struct pprof_tables *tables)
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

static int number_binaries(struct pprof_tables *tables)
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

/* In reversed stacks, an inlined function does not follow its caller. */
static bool is_in_caller(const struct pprof_tables *tables, uint32_t node)
{
	const struct syscap_view *view = tables->export->view;

	return view->lines != NULL && !tables->export->filter->reverse &&
	       tables->functions[view->functions[node]].is_inlined &&
	       view->parents[node] != 0;
}

static int number_locations(struct pprof_tables *tables)
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
		const struct pprof_location location = {
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
line_of(const struct pprof_tables *tables, uint32_t line)
{
	size_t n;

	return line == SYSCAP_PROFILE_NONE
	               ? NULL
	               : &syscap_profile_lines(tables->export->profile,
	                                       &n)[line];
}

/* Find the file of each function, the file of its first line. */
static int number_files(struct pprof_tables *tables)
{
	tables->file_of = malloc((tables->n_functions + 1) * sizeof(uint32_t));
	if (tables->file_of == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < tables->n_functions; i++)
		tables->file_of[i] = SYSCAP_PROFILE_NONE;
	for (size_t i = tables->locations.n; i-- > 0;) {
		const struct pprof_location *location =
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

static void write_texts(const struct pprof_tables *tables,
                        struct pprof_file *file)
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
	if (tables->export->note[0] != 0)
		write_string(file, tables->export->note,
		             strlen(tables->export->note));
}

static void write_mappings(const struct pprof_tables *tables,
                           struct pprof_file *file)
{
	const uint64_t first = SYC_PPROF_N_TEXTS + tables->n_functions;

	for (size_t i = 0; i < tables->binaries.n; i++) {
		syc_protobuf_number(&file->message, 1, i + 1);
		syc_protobuf_number(&file->message, 5, first + i);
		syc_protobuf_number(&file->message, 7, 1);
		if (tables->files.n > 0) {
			/* The mapping has files, lines and inlined
			 * functions. */
			syc_protobuf_number(&file->message, 8, 1);
			syc_protobuf_number(&file->message, 9, 1);
			syc_protobuf_number(&file->message, 10, 1);
		}
		pprof_write(file, MAPPING);
	}
}

static void write_functions(const struct pprof_tables *tables,
                            struct pprof_file *file)
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
		pprof_write(file, FUNCTION);
	}
}

static void add_line(const struct pprof_tables *tables, struct pprof_file *file,
                     uint32_t function, uint32_t number)
{
	const struct syscap_profile_line *line = line_of(tables, number);

	syc_protobuf_clear(&file->inner);
	syc_protobuf_number(&file->inner, 1, UINT64_C(1) + function);
	if (line != NULL && line->line != 0)
		syc_protobuf_number(&file->inner, 2, line->line);
	syc_protobuf_message(&file->message, 4, &file->inner);
}

static void begin_location(const struct pprof_tables *tables,
                           struct pprof_file *file, size_t number,
                           uint32_t function)
{
	const char *name = tables->functions[function].binary;
	size_t binary = 0;

	syc_map_get(&tables->binaries, name, strlen(name), &binary);
	syc_protobuf_number(&file->message, 1, number + 1);
	syc_protobuf_number(&file->message, 2, binary + 1);
}

/* Write the locations, each with its innermost function first. */
static void write_locations(const struct pprof_tables *tables,
                            struct pprof_file *file)
{
	for (uint32_t i = 0;
	     tables->location_of == NULL && i < tables->n_functions; i++) {
		begin_location(tables, file, i, i);
		add_line(tables, file, i, SYSCAP_PROFILE_NONE);
		pprof_write(file, LOCATION);
	}
	for (size_t i = 0; i < tables->locations.n; i++) {
		const struct pprof_location *at = &tables->locations.items[i];

		begin_location(tables, file, i, at->function);
		add_line(tables, file, at->function, at->line);
		while (at->into != 0) {
			at = &tables->locations.items[at->into - 1];
			add_line(tables, file, at->function, at->line);
		}
		pprof_write(file, LOCATION);
	}
}

static void pprof_tables_write(const struct pprof_tables *tables,
                               struct pprof_file *file)
{
	write_texts(tables, file);
	write_mappings(tables, file);
	write_functions(tables, file);
	write_locations(tables, file);
}

/* Append the locations of a node's stack, the innermost first. */
static void pprof_stack(const struct pprof_tables *tables, uint32_t node,
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

/* Returns 0 or -ENOMEM; the caller ends @tables in any case. */
static int pprof_tables_init(struct pprof_tables *tables,
                             const struct syc_export *export)
{
	int r;

	*tables = (struct pprof_tables){ .export = export };
	tables->functions =
		syscap_profile_functions(export->profile, &tables->n_functions);
	r = number_binaries(tables);
	if (r == 0)
		r = number_locations(tables);
	return r == 0 ? number_files(tables) : r;
}

static void pprof_tables_fini(struct pprof_tables *tables)
{
	syc_map_fini(&tables->binaries);
	syc_map_fini(&tables->files);
	free(tables->file_of);
	free(tables->location_of);
	free(tables->locations.items);
	*tables = (struct pprof_tables){ 0 };
}

struct writer {
	struct syc_export *export;
	struct pprof_file file;
	struct pprof_tables tables;
	struct syscap_profile_samples samples;
	struct syc_thread_samples by;
	uint64_t *ticks;   /* ticks of each node in the current thread */
	uint32_t *touched; /* nodes with ticks in the current thread */
	bool is_time;
};

/* Fields of Profile that are not tables. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14
};

static void write_type(struct writer *writer, uint64_t type, uint64_t unit)
{
	syc_protobuf_number(&writer->file.message, 1, type);
	syc_protobuf_number(&writer->file.message, 2, unit);
	pprof_write(&writer->file, SAMPLE_TYPE);
}

static void add_label(struct writer *writer, uint64_t key, int64_t number)
{
	if (number < 0)
		return;
	syc_protobuf_clear(&writer->file.inner);
	syc_protobuf_number(&writer->file.inner, 1, key);
	syc_protobuf_number(&writer->file.inner, 3, (uint64_t)number);
	syc_protobuf_message(&writer->file.message, 3, &writer->file.inner);
}

/* Write one stack of one thread, innermost frame first. */
static void write_sample(struct writer *writer, uint32_t thread, uint32_t node)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	const uint64_t ticks = writer->ticks[node];
	size_t n;

	threads = syscap_profile_threads(writer->export->profile, &n);
	processes = syscap_profile_processes(writer->export->profile, &n);
	syc_protobuf_clear(&writer->file.inner);
	pprof_stack(&writer->tables, node, &writer->file.inner);
	syc_protobuf_message(&writer->file.message, 1, &writer->file.inner);
	syc_protobuf_clear(&writer->file.inner);
	syc_protobuf_varint(&writer->file.inner, ticks);
	if (writer->is_time)
		syc_protobuf_varint(
			&writer->file.inner,
			ticks * syscap_profile_tick(writer->export->profile,
		                                    thread));
	syc_protobuf_message(&writer->file.message, 2, &writer->file.inner);
	add_label(writer, SYC_PPROF_TEXT_PID,
	          processes[threads[thread].process].pid);
	add_label(writer, SYC_PPROF_TEXT_TID, threads[thread].tid);
	pprof_write(&writer->file, SAMPLE);
}

/*
 * Add the ticks of @sample.  Returns true if the stack of @sample is new, the
 * @n-th of its thread.
 */
static bool add_ticks(struct writer *writer, uint32_t sample, size_t n)
{
	const uint32_t node =
		writer->export->view->nodes[writer->samples.stacks[sample]];
	const bool is_new = writer->ticks[node] == 0;

	if (is_new)
		writer->touched[n] = node;
	writer->ticks[node] += writer->samples.ticks[sample];
	return is_new;
}

static void write_thread(struct writer *writer, uint32_t thread)
{
	const uint32_t *numbers;
	size_t n_numbers, n = 0;

	for (size_t at = 0;
	     (numbers = syc_thread_samples_get(&writer->by, thread, at,
	                                       &n_numbers)) != NULL;
	     at += n_numbers)
		for (size_t i = 0; i < n_numbers; i++)
			n += add_ticks(writer, numbers[i], n);
	for (size_t i = 0; i < n; i++) {
		write_sample(writer, thread, writer->touched[i]);
		writer->ticks[writer->touched[i]] = 0;
	}
}

static uint64_t number_of_comment(const struct pprof_tables *tables)
{
	return SYC_PPROF_N_TEXTS + tables->n_functions + tables->binaries.n +
	       tables->files.n;
}

static void write_profile(struct writer *writer)
{
	struct syscap_profile_span span;

	syscap_profile_span(writer->export->profile, &span);
	write_type(writer, SYC_PPROF_TEXT_SAMPLES, SYC_PPROF_TEXT_COUNT);
	if (writer->is_time)
		write_type(writer, SYC_PPROF_TEXT_TIME,
		           SYC_PPROF_TEXT_NANOSECONDS);
	pprof_tables_write(&writer->tables, &writer->file);
	for (size_t t = 0; t < writer->by.n_threads; t++)
		write_thread(writer, (uint32_t)t);
	syc_protobuf_clear(&writer->file.outer);
	syc_protobuf_number(&writer->file.outer, TIME_NANOS,
	                    (uint64_t)writer->export->capture_time *
	                            UINT64_C(1000000000));
	syc_protobuf_number(&writer->file.outer, DURATION_NANOS,
	                    (uint64_t)span.end - (uint64_t)span.begin);
	syc_protobuf_number(&writer->file.outer, DEFAULT_SAMPLE_TYPE,
	                    writer->is_time ? SYC_PPROF_TEXT_TIME
	                                    : SYC_PPROF_TEXT_SAMPLES);
	if (writer->export->note[0] != 0)
		syc_protobuf_number(&writer->file.outer, COMMENT,
		                    number_of_comment(&writer->tables));
	gzip_write(writer->file.gzip, writer->file.outer.bytes.items,
	           writer->file.outer.bytes.n);
}

int syc_export_pprof(struct syc_export *export)
{
	const size_t n = export->view->n_nodes;
	struct writer writer = {
		.export = export,
		.file.gzip = malloc(sizeof(*writer.file.gzip)),
		.ticks = calloc(n, sizeof(*writer.ticks)),
		.touched = calloc(n, sizeof(*writer.touched)),
		.is_time = syc_amount_is_time(export->view->unit),
	};
	int r = -ENOMEM;

	syscap_profile_samples(export->profile, &writer.samples);
	if (writer.file.gzip != NULL && writer.ticks != NULL &&
	    writer.touched != NULL)
		r = syc_thread_samples_init(&writer.by, export->profile,
		                            export->view);
	if (r == 0)
		r = pprof_tables_init(&writer.tables, export);
	if (r == 0) {
		gzip_begin(writer.file.gzip, export->out);
		write_profile(&writer);
		gzip_end(writer.file.gzip);
		if (writer.file.outer.failed || writer.file.message.failed)
			r = -ENOMEM;
	}
	syc_protobuf_fini(&writer.file.outer);
	syc_protobuf_fini(&writer.file.message);
	syc_protobuf_fini(&writer.file.inner);
	syc_thread_samples_fini(&writer.by);
	pprof_tables_fini(&writer.tables);
	free(writer.ticks);
	free(writer.touched);
	free(writer.file.gzip);
	return r;
}
