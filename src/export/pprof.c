/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof.c - profile.proto of pprof: stacks with their sums, by thread.  A view
 * has no addresses: a location is a function, or where the capture has lines a
 * function at a line with what was inlined there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/map.h"
#include "export/amount.h"
#include "export/by_thread.h"
#include "export/export.h"
#include "export/frames.h"
#include "export/gzip.h"
#include "export/protobuf.h"

/* Fields of Profile. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	DEFAULT_SAMPLE_TYPE = 14
};

/* Strings that always are there, by number; then the functions' names, then
 * the binaries'. */
static const char *const fixed[] = { "",     "samples",     "count",
	                             "time", "nanoseconds", "pid",
	                             "tid" };
enum {
	TEXT_NONE,
	TEXT_SAMPLES,
	TEXT_COUNT,
	TEXT_TIME,
	TEXT_NANOSECONDS,
	TEXT_PID,
	TEXT_TID,
	N_FIXED
};

/* A frame, and the number + 1 of the one that it was inlined into; or 0. */
struct location {
	uint32_t function, line, into;
};

struct writer {
	struct syc_export *export;
	struct syc_gzip *gzip;
	struct syc_protobuf outer, message, inner;
	const struct syscap_profile_function *functions;
	size_t n_functions;
	struct syc_map binaries; /* mappings are numbered so, from 1 on */
	struct syc_map files;    /* of source; strings behind the binaries */
	uint32_t *file_of;       /* number in files, by function; or NONE */
	/* Where there are lines: by node, its location; and these. */
	uint32_t *location_of;
	SYC_ARRAY(struct location) locations;
	struct syscap_profile_samples samples;
	struct syc_by_thread by;
	uint64_t *ticks;   /* by node, of the thread that is looked at */
	uint32_t *touched; /* nodes */
	bool is_time;
};

/* Write @message as a field of the profile. */
static void write_field(struct writer *writer, unsigned field)
{
	syc_protobuf_clear(&writer->outer);
	syc_protobuf_message(&writer->outer, field, &writer->message);
	syc_gzip_write(writer->gzip, writer->outer.bytes.items,
	               writer->outer.bytes.n);
	syc_protobuf_clear(&writer->message);
}

static void write_string(struct writer *writer, const char *text, size_t n)
{
	syc_protobuf_clear(&writer->outer);
	syc_protobuf_bytes(&writer->outer, STRING_TABLE, text, n);
	syc_gzip_write(writer->gzip, writer->outer.bytes.items,
	               writer->outer.bytes.n);
}

static void write_type(struct writer *writer, uint64_t type, uint64_t unit)
{
	syc_protobuf_number(&writer->message, 1, type);
	syc_protobuf_number(&writer->message, 2, unit);
	write_field(writer, SAMPLE_TYPE);
}

/* The program that took the most: pprof takes the first mapping for it. */
static const char *main_binary(const struct writer *writer)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	const char *name = "";
	uint64_t most = 0;
	size_t n, n_threads;

	processes = syscap_profile_processes(writer->export->profile, &n);
	threads = syscap_profile_threads(writer->export->profile, &n_threads);
	for (size_t i = 0; i < n_threads; i++)
		if (threads[i].ticks >= most) {
			most = threads[i].ticks;
			name = processes[threads[i].process].binary;
		}
	return name;
}

static int number_binaries(struct writer *writer)
{
	const char *first = main_binary(writer);
	size_t ignored;

	if (syc_map_put(&writer->binaries, first, strlen(first), &ignored) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < writer->n_functions; i++)
		if (syc_map_put(&writer->binaries, writer->functions[i].binary,
		                strlen(writer->functions[i].binary),
		                &ignored) < 0)
			return -ENOMEM;
	return 0;
}

/* Turned round, what was inlined no longer stands behind what it is in. */
static bool is_in_caller(const struct writer *writer, uint32_t node)
{
	const struct syscap_view *view = writer->export->view;

	return view->lines != NULL && !writer->export->filter->reverse &&
	       writer->functions[view->functions[node]].is_inlined &&
	       view->parents[node] != 0;
}

static int number_locations(struct writer *writer)
{
	const struct syscap_view *view = writer->export->view;
	struct syc_map known = { 0 };
	int r = 0;

	if (view->lines == NULL)
		return 0;
	writer->location_of = calloc(view->n_nodes, sizeof(uint32_t));
	if (writer->location_of == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct location location = {
			view->functions[i], view->lines[i],
			is_in_caller(writer, i)
				? writer->location_of[view->parents[i]] + 1
				: 0
		};
		size_t number;

		r = syc_map_put(&known, &location, sizeof(location), &number);
		if (r > 0)
			r = syc_array_push(&writer->locations, location);
		if (r >= 0)
			writer->location_of[i] = (uint32_t)number;
	}
	syc_map_fini(&known);
	return r < 0 ? r : 0;
}

static const struct syscap_profile_line *line_of(const struct writer *writer,
                                                 uint32_t line)
{
	size_t n;

	return line == SYSCAP_PROFILE_NONE
	               ? NULL
	               : &syscap_profile_lines(writer->export->profile,
	                                       &n)[line];
}

/* A function's file is that of the first of its lines. */
static int number_files(struct writer *writer)
{
	writer->file_of = malloc((writer->n_functions + 1) * sizeof(uint32_t));
	if (writer->file_of == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < writer->n_functions; i++)
		writer->file_of[i] = SYSCAP_PROFILE_NONE;
	for (size_t i = writer->locations.n; i-- > 0;) {
		const struct location *location = &writer->locations.items[i];
		const struct syscap_profile_line *line =
			line_of(writer, location->line);
		size_t file;

		if (line == NULL)
			continue;
		if (syc_map_put(&writer->files, line->file, strlen(line->file),
		                &file) < 0)
			return -ENOMEM;
		writer->file_of[location->function] = (uint32_t)file;
	}
	return 0;
}

static void write_texts(struct writer *writer)
{
	for (size_t i = 0; i < N_FIXED; i++)
		write_string(writer, fixed[i], strlen(fixed[i]));
	for (size_t i = 0; i < writer->n_functions; i++)
		write_string(writer, writer->functions[i].name,
		             strlen(writer->functions[i].name));
	for (size_t i = 0; i < writer->binaries.n; i++)
		write_string(writer, writer->binaries.keys[i].bytes,
		             writer->binaries.keys[i].len);
	for (size_t i = 0; i < writer->files.n; i++)
		write_string(writer, writer->files.keys[i].bytes,
		             writer->files.keys[i].len);
}

static void write_mappings(struct writer *writer)
{
	const uint64_t first = N_FIXED + writer->n_functions;

	for (size_t i = 0; i < writer->binaries.n; i++) {
		syc_protobuf_number(&writer->message, 1, i + 1);
		syc_protobuf_number(&writer->message, 5, first + i);
		syc_protobuf_number(&writer->message, 7, 1);
		if (writer->files.n > 0) {
			/* It has files, lines and what was inlined. */
			syc_protobuf_number(&writer->message, 8, 1);
			syc_protobuf_number(&writer->message, 9, 1);
			syc_protobuf_number(&writer->message, 10, 1);
		}
		write_field(writer, MAPPING);
	}
}

static void write_functions(struct writer *writer)
{
	const uint64_t first =
		N_FIXED + writer->n_functions + writer->binaries.n;

	for (size_t i = 0; i < writer->n_functions; i++) {
		syc_protobuf_number(&writer->message, 1, i + 1);
		syc_protobuf_number(&writer->message, 2, N_FIXED + i);
		syc_protobuf_number(&writer->message, 3, N_FIXED + i);
		if (writer->file_of[i] != SYSCAP_PROFILE_NONE)
			syc_protobuf_number(&writer->message, 4,
			                    first + writer->file_of[i]);
		write_field(writer, FUNCTION);
	}
}

static void add_line(struct writer *writer, uint32_t function, uint32_t number)
{
	const struct syscap_profile_line *line = line_of(writer, number);

	syc_protobuf_clear(&writer->inner);
	syc_protobuf_number(&writer->inner, 1, UINT64_C(1) + function);
	if (line != NULL && line->line != 0)
		syc_protobuf_number(&writer->inner, 2, line->line);
	syc_protobuf_message(&writer->message, 4, &writer->inner);
}

static void begin_location(struct writer *writer, size_t number,
                           uint32_t function)
{
	const char *name = writer->functions[function].binary;
	size_t binary = 0;

	syc_map_get(&writer->binaries, name, strlen(name), &binary);
	syc_protobuf_number(&writer->message, 1, number + 1);
	syc_protobuf_number(&writer->message, 2, binary + 1);
}

/* Of each the innermost function first. */
static void write_locations(struct writer *writer)
{
	for (uint32_t i = 0;
	     writer->location_of == NULL && i < writer->n_functions; i++) {
		begin_location(writer, i, i);
		add_line(writer, i, SYSCAP_PROFILE_NONE);
		write_field(writer, LOCATION);
	}
	for (size_t i = 0; i < writer->locations.n; i++) {
		const struct location *at = &writer->locations.items[i];

		begin_location(writer, i, at->function);
		add_line(writer, at->function, at->line);
		while (at->into != 0) {
			at = &writer->locations.items[at->into - 1];
			add_line(writer, at->function, at->line);
		}
		write_field(writer, LOCATION);
	}
}

static void write_tables(struct writer *writer)
{
	write_texts(writer);
	write_mappings(writer);
	write_functions(writer);
	write_locations(writer);
}

/* The locations of a stack, the innermost first. */
static void put_stack(struct writer *writer, uint32_t node)
{
	const struct syscap_view *view = writer->export->view;

	for (; node != 0; node = view->parents[node]) {
		syc_protobuf_varint(&writer->inner,
		                    UINT64_C(1) +
		                            (writer->location_of != NULL
		                                     ? writer->location_of[node]
		                                     : view->functions[node]));
		while (is_in_caller(writer, node))
			node = view->parents[node];
	}
}

static void add_label(struct writer *writer, uint64_t key, int64_t number)
{
	if (number < 0)
		return;
	syc_protobuf_clear(&writer->inner);
	syc_protobuf_number(&writer->inner, 1, key);
	syc_protobuf_number(&writer->inner, 3, (uint64_t)number);
	syc_protobuf_message(&writer->message, 3, &writer->inner);
}

/* One stack of one thread, the innermost frame first. */
static void write_sample(struct writer *writer, uint32_t thread, uint32_t node)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	const uint64_t ticks = writer->ticks[node];
	size_t n;

	threads = syscap_profile_threads(writer->export->profile, &n);
	processes = syscap_profile_processes(writer->export->profile, &n);
	syc_protobuf_clear(&writer->inner);
	put_stack(writer, node);
	syc_protobuf_message(&writer->message, 1, &writer->inner);
	syc_protobuf_clear(&writer->inner);
	syc_protobuf_varint(&writer->inner, ticks);
	if (writer->is_time)
		syc_protobuf_varint(
			&writer->inner,
			ticks * syscap_profile_tick(writer->export->profile,
		                                    thread));
	syc_protobuf_message(&writer->message, 2, &writer->inner);
	add_label(writer, TEXT_PID, processes[threads[thread].process].pid);
	add_label(writer, TEXT_TID, threads[thread].tid);
	write_field(writer, SAMPLE);
}

/* Whether the stack of @sample is the @n-th of its thread. */
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
	     (numbers = syc_by_thread_get(&writer->by, thread, at,
	                                  &n_numbers)) != NULL;
	     at += n_numbers)
		for (size_t i = 0; i < n_numbers; i++)
			n += add_ticks(writer, numbers[i], n);
	for (size_t i = 0; i < n; i++) {
		write_sample(writer, thread, writer->touched[i]);
		writer->ticks[writer->touched[i]] = 0;
	}
}

static void write_profile(struct writer *writer)
{
	struct syscap_profile_span span;

	syscap_profile_span(writer->export->profile, &span);
	write_type(writer, TEXT_SAMPLES, TEXT_COUNT);
	if (writer->is_time)
		write_type(writer, TEXT_TIME, TEXT_NANOSECONDS);
	write_tables(writer);
	for (size_t t = 0; t < writer->by.n_threads; t++)
		write_thread(writer, (uint32_t)t);
	syc_protobuf_clear(&writer->outer);
	syc_protobuf_number(&writer->outer, TIME_NANOS,
	                    (uint64_t)writer->export->capture_time *
	                            UINT64_C(1000000000));
	syc_protobuf_number(&writer->outer, DURATION_NANOS,
	                    (uint64_t)span.end - (uint64_t)span.begin);
	syc_protobuf_number(&writer->outer, DEFAULT_SAMPLE_TYPE,
	                    writer->is_time ? TEXT_TIME : TEXT_SAMPLES);
	syc_gzip_write(writer->gzip, writer->outer.bytes.items,
	               writer->outer.bytes.n);
}

int syc_export_pprof(struct syc_export *export)
{
	const size_t n = export->view->n_nodes;
	struct writer writer = {
		.export = export,
		.gzip = malloc(sizeof(*writer.gzip)),
		.ticks = calloc(n, sizeof(*writer.ticks)),
		.touched = calloc(n, sizeof(*writer.touched)),
		.is_time = syc_amount_is_time(export->view->unit),
	};
	int r = -ENOMEM;

	syscap_profile_samples(export->profile, &writer.samples);
	writer.functions =
		syscap_profile_functions(export->profile, &writer.n_functions);
	if (writer.gzip != NULL && writer.ticks != NULL &&
	    writer.touched != NULL)
		r = syc_by_thread_init(&writer.by, export->profile,
		                       export->view);
	if (r == 0)
		r = number_binaries(&writer);
	if (r == 0)
		r = number_locations(&writer);
	if (r == 0)
		r = number_files(&writer);
	if (r == 0) {
		syc_gzip_begin(writer.gzip, export->out);
		write_profile(&writer);
		syc_gzip_end(writer.gzip);
		if (writer.outer.failed || writer.message.failed)
			r = -ENOMEM;
	}
	syc_protobuf_fini(&writer.outer);
	syc_protobuf_fini(&writer.message);
	syc_protobuf_fini(&writer.inner);
	syc_by_thread_fini(&writer.by);
	syc_map_fini(&writer.binaries);
	syc_map_fini(&writer.files);
	free(writer.file_of);
	free(writer.location_of);
	free(writer.locations.items);
	free(writer.ticks);
	free(writer.touched);
	free(writer.gzip);
	return r;
}
