/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_stacks.c - functions, call trees and samples of a page.
 *
 * Functions of the capture precede functions that only the compared capture
 * has.
 *
 * A tree is stored in preorder, the largest callee first.  So the descendants
 * of a node have consecutive numbers, and one backward loop computes all sums.
 * The depth of a node determines its place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tree.h"
#include "report/writer.h"

static int compare(const void *one, const void *other, void *data)
{
	const struct syscap_view *view =
		((const struct syc_callees_order *)data)->view;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (view->totals[a] != view->totals[b])
		return view->totals[a] > view->totals[b] ? -1 : 1;
	return (view->functions[a] > view->functions[b]) -
	       (view->functions[a] < view->functions[b]);
}

/*
 * @next[i]: the next callee of node i.  The code avoids recursion, since stacks
 * in captures may be deeper than this program's stack.
 */
static void walk(struct syc_preorder *order, const struct syscap_view *view,
                 const struct syc_group *callees, uint32_t *next)
{
	uint32_t node = 0, depth = 0, at = 0;

	for (;;) {
		order->nodes[at] = node;
		order->depths[at] = depth;
		order->numbers[node] = at++;
		while (next[node] == callees->begins[node + 1]) {
			if (node == 0)
				return;
			node = view->parents[node];
			depth--;
		}
		node = callees->rows[next[node]++];
		depth++;
	}
}

int syc_preorder_init(struct syc_preorder *order,
                      const struct syscap_view *view)
{
	const size_t n = view->n_nodes;
	const struct syc_callees_order by_total = { .view = view };
	uint32_t *next = malloc((n + 1) * sizeof(*next));
	struct syc_group callees = { 0 };
	int r = -ENOMEM;

	*order = (struct syc_preorder){
		.n = n,
		.nodes = malloc(n * sizeof(*order->nodes)),
		.numbers = malloc(n * sizeof(*order->numbers)),
		.depths = malloc(n * sizeof(*order->depths)),
	};
	if (next != NULL && order->nodes != NULL && order->numbers != NULL &&
	    order->depths != NULL)
		r = syc_callees_init(&callees, &by_total, compare);
	if (r == 0) {
		memcpy(next, callees.begins, n * sizeof(*next));
		walk(order, view, &callees, next);
	}
	syc_group_fini(&callees);
	free(next);
	if (r < 0)
		syc_preorder_fini(order);
	return r;
}

void syc_preorder_fini(struct syc_preorder *order)
{
	free(order->nodes);
	free(order->numbers);
	free(order->depths);
	*order = (struct syc_preorder){ 0 };
}

struct function {
	uint32_t name, binary, category;
	uint32_t file, line; /* source file: 1 + text; 0: unknown */
};

struct functions {
	struct syc_page *page;
	SYC_ARRAY(struct function) items;
	/* Functions by key, if another capture is compared. */
	struct syc_map known;
	/* Number in the page of each function in @known. */
	SYC_ARRAY(uint32_t) numbers;
};

static uint64_t get_name(const void *data, size_t i)
{
	return ((const struct function *)data)[i].name;
}

static uint64_t get_binary(const void *data, size_t i)
{
	return ((const struct function *)data)[i].binary;
}

static uint64_t get_file(const void *data, size_t i)
{
	return ((const struct function *)data)[i].file;
}

static uint64_t get_line(const void *data, size_t i)
{
	return ((const struct function *)data)[i].line;
}

static uint64_t get_category(const void *data, size_t i)
{
	return ((const struct function *)data)[i].category;
}

/* Add @function.  *@ret_number is its number in the page. */
static int add(struct functions *f,
               const struct syscap_profile_function *function, bool is_other,
               uint32_t *ret_number)
{
	const struct function item = {
		.name = syc_page_text(f->page, function->name),
		.binary = syc_page_text(f->page, function->binary),
		.category = (uint32_t)function->category |
		            (function->is_named ? 8u : 0u) |
		            (function->is_inlined ? 16u : 0u),
	};
	/*
	 * A function may have different categories in both captures, but a note
	 * is never equal to another function.
	 */
	const struct function key = {
		.name = item.name,
		.binary = item.binary,
		.category = function->category == SYSCAP_CATEGORY_NOTE,
		.line = function->is_inlined,
	};
	size_t number;
	int r = 0;

	*ret_number = (uint32_t)f->items.n;
	if (f->page->report->other != NULL) {
		r = syc_map_put(&f->known, &key, sizeof(key), &number);
		if (r > 0)
			r = syc_array_push(&f->numbers, *ret_number);
		else if (r == 0 && is_other) {
			*ret_number = f->numbers.items[number];
			return 0;
		}
	}
	return r < 0 ? r : syc_array_push(&f->items, item);
}

static int add_other(struct functions *f)
{
	struct syc_page *page = f->page;
	const struct syscap_profile_function *items;
	size_t n;
	int r = 0;

	items = syscap_profile_functions(page->report->other, &n);
	page->other_functions = malloc((n + 1) * sizeof(uint32_t));
	if (page->other_functions == NULL)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(f, &items[i], true, &page->other_functions[i]);
	return r;
}

/* The hottest line of each function, if the capture has lines. */
static int add_lines(struct functions *f)
{
	struct syscap_filter filter = *f->page->report->asked;
	const struct syscap_profile_line *lines;
	struct syscap_view *view;
	uint32_t *hottest;
	size_t n, ignored;
	int r;

	filter.by_line = true;
	syscap_profile_functions(f->page->profile, &n);
	lines = syscap_profile_lines(f->page->profile, &ignored);
	hottest = malloc((n + 1) * sizeof(*hottest));
	if (hottest == NULL)
		return -ENOMEM;
	r = syscap_view_new(f->page->profile, &filter, &view, NULL);
	if (r == 0) {
		r = syscap_view_hottest_lines(f->page->profile, view, hottest);
		if (r == 0 && view->lines != NULL)
			r = syc_page_read_lines(f->page, view);
		syscap_view_free(view);
	}
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (hottest[i] == SYSCAP_PROFILE_NONE)
			continue;
		f->items.items[i].file =
			syc_page_text(f->page, lines[hottest[i]].file) + 1;
		f->items.items[i].line = lines[hottest[i]].line;
	}
	free(hottest);
	return r;
}

static int write_all(struct functions *f)
{
	struct syscap_profile_span span;
	struct syc_pack *pack = &f->page->pack;
	const size_t n = f->items.n;
	size_t n_lines;
	int r = 0;

	syscap_profile_span(f->page->profile, &span);
	n_lines = span.has_lines ? n : 0;
	if (n_lines > 0)
		r = add_lines(f);
	if (r == 0)
		r = syc_column_write(pack, "function.files", n_lines, get_file,
		                     f->items.items);
	if (r == 0)
		r = syc_column_write(pack, "function.lines", n_lines, get_line,
		                     f->items.items);
	if (r == 0)
		r = syc_column_write(pack, "function.names", n, get_name,
		                     f->items.items);

	if (r == 0)
		r = syc_column_write(pack, "function.binaries", n, get_binary,
		                     f->items.items);
	if (r == 0)
		r = syc_column_write(pack, "function.categories", n,
		                     get_category, f->items.items);
	return r;
}

int syc_page_write_functions(struct syc_page *page)
{
	struct functions f = { .page = page };
	const struct syscap_profile_function *items;
	uint32_t number;
	size_t n;
	int r = 0;

	items = syscap_profile_functions(page->profile, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(&f, &items[i], false, &number);
	if (r == 0 && page->report->other != NULL)
		r = add_other(&f);
	if (r == 0)
		r = write_all(&f);
	syc_map_fini(&f.known);
	free(f.items.items);
	free(f.numbers.items);
	return r;
}

struct tree {
	const struct syscap_view *view;
	const struct syc_preorder *order;
};

static uint64_t get_function(const void *data, size_t i)
{
	const struct tree *tree = data;

	return tree->view->functions[tree->order->nodes[i]];
}

int syc_page_write_tree(struct syc_page *page, const char *prefix,
                        const struct syscap_view *view,
                        const struct syc_preorder *order)
{
	const struct tree tree = { .view = view, .order = order };
	char name[40];
	int r;

	snprintf(name, sizeof(name), "%s.depths", prefix);
	r = syc_column_write_u32(&page->pack, name, order->n, order->depths);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%s.functions", prefix);
	return syc_column_write(&page->pack, name, order->n, get_function,
	                        &tree);
}

struct rows {
	const struct syc_page *page;
	struct syscap_profile_samples samples;
};

static uint64_t get_time(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t *order = rows->page->order.items;
	const int64_t time = rows->samples.times[order[i]];

	if (i == 0)
		return syc_page_time(rows->page, time);
	return (uint64_t)time - (uint64_t)rows->samples.times[order[i - 1]];
}

static uint64_t get_thread(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->samples.threads[rows->page->order.items[i]];
}

static uint64_t get_node(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t row = rows->page->order.items[i];

	return rows->page->samples
	        .numbers[rows->page->view->nodes[rows->samples.stacks[row]]];
}

static uint64_t get_ticks(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->samples.ticks[rows->page->order.items[i]];
}

int syc_page_read_samples(struct syc_page *page)
{
	struct syc_row *items = malloc((page->order.n + 1) * sizeof(*items));
	struct rows rows = { .page = page };

	if (items == NULL)
		return -ENOMEM;
	syscap_profile_samples(page->profile, &rows.samples);
	for (size_t i = 0; i < page->order.n; i++) {
		const uint32_t row = page->order.items[i];

		items[i] = (struct syc_row){
			.time = syc_page_time(page, rows.samples.times[row]),
			.size = rows.samples.ticks[row],
			.node = (uint32_t)get_node(&rows, i),
			.thread = rows.samples.threads[row],
			.n = 1,
		};
	}
	page->combined.rows = items;
	page->combined.n = page->order.n;
	return 0;
}

static uint64_t get_row_time(const void *data, size_t i)
{
	const struct syc_row *rows = data;

	return rows[i].time - (i > 0 ? rows[i - 1].time : 0);
}

/* Rows with equal times: run i is from begins[i] to begins[i + 1] - 1. */
struct runs {
	const struct syc_row *rows;
	const uint32_t *begins;
};

static uint64_t get_run_time(const void *data, size_t i)
{
	const struct runs *runs = data;
	const uint32_t *begin = runs->begins + i;

	return runs->rows[*begin].time -
	       (i > 0 ? runs->rows[begin[-1]].time : 0);
}

static uint64_t get_run_length(const void *data, size_t i)
{
	const uint32_t *begin = ((const struct runs *)data)->begins + i;

	return begin[1] - begin[0];
}

/* Returns the number of runs, and stores the starts and the end if @begins is
 * not NULL. */
static size_t find_runs(const struct syc_row *rows, size_t n, uint32_t *begins)
{
	size_t n_runs = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && rows[i].time == rows[i - 1].time)
			continue;
		if (begins != NULL)
			begins[n_runs] = (uint32_t)i;
		n_runs++;
	}
	if (begins != NULL)
		begins[n_runs] = (uint32_t)n;
	return n_runs;
}

int syc_page_write_times(struct syc_page *page, const char *prefix,
                         const struct syc_row *rows, size_t n,
                         const struct syc_cells *cells)
{
	char names[2][40];
	struct runs runs = { .rows = rows };
	uint32_t *begins;
	size_t n_runs;
	int r;

	snprintf(names[0], sizeof(names[0]), "%s.times", prefix);
	if (cells->size == 0)
		return syc_column_write(&page->pack, names[0], n, get_row_time,
		                        rows);
	snprintf(names[1], sizeof(names[1]), "%s.runs", prefix);
	n_runs = find_runs(rows, n, NULL);
	begins = malloc((n_runs + 1) * sizeof(*begins));
	if (begins == NULL)
		return -ENOMEM;
	find_runs(rows, n, begins);
	runs.begins = begins;
	/* The page decodes the times as soon as the page has the column. */
	r = syc_column_write(&page->pack, names[1], n_runs, get_run_length,
	                     &runs);
	if (r == 0)
		r = syc_column_write(&page->pack, names[0], n_runs,
		                     get_run_time, &runs);
	free(begins);
	return r;
}

static uint64_t get_combined_thread(const void *data, size_t i)
{
	return ((const struct syc_row *)data)[i].thread;
}

static uint64_t get_combined_node(const void *data, size_t i)
{
	return ((const struct syc_row *)data)[i].node;
}

static uint64_t get_combined_ticks(const void *data, size_t i)
{
	return ((const struct syc_row *)data)[i].size;
}

static uint64_t get_combined_count(const void *data, size_t i)
{
	return ((const struct syc_row *)data)[i].n;
}

struct columns {
	const char *name;
	syc_column_get *get;
};

static int write_columns(struct syc_page *page, const char *prefix,
                         const struct columns *columns, size_t n_columns,
                         size_t n, const void *data)
{
	char name[40];
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_columns; i++) {
		snprintf(name, sizeof(name), "%s.%s", prefix, columns[i].name);
		r = syc_column_write(&page->pack, name, n, columns[i].get,
		                     data);
	}
	return r;
}

int syc_page_write_rows(struct syc_page *page, const char *prefix,
                        const struct syc_combined *combined)
{
	static const struct columns columns[] = {
		{ "threads", get_combined_thread },
		{ "nodes", get_combined_node },
		{ "ticks", get_combined_ticks },
		{ "counts", get_combined_count },
	};
	/* Single events need no counts. */
	const size_t n = combined->cells.size == 0 ? 3 : 4;
	const int r = syc_page_write_times(page, prefix, combined->rows,
	                                   combined->n, &combined->cells);

	return r < 0 ? r
	             : write_columns(page, prefix, columns, n, combined->n,
	                             combined->rows);
}

int syc_page_write_samples(struct syc_page *page)
{
	static const struct columns single[] = {
		{ "times", get_time },
		{ "threads", get_thread },
		{ "nodes", get_node },
		{ "ticks", get_ticks },
	};
	struct rows rows = { .page = page };

	if (page->combined.rows != NULL)
		return syc_page_write_rows(page, "sample", &page->combined);
	syscap_profile_samples(page->profile, &rows.samples);
	return write_columns(page, "sample", single, 4, page->order.n, &rows);
}
