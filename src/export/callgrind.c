/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind.c - the text format of Callgrind: self cost and calls of each
 * function.
 *
 * callgrind_annotate expects the inclusive cost of all calls of a function.  So
 * a stack adds to one call of each of its functions, the outermost call.  The
 * first function of each stack is called by "[all]".  The inclusive cost is
 * then exactly the view's total, also in recursion.
 *
 * The writer computes calls function by function, because a tree may have as
 * many calls as nodes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "export/export.h"
#include "export/stacks.h"

struct call {
	uint32_t callee;
	uint32_t line; /* line in the caller: number + 1, or 0 */
	uint64_t cost;
	uint64_t n_ways; /* number of different stacks with this call */
};

struct calls {
	const struct syscap_view *view;
	uint64_t *is_outermost; /* bit of each node */
	/*
	 * Nodes by the function of their parent, and if lines are written, also
	 * by their own function.
	 */
	struct syc_group by_caller, by_function;
	/* The last result, by callee, then by line. */
	SYC_ARRAY(struct call) found;
};

/* A walk over the tree: the node, and the path to it. */
struct walk {
	const struct syscap_view *view;
	struct syc_group callees;
	uint32_t *path; /* node at each depth */
	uint32_t *next; /* next child of the node at each depth */
	/* Number of frames of each function on the path. */
	uint32_t *on_path;
	uint64_t *is_outermost; /* bits, by node: first node of its function */
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
	walk->is_outermost = calloc(n / 64 + 1, sizeof(*walk->is_outermost));
	if (walk->path == NULL || walk->next == NULL || walk->on_path == NULL ||
	    walk->is_outermost == NULL)
		return -ENOMEM;
	return syc_callees_by_name(&walk->callees, export->profile,
	                           export->view);
}

static void end_walk(struct walk *walk)
{
	syc_group_fini(&walk->callees);
	free(walk->path);
	free(walk->next);
	free(walk->on_path);
}

static void enter(struct walk *walk, uint32_t node, uint32_t depth)
{
	if (walk->on_path[walk->view->functions[node]]++ == 0)
		walk->is_outermost[node / 64] |= UINT64_C(1) << node % 64;
	walk->path[depth] = node;
	walk->next[depth] = walk->callees.begins[node];
}

/* Walk the tree from the root on. */
static void walk_tree(struct walk *walk)
{
	uint32_t depth = 0;

	for (;;) {
		const uint32_t node = walk->path[depth];

		if (walk->next[depth] < walk->callees.begins[node + 1]) {
			const uint32_t child =
				walk->callees.rows[walk->next[depth]++];

			enter(walk, child, ++depth);
		} else if (depth > 0) {
			walk->on_path[walk->view->functions[node]]--;
			depth--;
		} else {
			return;
		}
	}
}

/* Set a bit for each node that is the first of its function on the stack. */
static int find_outermost(const struct syc_export *export, uint64_t **ret_bits)
{
	struct walk walk = { 0 };
	const int r = begin_walk(&walk, export);

	if (r == 0)
		walk_tree(&walk);
	end_walk(&walk);
	*ret_bits = walk.is_outermost;
	return r;
}

/* The line of a node: number of the line + 1, or 0. */
static uint32_t calls_line(const struct syscap_view *view, uint32_t node)
{
	/* NONE + 1 is 0. */
	return view->lines == NULL ? 0 : view->lines[node] + 1;
}

static uint32_t caller_of(const void *data, uint32_t node)
{
	const struct syscap_view *view = data;

	return node == 0 ? SYSCAP_PROFILE_NONE
	                 : view->functions[view->parents[node]];
}

static uint32_t function_of(const void *data, uint32_t node)
{
	const struct syscap_view *view = data;

	return node == 0 || view->selfs[node] == 0 ? SYSCAP_PROFILE_NONE
	                                           : view->functions[node];
}

static int group_nodes(const struct syc_export *export,
                       uint32_t (*group_of)(const void *, uint32_t),
                       struct syc_group *group)
{
	struct syc_group_rows rows = {
		.n = export->view->n_nodes,
		.group_of = group_of,
		.data = export->view,
	};

	syscap_profile_functions(export->profile, &rows.n_groups);
	return syc_group_init(group, &rows);
}

static int compare(const void *one, const void *other)
{
	const struct call *a = one, *b = other;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void merge(struct calls *calls)
{
	struct call *items = calls->found.items;
	const size_t n = calls->found.n;

	if (n == 0)
		return;
	qsort(items, n, sizeof(*items), compare);
	calls->found.n = 1;
	for (size_t i = 1; i < n; i++) {
		struct call *last = &items[calls->found.n - 1];

		if (compare(last, &items[i]) == 0) {
			last->cost += items[i].cost;
			last->n_ways += items[i].n_ways;
		} else {
			items[calls->found.n++] = items[i];
		}
	}
}

/*
 * Find the calls by @function, and store them in calls->found.  Returns 0 or
 * -ENOMEM.
 */
static int calls_find(struct calls *calls, uint32_t function)
{
	const struct syscap_view *view = calls->view;
	const struct syc_group *by = &calls->by_caller;

	calls->found.n = 0;
	for (size_t i = by->begins[function]; i < by->begins[function + 1];
	     i++) {
		const uint32_t node = by->rows[i];
		const bool is_outermost =
			calls->is_outermost[node / 64] >> node % 64 & 1;
		const struct call call = {
			.callee = view->functions[node],
			.line = calls_line(view, view->parents[node]),
			.cost = is_outermost ? view->totals[node] : 0,
			.n_ways = 1,
		};

		if (syc_array_push(&calls->found, call) < 0)
			return -ENOMEM;
	}
	merge(calls);
	return 0;
}

/*
 * If lines are written, find the self cost of each line of @function, as calls
 * without a callee.  Returns 0 or -ENOMEM.
 */
static int calls_find_selfs(struct calls *calls, uint32_t function)
{
	const struct syscap_view *view = calls->view;
	const struct syc_group *by = &calls->by_function;

	calls->found.n = 0;
	for (size_t i = by->begins[function]; i < by->begins[function + 1];
	     i++) {
		const struct call self = {
			.line = calls_line(view, by->rows[i]),
			.cost = view->selfs[by->rows[i]],
		};

		if (syc_array_push(&calls->found, self) < 0)
			return -ENOMEM;
	}
	merge(calls);
	return 0;
}

/* Returns 0 or -ENOMEM; the caller ends @calls in any case. */
static int calls_init(struct calls *calls, const struct syc_export *export)
{
	int r;

	*calls = (struct calls){ .view = export->view };
	r = find_outermost(export, &calls->is_outermost);
	if (r == 0)
		r = group_nodes(export, caller_of, &calls->by_caller);
	if (r == 0 && export->view->lines != NULL)
		r = group_nodes(export, function_of, &calls->by_function);
	return r;
}

static void calls_fini(struct calls *calls)
{
	syc_group_fini(&calls->by_caller);
	syc_group_fini(&calls->by_function);
	free(calls->is_outermost);
	free(calls->found.items);
	*calls = (struct calls){ 0 };
}

struct writer {
	const struct syc_export *export;
	FILE *out;
	/*
	 * Objects and files by text, NUL included.  The format numbers each
	 * kind separately.
	 */
	struct syc_map objects, files;
	bool *is_named; /* functions whose names are written */
	struct calls calls;
	/* If lines are written: 1 + the first line of each function. */
	uint32_t *first_line;
	struct syc_frames frames; /* frames, for the names */
	const char *file;         /* source file of the current costs */
};

/*
 * Returns NULL also if only the file is known: callgrind_annotate fails on a
 * file without a line that has a cost.
 */
static const struct syscap_profile_line *line_of(const struct writer *writer,
                                                 uint32_t line)
{
	size_t n;
	const struct syscap_profile_line *const lines =
		syscap_profile_lines(writer->export->profile, &n);

	return line == 0 || lines[line - 1].line == 0 ? NULL : &lines[line - 1];
}

/* "ob=(1) name": a name follows the first use of its number. */
static int write_file(struct writer *writer, struct syc_map *known,
                      const char *key, const char *name)
{
	size_t at;
	const int r = syc_map_put(known, name, strlen(name) + 1, &at);

	fprintf(writer->out, "%s=(%zu)%s%s\n", key, at + 1, r > 0 ? " " : "",
	        r > 0 ? name : "");
	return r < 0 ? r : 0;
}

/* The number of a line; 0: unknown. */
static uint32_t number_of(const struct writer *writer, uint32_t line)
{
	const struct syscap_profile_line *const at = line_of(writer, line);

	return at != NULL ? at->line : 0;
}

/* The source file of @function, or its binary. */
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

/* @prefix is "", or "c" for the callee. */
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

/* Set the place of the following costs: @line of @function, perhaps in another
 * file. */
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
		const uint32_t line = calls_line(view, i);

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
	        "# callgrind format\nversion: 1\ncreator: syscap\n");
	if (writer->export->note[0] != 0)
		fprintf(writer->out, "desc: Missing samples: %s\n",
		        writer->export->note);
	fprintf(writer->out,
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
	r = calls_find_selfs(&writer->calls, function);
	for (size_t i = 0; r == 0 && i < writer->calls.found.n; i++) {
		r = go_to(writer, function, writer->calls.found.items[i].line);
		write_cost(writer, writer->calls.found.items[i].line,
		           writer->calls.found.items[i].cost);
	}
	return r;
}

static int write_calls(struct writer *writer, uint32_t function)
{
	int r = calls_find(&writer->calls, function);

	for (size_t i = 0; r == 0 && i < writer->calls.found.n; i++) {
		const struct call *call = &writer->calls.found.items[i];
		const uint32_t to = writer->first_line != NULL
		                            ? writer->first_line[call->callee]
		                            : 0;

		r = go_to(writer, function, call->line);
		if (r == 0)
			r = write_place(writer, "c", call->callee);
		/* Samples have no number of calls: count the different
		 * stacks */
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
	int r = calls_init(&writer.calls, export);

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
	calls_fini(&writer.calls);
	free(writer.first_line);
	free(writer.is_named);
	return r;
}
