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

struct call {
	uint32_t caller, callee;
	uint64_t cost;
	uint64_t n_ways; /* how many different stacks make it */
};

struct calls {
	struct call *items; /* by caller, callee */
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

static void enter(struct walk *walk, uint32_t node, uint32_t depth)
{
	const uint32_t function = walk->view->functions[node];
	const bool is_outermost = walk->on_path[function]++ == 0;

	walk->path[depth] = node;
	walk->next[depth] = walk->children.begins[node];
	walk->calls->items[walk->calls->n++] = (struct call){
		.caller = walk->view->functions[walk->view->parents[node]],
		.callee = function,
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
	return (a->callee > b->callee) - (a->callee < b->callee);
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
	struct syc_map binaries; /* by text, NUL included */
	bool *is_named;          /* functions that were written */
};

/* @prefix is "" or "c", for what is called.  A name stands where its number is
 * written first. */
static int write_place(struct writer *writer, const char *prefix,
                       uint32_t number)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(writer->export->profile, number);
	const char *binary =
		function->binary[0] != 0 ? function->binary : "(unknown)";
	size_t at;
	const int r =
		syc_map_put(&writer->binaries, binary, strlen(binary) + 1, &at);

	if (r < 0)
		return r;
	fprintf(writer->out, "%sob=(%zu)%s%s\n", prefix, at + 1,
	        r > 0 ? " " : "", r > 0 ? binary : "");
	fprintf(writer->out, "%s=(%zu)%s%s\n", prefix[0] != 0 ? "cfi" : "fl",
	        at + 1, r > 0 ? " " : "", r > 0 ? binary : "");
	fprintf(writer->out, "%sfn=(%" PRIu32 ")%s%s\n", prefix, number,
	        writer->is_named[number] ? "" : " ",
	        writer->is_named[number]         ? ""
	        : number == SYSCAP_FUNCTION_ROOT ? "[all]"
	                                         : function->name);
	writer->is_named[number] = true;
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

static int write_function(struct writer *writer, const struct calls *calls,
                          uint32_t function, uint64_t self)
{
	const struct call key = { .caller = function };
	size_t low = 0, high = calls->n;
	int r;

	putc_unlocked('\n', writer->out);
	r = write_place(writer, "", function);
	fprintf(writer->out, "0 %" PRIu64 "\n", self);
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(&calls->items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; r == 0 && low < calls->n && calls->items[low].caller == function;
	     low++) {
		r = write_place(writer, "c", calls->items[low].callee);
		/* Samples do not know how often: that is the ways there */
		fprintf(writer->out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n",
		        calls->items[low].n_ways, calls->items[low].cost);
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
	if (r == 0) {
		write_head(&writer);
		r = write_functions(&writer, &calls);
	}
	syc_map_fini(&writer.binaries);
	free(writer.is_named);
	free(calls.items);
	return r;
}
