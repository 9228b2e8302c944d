/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind.c - the text format of callgrind, for KCachegrind: what each
 * function took itself, and what it took in each function that it called.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/map.h"
#include "export/amount.h"
#include "export/callgrind_calls.h"
#include "export/export.h"
#include "export/frames.h"

struct writer {
	const struct syc_export *export;
	FILE *out;
	/* By text, NUL included; the format numbers them apart. */
	struct syc_map objects, files;
	bool *is_named; /* functions that were written */
	struct syc_calls calls;
	/* Where there are lines: the first of those of each function, + 1. */
	uint32_t *first_line;
	struct syc_frames frames; /* for names */
	const char *file;         /* where costs are, now */
};

/* NULL also where only the file is known: a file of which no line has a cost is
 * more than callgrind_annotate can take. */
static const struct syscap_profile_line *line_of(const struct writer *writer,
                                                 uint32_t line)
{
	size_t n;
	const struct syscap_profile_line *const lines =
		syscap_profile_lines(writer->export->profile, &n);

	return line == 0 || lines[line - 1].line == 0 ? NULL : &lines[line - 1];
}

/* "ob=(1) name": a name stands where its number is written first. */
static int write_file(struct writer *writer, struct syc_map *known,
                      const char *key, const char *name)
{
	size_t at;
	const int r = syc_map_put(known, name, strlen(name) + 1, &at);

	fprintf(writer->out, "%s=(%zu)%s%s\n", key, at + 1, r > 0 ? " " : "",
	        r > 0 ? name : "");
	return r < 0 ? r : 0;
}

/* 0: it is not known. */
static uint32_t number_of(const struct writer *writer, uint32_t line)
{
	const struct syscap_profile_line *const at = line_of(writer, line);

	return at != NULL ? at->line : 0;
}

/* The file of source, or what has the code. */
static const char *file_of(const struct writer *writer, uint32_t function)
{
	const struct syscap_profile_line *line =
		writer->first_line == NULL
			? NULL
			: line_of(writer, writer->first_line[function]);
	const char *binary =
		syscap_profile_function(writer->export->profile, function)
			->binary;

	return line != NULL ? line->file : binary[0] ? binary : "(unknown)";
}

/* @prefix is "" or "c", for what is called. */
static int write_place(struct writer *writer, const char *prefix,
                       uint32_t number)
{
	const char *binary =
		syscap_profile_function(writer->export->profile, number)
			->binary;
	const bool is_called = prefix[0] != 0;
	int r = write_file(writer, &writer->objects, is_called ? "cob" : "ob",
	                   binary[0] != 0 ? binary : "(unknown)");

	if (r == 0)
		r = write_file(writer, &writer->files, is_called ? "cfi" : "fl",
		               file_of(writer, number));
	if (!is_called)
		writer->file = file_of(writer, number);
	fprintf(writer->out, "%sfn=(%" PRIu32 ")%s%s\n", prefix, number,
	        writer->is_named[number] ? "" : " ",
	        writer->is_named[number] ? ""
	        : number == SYSCAP_FUNCTION_ROOT
	                ? "[all]"
	                : syc_frames_name(&writer->frames, number));
	writer->is_named[number] = true;
	return r;
}

/* What follows is at @line of @function, which may be in another file. */
static int go_to(struct writer *writer, uint32_t function, uint32_t line)
{
	const struct syscap_profile_line *const at = line_of(writer, line);
	const char *const file =
		at != NULL ? at->file : file_of(writer, function);

	if (strcmp(file, writer->file) == 0)
		return 0;
	writer->file = file;
	return write_file(writer, &writer->files, "fi", file);
}

static void write_cost(struct writer *writer, uint32_t line, uint64_t cost)
{
	fprintf(writer->out, "%" PRIu32 " %" PRIu64 "\n",
	        number_of(writer, line), cost);
}

static int find_lines(struct writer *writer)
{
	const struct syscap_view *view = writer->export->view;
	size_t n_functions;

	writer->frames.export = writer->export;
	if (view->lines == NULL)
		return 0;
	syscap_profile_functions(writer->export->profile, &n_functions);
	writer->first_line = calloc(n_functions, sizeof(uint32_t));
	if (writer->first_line == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		uint32_t *first = &writer->first_line[view->functions[i]];
		const uint32_t line = syc_calls_line(view, i);

		if (line != 0 && (*first == 0 || line < *first))
			*first = line;
	}
	return 0;
}

static void write_head(struct writer *writer)
{
	const struct syscap_view *view = writer->export->view;
	const bool is_time = syc_amount_is_time(view->unit);
	const char *event = view->unit == SYSCAP_UNIT_BYTES ? "Bytes"
	                    : is_time                       ? "Nanoseconds"
	                                                    : "Ticks";

	fprintf(writer->out,
	        "# callgrind format\nversion: 1\ncreator: syscap\n"
	        "positions: line\nevent: %s : %s\nevents: %s\n"
	        "summary: %" PRIu64 "\n",
	        event, syscap_view_unit_name(view->unit), event, view->total);
}

static int write_selfs(struct writer *writer, uint32_t function, uint64_t self)
{
	int r;

	if (writer->first_line == NULL || self == 0) {
		write_cost(writer, 0, self);
		return 0;
	}
	r = syc_calls_find_selfs(&writer->calls, function);
	for (size_t i = 0; r == 0 && i < writer->calls.found.n; i++) {
		r = go_to(writer, function, writer->calls.found.items[i].line);
		write_cost(writer, writer->calls.found.items[i].line,
		           writer->calls.found.items[i].cost);
	}
	return r;
}

static int write_calls(struct writer *writer, uint32_t function)
{
	int r = syc_calls_find(&writer->calls, function);

	for (size_t i = 0; r == 0 && i < writer->calls.found.n; i++) {
		const struct syc_call *call = &writer->calls.found.items[i];
		const uint32_t to = writer->first_line != NULL
		                            ? writer->first_line[call->callee]
		                            : 0;

		r = go_to(writer, function, call->line);
		if (r == 0)
			r = write_place(writer, "c", call->callee);
		/* Samples do not know how often: that is the ways there */
		fprintf(writer->out, "calls=%" PRIu64 " %" PRIu32 "\n",
		        call->n_ways, number_of(writer, to));
		write_cost(writer, call->line, call->cost);
	}
	return r;
}

static int write_function(struct writer *writer, uint32_t function,
                          uint64_t self)
{
	int r;

	putc_unlocked('\n', writer->out);
	r = write_place(writer, "", function);
	if (r == 0)
		r = write_selfs(writer, function, self);
	return r == 0 ? write_calls(writer, function) : r;
}

static int write_functions(struct writer *writer)
{
	const struct syscap_view *view = writer->export->view;
	int r = write_function(writer, SYSCAP_FUNCTION_ROOT, 0);

	for (size_t i = 0; r == 0 && i < view->n_sums; i++)
		r = write_function(writer, view->sums[i].function,
		                   view->sums[i].self);
	fprintf(writer->out, "\ntotals: %" PRIu64 "\n", view->total);
	return r;
}

int syc_export_callgrind(struct syc_export *export)
{
	struct writer writer = { .export = export, .out = export->out };
	size_t n;
	int r = syc_calls_init(&writer.calls, export);

	syscap_profile_functions(export->profile, &n);
	writer.is_named = calloc(n, sizeof(*writer.is_named));
	if (writer.is_named == NULL)
		r = -ENOMEM;
	if (r == 0)
		r = find_lines(&writer);
	if (r == 0) {
		write_head(&writer);
		r = write_functions(&writer);
	}
	syc_map_fini(&writer.objects);
	syc_map_fini(&writer.files);
	syc_frames_fini(&writer.frames);
	syc_calls_fini(&writer.calls);
	free(writer.first_line);
	free(writer.is_named);
	return r;
}
