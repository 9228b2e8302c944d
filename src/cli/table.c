/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.c - text output: aligned columns, and names made safe for a terminal.
 *
 * The output has colours only on a terminal, and not if NO_COLOR is set
 * (no-color.org).
 */
#define _GNU_SOURCE
#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/strings.h"

static void write_character(FILE *out, const char *text, size_t len,
                            uint32_t point, bool quoted)
{
	if (point == '\n')
		fputs("\\n", out);
	else if (point == '\t')
		fputs("\\t", out);
	else if (point < 0x20 || (point >= 0x7F && point < 0xA0))
		fprintf(out, "\\x%02x", (unsigned)point);
	else if (syc_utf8_is_control(point))
		fprintf(out, "\\u%04x", (unsigned)point);
	else if (quoted && (point == '"' || point == '\\'))
		fprintf(out, "\\%c", (int)point);
	else
		fwrite(text, 1, len, out);
}

void syc_printable_write(FILE *out, const char *text, bool quoted)
{
	uint32_t point;

	if (quoted)
		putc('"', out);
	while (*text) {
		const size_t len = syc_utf8_next(text, &point);

		if (len == 0) {
			fputs(SYC_UTF8_REPLACEMENT, out);
			text += point;
			continue;
		}
		write_character(out, text, len, point, quoted);
		text += len;
	}
	if (quoted)
		putc('"', out);
}

char *syc_printable_copy(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	if (!out)
		return NULL;
	syc_printable_write(out, text, false);
	if (fclose(out) != 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

#define SYC_TABLE_COLUMNS 16

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define PLAIN "\033[0m"

static bool has_colours(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	if (term && strcmp(term, "dumb") == 0)
		return false;
	return isatty(fileno(out)) == 1;
}

void syc_table_init(struct syc_table *table,
                    const struct syc_table_column *columns, unsigned n_columns)
{
	memset(table, 0, sizeof(*table));
	table->columns = columns;
	table->n_columns = n_columns;
}

void syc_table_fini(struct syc_table *table)
{
	for (size_t i = 0; i < table->cells.n; i++)
		free(table->cells.items[i]);
	free(table->cells.items);
}

/* The table owns @cell from then on.  @cell is NULL if memory was missing. */
static void add_cell(struct syc_table *table, char *cell)
{
	if (!cell || syc_array_push(&table->cells, cell) < 0) {
		free(cell);
		table->failed = true;
	}
}

void syc_table_add(struct syc_table *table, const char *format, ...)
{
	va_list arguments;
	char *cell;

	va_start(arguments, format);
	if (vasprintf(&cell, format, arguments) < 0)
		cell = NULL;
	va_end(arguments);
	add_cell(table, cell);
}

void syc_table_add_text(struct syc_table *table, const char *text)
{
	add_cell(table, syc_printable_copy(text ? text : "-"));
}

void syc_table_add_duration(struct syc_table *table, int64_t ns)
{
	char text[40];

	syc_duration_format(ns, text, sizeof(text));
	syc_table_add(table, "%s", text);
}

static void print_cell(FILE *out, const char *text, size_t width, bool right,
                       bool is_last)
{
	const int gap = (int)(width - syc_utf8_count(text));

	fprintf(out, "  %*s%s%*s", right ? gap : 0, "", text,
	        right || is_last ? 0 : gap, "");
}

static void print_titles(const struct syc_table *table, FILE *out,
                         const size_t *widths)
{
	const bool colours = has_colours(out);

	fputs(colours ? DIM : "", out);
	for (unsigned c = 0; c < table->n_columns; c++)
		print_cell(out, table->columns[c].title, widths[c],
		           table->columns[c].is_number,
		           c + 1 == table->n_columns);
	fprintf(out, "%s\n", colours ? PLAIN : "");
}

int syc_table_print(const struct syc_table *table, FILE *out)
{
	const unsigned n_columns = table->n_columns;
	size_t widths[SYC_TABLE_COLUMNS];

	if (table->failed)
		return -ENOMEM;
	for (unsigned c = 0; c < n_columns; c++)
		widths[c] = syc_utf8_count(table->columns[c].title);
	for (size_t i = 0; i < table->cells.n; i++) {
		const size_t width = syc_utf8_count(table->cells.items[i]);

		if (width > widths[i % n_columns])
			widths[i % n_columns] = width;
	}

	print_titles(table, out, widths);
	for (size_t i = 0; i < table->cells.n; i++) {
		const unsigned c = (unsigned)(i % n_columns);
		const bool is_last = c + 1 == n_columns;

		print_cell(out, table->cells.items[i], widths[c],
		           table->columns[c].is_number, is_last);
		if (is_last)
			putc('\n', out);
	}
	return 0;
}

int syc_table_finish(struct syc_table *table, size_t n, size_t most)
{
	const int r = syc_table_print(table, stdout);

	syc_table_fini(table);
	if (n > most)
		printf("  … and %zu more: --all\n", n - most);
	return r;
}

void syc_table_heading(FILE *out, const char *format, ...)
{
	const bool colours = has_colours(out);
	va_list arguments;

	fputs(colours ? "\n" BOLD : "\n", out);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fputs(colours ? PLAIN "\n" : "\n", out);
}

void syc_size_format(double bytes, char *text, size_t size)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	int unit = -1;

	while (bytes >= 1024 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(text, size, "%.0f byte%s", bytes,
		         bytes == 1 ? "" : "s");
	else
		snprintf(text, size, "%.1f %s", bytes, units[unit]);
}
