/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_lines.c - source lines of functions with their amounts, and the text of
 * the source files, if these are requested.
 *
 * The amounts are of the whole capture: a brush does not change the amounts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/writer.h"

/* Limits of the embedded sources, in bytes. */
#define MOST_OF_FILE    (1 << 20)
#define MOST_OF_SOURCES (8 << 20)

/* The amount of a line with its callees counts once in a recursion. */
static bool is_outermost(const struct syscap_view *view, size_t node)
{
	for (uint32_t up = view->parents[node]; up != 0; up = view->parents[up])
		if (view->functions[up] == view->functions[node] &&
		    view->lines[up] == view->lines[node])
			return false;
	return true;
}

int syc_page_read_lines(struct syc_page *page, const struct syscap_view *view)
{
	const struct syscap_profile_line *lines;
	struct syc_map map = { 0 };
	size_t ignored, number;
	int r = 0;

	lines = syscap_profile_lines(page->profile, &ignored);
	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct {
			uint32_t function, line;
		} key = { view->functions[i], view->lines[i] };

		if (key.line == SYSCAP_PROFILE_NONE || view->totals[i] == 0)
			continue;
		r = syc_map_put(&map, &key, sizeof(key), &number);
		if (r > 0) {
			const struct syc_page_line row = {
				.function = key.function,
				.path = lines[key.line].file,
				.file = syc_page_text(page,
				                      lines[key.line].file),
				.line = lines[key.line].line,
			};

			r = syc_array_push(&page->lines, row);
		}
		if (r < 0)
			break;
		page->lines.items[number].self += view->selfs[i];
		if (is_outermost(view, i))
			page->lines.items[number].total += view->totals[i];
	}
	syc_map_fini(&map);
	return r < 0 ? r : 0;
}

/*
 * Return whether @path is named like a source.  A capture from elsewhere may
 * name any file of this machine, and the page may be shared.
 */
static bool is_source(const char *path)
{
	static const char *const names[] = {
		"c",   "h",   "cc",  "hh",    "cpp", "hpp",  "cxx",  "hxx",
		"c++", "inc", "inl", "ipp",   "tcc", "S",    "s",    "asm",
		"rs",  "go",  "py",  "js",    "ts",  "mjs",  "vala", "d",
		"zig", "m",   "mm",  "swift", "kt",  "java", "lua",  "rb",
		"ml",  "hs",  "nim", "y",     "l"
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot != NULL && i < sizeof(names) / sizeof(*names);
	     i++)
		if (strcmp(dot + 1, names[i]) == 0)
			return true;
	return false;
}

/* The content of @path, to be freed; NULL: unreadable, too large, or no
 * text. */
static char *read_source(const char *path)
{
	const int fd = is_source(path)
	                       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
	                       : -1;
	struct stat status;
	char *text = NULL;
	ssize_t n = 0, got;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size > 0 && status.st_size <= MOST_OF_FILE)
		text = malloc((size_t)status.st_size + 1);
	while (text != NULL && n < status.st_size &&
	       (got = read(fd, text + n, (size_t)(status.st_size - n))) > 0)
		n += got;
	if (fd >= 0)
		close(fd);
	if (text == NULL || n < status.st_size ||
	    memchr(text, 0, (size_t)n) != NULL) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

struct sources {
	SYC_ARRAY(const char *) texts;
	SYC_ARRAY(uint32_t) files;
	size_t size;
};

static int add_source(struct syc_page *page, struct sources *sources,
                      const struct syc_page_line *line)
{
	char *text = read_source(line->path);
	size_t n;

	if (text == NULL ||
	    (n = strlen(text)) > MOST_OF_SOURCES - sources->size) {
		free(text);
		page->report->n_sources_omitted++;
		return 0;
	}
	sources->size += n;
	if (syc_array_push(&sources->texts, text) < 0) {
		free(text);
		return -ENOMEM;
	}
	return syc_array_push(&sources->files, line->file);
}

static int write_sources(struct syc_page *page)
{
	struct sources sources = { .size = 0 };
	struct syc_map known = { 0 };
	size_t number;
	int r = 0;

	page->report->n_sources_omitted = 0;
	for (size_t i = 0; r >= 0 && i < page->lines.n; i++) {
		const struct syc_page_line *line = &page->lines.items[i];

		r = syc_map_put(&known, &line->file, sizeof(line->file),
		                &number);
		if (r > 0)
			r = add_source(page, &sources, line);
	}
	if (r >= 0)
		r = syc_column_write_u32(&page->pack, "source.files",
		                         sources.files.n, sources.files.items);
	if (r == 0)
		r = syc_column_write_texts(&page->pack, "source.texts",
		                           sources.texts.n,
		                           sources.texts.items);
	for (size_t i = 0; i < sources.texts.n; i++)
		free((char *)(uintptr_t)sources.texts.items[i]);
	free(sources.texts.items);
	free(sources.files.items);
	syc_map_fini(&known);
	return r;
}

static uint64_t get_function(const void *data, size_t i)
{
	return ((const struct syc_page_line *)data)[i].function;
}

static uint64_t get_file(const void *data, size_t i)
{
	return ((const struct syc_page_line *)data)[i].file;
}

static uint64_t get_line(const void *data, size_t i)
{
	return ((const struct syc_page_line *)data)[i].line;
}

static uint64_t get_self(const void *data, size_t i)
{
	return ((const struct syc_page_line *)data)[i].self;
}

static uint64_t get_total(const void *data, size_t i)
{
	return ((const struct syc_page_line *)data)[i].total;
}

int syc_page_write_lines(struct syc_page *page)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "line.functions", get_function }, { "line.files", get_file },
		{ "line.numbers", get_line },       { "line.selfs", get_self },
		{ "line.totals", get_total },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(columns) / sizeof(*columns);
	     i++)
		r = syc_column_write(&page->pack, columns[i].name,
		                     page->lines.n, columns[i].get,
		                     page->lines.items);
	return r == 0 && page->report->with_source ? write_sources(page) : r;
}
