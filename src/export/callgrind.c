/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind.c - the text format of callgrind, for KCachegrind: what each
 * function took itself, and what it took in each function that it called.
 *
 * callgrind_annotate calls inclusive what all calls of a function cost.  So a
 * stack adds to one call of each of its functions, the outermost, and the
 * first function of each stack is called, too: by "[all]".  Then the inclusive
 * cost is the view's total to the last tick, also in recursion.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/map.h"
#include "export/amount.h"
#include "export/children.h"
#include "export/export.h"
#include "export/frames.h"

struct call {
	uint32_t caller, callee;
	uint32_t line; /* of the caller; its number + 1, or 0 */
	uint64_t cost;
	uint64_t n_ways; /* how many different stacks make it */
};

struct calls {
	struct call *items; /* by caller, callee, line */
	size_t n;
};

/* A walk over the tree: where it is, and what is on the way there. */
struct walk {
	const struct syscap_view *view;
	struct syc_children children;
	uint32_t *path;    /* by depth: the node */
	uint32_t *next;    /* by depth: its child that comes next */
	uint32_t *on_path; /* by function: how often */
	struct calls *calls;
};

static int begin_walk(struct walk *walk, const struct syc_export *export)
{
	const size_t n = export->view->n_nodes;
	size_t n_functions;

	syscap_profile_functions(export->profile, &n_functions);
	walk->view = export->view;
	walk->path = calloc(n + 1, sizeof(*walk->path));
	walk->next = calloc(n + 1, sizeof(*walk->next));
	walk->on_path = calloc(n_functions, sizeof(*walk->on_path));
	walk->calls->items = calloc(n, sizeof(*walk->calls->items));
	if (walk->path == NULL || walk->next == NULL || walk->on_path == NULL ||
	    walk->calls->items == NULL)
		return -ENOMEM;
	return syc_children_init(&walk->children, export->profile,
	                         export->view);
}

static void end_walk(struct walk *walk)
{
	syc_children_fini(&walk->children);
	free(walk->path);
	free(walk->next);
	free(walk->on_path);
}

static uint32_t line_at(const struct syscap_view *view, uint32_t node)
{
	/* NONE + 1 is 0. */
	return view->lines == NULL ? 0 : view->lines[node] + 1;
}

static void enter(struct walk *walk, uint32_t node, uint32_t depth)
{
	const uint32_t function = walk->view->functions[node];
	const bool is_outermost = walk->on_path[function]++ == 0;

	walk->path[depth] = node;
	walk->next[depth] = walk->children.begins[node];
	walk->calls->items[walk->calls->n++] = (struct call){
		.caller = walk->view->functions[walk->view->parents[node]],
		.callee = function,
		.line = line_at(walk->view, walk->view->parents[node]),
		.cost = is_outermost ? walk->view->totals[node] : 0,
		.n_ways = 1,
	};
}

/* The call that each node but the root is. */
static void add_calls(struct walk *walk)
{
	uint32_t depth = 0;

	for (;;) {
		const uint32_t node = walk->path[depth];

		if (walk->next[depth] < walk->children.begins[node + 1]) {
			const uint32_t child =
				walk->children.nodes[walk->next[depth]++];

			enter(walk, child, ++depth);
		} else if (depth > 0) {
			walk->on_path[walk->view->functions[node]]--;
			depth--;
		} else {
			return;
		}
	}
}

static int compare(const void *one, const void *other)
{
	const struct call *a = one, *b = other;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void merge_calls(struct calls *calls)
{
	const size_t n = calls->n;

	if (n == 0)
		return;
	qsort(calls->items, n, sizeof(*calls->items), compare);
	calls->n = 1;
	for (size_t i = 1; i < n; i++) {
		struct call *last = &calls->items[calls->n - 1];

		if (compare(last, &calls->items[i]) == 0) {
			last->cost += calls->items[i].cost;
			last->n_ways += calls->items[i].n_ways;
		} else {
			calls->items[calls->n++] = calls->items[i];
		}
	}
}

static int find_calls(const struct syc_export *export, struct calls *calls)
{
	struct walk walk = { .calls = calls };
	const int r = begin_walk(&walk, export);

	if (r == 0) {
		add_calls(&walk);
		merge_calls(calls);
	}
	end_walk(&walk);
	return r;
}

struct writer {
	const struct syc_export *export;
	FILE *out;
	/* By text, NUL included; the format numbers them apart. */
	struct syc_map objects, files;
	bool *is_named; /* functions that were written */
	/* Where there are lines: the first of those of each function, + 1; and
	 * what they took themselves, as calls of nothing. */
	uint32_t *first_line;
	struct calls selfs;
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

/* What each line took itself, and the first of each function. */
static int find_lines(struct writer *writer)
{
	const struct syscap_view *view = writer->export->view;
	struct calls *selfs = &writer->selfs;
	size_t n_functions;

	writer->frames.export = writer->export;
	if (view->lines == NULL)
		return 0;
	syscap_profile_functions(writer->export->profile, &n_functions);
	writer->first_line = calloc(n_functions, sizeof(uint32_t));
	selfs->items = calloc(view->n_nodes, sizeof(*selfs->items));
	if (writer->first_line == NULL || selfs->items == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		uint32_t *first = &writer->first_line[view->functions[i]];
		const uint32_t line = line_at(view, i);

		if (line != 0 && (*first == 0 || line < *first))
			*first = line;
		if (view->selfs[i] > 0)
			selfs->items[selfs->n++] = (struct call){
				.caller = view->functions[i],
				.line = line,
				.cost = view->selfs[i],
			};
	}
	merge_calls(selfs);
	return 0;
}

/* The first one of @caller. */
static size_t find_first(const struct calls *calls, uint32_t caller)
{
	const struct call key = { .caller = caller };
	size_t low = 0, high = calls->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(&calls->items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
	const struct calls *selfs = &writer->selfs;
	int r = 0;

	if (selfs->n == 0 || self == 0) {
		write_cost(writer, 0, self);
		return 0;
	}
	for (size_t i = find_first(selfs, function);
	     r == 0 && i < selfs->n && selfs->items[i].caller == function;
	     i++) {
		r = go_to(writer, function, selfs->items[i].line);
		write_cost(writer, selfs->items[i].line, selfs->items[i].cost);
	}
	return r;
}

static int write_function(struct writer *writer, const struct calls *calls,
                          uint32_t function, uint64_t self)
{
	int r;

	putc_unlocked('\n', writer->out);
	r = write_place(writer, "", function);
	if (r == 0)
		r = write_selfs(writer, function, self);
	for (size_t i = find_first(calls, function);
	     r == 0 && i < calls->n && calls->items[i].caller == function;
	     i++) {
		const struct call *call = &calls->items[i];
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

static int write_functions(struct writer *writer, const struct calls *calls)
{
	const struct syscap_view *view = writer->export->view;
	int r = write_function(writer, calls, SYSCAP_FUNCTION_ROOT, 0);

	for (size_t i = 0; r == 0 && i < view->n_sums; i++)
		r = write_function(writer, calls, view->sums[i].function,
		                   view->sums[i].self);
	fprintf(writer->out, "\ntotals: %" PRIu64 "\n", view->total);
	return r;
}

int syc_export_callgrind(struct syc_export *export)
{
	struct writer writer = { .export = export, .out = export->out };
	struct calls calls = { 0 };
	size_t n;
	int r = find_calls(export, &calls);

	syscap_profile_functions(export->profile, &n);
	writer.is_named = calloc(n, sizeof(*writer.is_named));
	if (writer.is_named == NULL)
		r = -ENOMEM;
	if (r == 0)
		r = find_lines(&writer);
	if (r == 0) {
		write_head(&writer);
		r = write_functions(&writer, &calls);
	}
	syc_map_fini(&writer.objects);
	syc_map_fini(&writer.files);
	syc_frames_fini(&writer.frames);
	free(writer.first_line);
	free(writer.selfs.items);
	free(writer.is_named);
	free(calls.items);
	return r;
}
