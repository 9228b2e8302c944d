/* SPDX-License-Identifier: BSD-2-Clause */
/* write_functions.c - functions by number: the capture's, and then those that
 * only the one has that it is compared with. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

struct function {
	uint32_t name, binary, category;
	uint32_t file, line; /* of the source: a text + 1; 0: not known */
};

struct functions {
	struct syc_page *page;
	SYC_ARRAY(struct function) items;
	struct syc_map known;        /* where there is another capture */
	SYC_ARRAY(uint32_t) numbers; /* by number of @known */
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

/* Its number in the page. */
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
	/* One may be a program's here and a library's there, but no note. */
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

/* Where most of the time of each went, of captures that tell. */
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

static uint64_t get_other_function(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->other_functions[page->report->other_view
	                                     ->functions[page->other.nodes[i]]];
}

static uint64_t get_other_self(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->report->other_view->selfs[page->other.nodes[i]];
}

/* Of the other capture only what each stack took. */
int syc_page_write_other(struct syc_page *page)
{
	const struct syc_preorder *order = &page->other;
	int r;

	if (page->report->other == NULL)
		return 0;
	r = syc_column_write_u32(&page->pack, "other.depths", order->n,
	                         order->depths);
	if (r == 0)
		r = syc_column_write(&page->pack, "other.functions", order->n,
		                     get_other_function, page);
	if (r == 0)
		r = syc_column_write(&page->pack, "other.selfs", order->n,
		                     get_other_self, page);
	return r;
}
