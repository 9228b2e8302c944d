/* SPDX-License-Identifier: BSD-2-Clause */
/* table.c - tables of a page, and numbers as text and as bars. */
#include "view/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/strings.h"

#define WHEEL 3

void syc_list_fit(struct syc_list *list, size_t n, int y, int height)
{
	const size_t lines = height > 0 ? (size_t)height : 0;

	list->n = n;
	list->y = y;
	list->height = height;
	if (list->chosen >= n)
		list->chosen = n > 0 ? n - 1 : 0;
	if (list->top > list->chosen)
		list->top = list->chosen;
	if (lines > 0 && list->chosen >= list->top + lines)
		list->top = list->chosen - lines + 1;
	if (list->top + lines > n)
		list->top = n > lines ? n - lines : 0;
}

int syc_list_lines(const struct syc_list *list)
{
	const size_t left = list->n - list->top;

	return list->height > 0 && left > (size_t)list->height ? list->height
	       : list->height > 0                              ? (int)left
	                                                       : 0;
}

static void move(struct syc_list *list, long by)
{
	if (by < 0)
		list->chosen -=
			list->chosen < (size_t)-by ? list->chosen : (size_t)-by;
	else if (list->n > 0 && list->n - 1 - list->chosen < (size_t)by)
		list->chosen = list->n - 1;
	else if (list->n > 0)
		list->chosen += (size_t)by;
}

static enum syc_list_took click(struct syc_list *list, int y)
{
	const size_t row = list->top + (size_t)(y - list->y);

	if (y < list->y || y >= list->y + list->height || row >= list->n)
		return SYC_LIST_NOTHING;
	if (row == list->chosen)
		return SYC_LIST_ENTERED;
	list->chosen = row;
	return SYC_LIST_MOVED;
}

enum syc_list_took syc_list_take(struct syc_list *list,
                                 const struct syc_input_event *event)
{
	const long page = list->height > 1 ? list->height - 1 : 1;
	const bool is_letter = event->key == SYC_KEY_CHARACTER;

	if (event->key == SYC_KEY_UP || (is_letter && event->point == 'k'))
		move(list, -1);
	else if (event->key == SYC_KEY_DOWN ||
	         (is_letter && event->point == 'j'))
		move(list, 1);
	else if (event->key == SYC_KEY_PAGE_UP)
		move(list, -page);
	else if (event->key == SYC_KEY_PAGE_DOWN)
		move(list, page);
	else if (event->key == SYC_KEY_WHEEL_UP)
		move(list, -WHEEL);
	else if (event->key == SYC_KEY_WHEEL_DOWN)
		move(list, WHEEL);
	else if (event->key == SYC_KEY_HOME)
		list->chosen = 0;
	else if (event->key == SYC_KEY_END)
		list->chosen = list->n > 0 ? list->n - 1 : 0;
	else if (event->key == SYC_KEY_CLICK)
		return click(list, event->y);
	else
		return SYC_LIST_NOTHING;
	return SYC_LIST_MOVED;
}

#define GAP 2
/* Largest number of characters of an integer. */
#define EXACT      20
#define LAST_LEAST 16 /* wanted width of the last column */

static int used(const struct syc_columns *columns)
{
	int sum = 0;

	for (unsigned i = 0; i + 1 < columns->n; i++)
		if (columns->width[i] > 0)
			sum += columns->width[i] + GAP;
	return sum;
}

/* Drop the least important column.  Returns false if all columns are needed. */
static bool leave_out(struct syc_columns *columns)
{
	unsigned worst = columns->n;

	for (unsigned i = 0; i + 1 < columns->n; i++)
		if (columns->width[i] > 0 && columns->columns[i].rank > 0 &&
		    (worst == columns->n ||
		     columns->columns[i].rank > columns->columns[worst].rank))
			worst = i;
	if (worst == columns->n)
		return false;
	columns->width[worst] = 0;
	return true;
}

void syc_columns_fit(struct syc_columns *columns,
                     const struct syc_column *table, unsigned n,
                     const struct syc_page_context *context)
{
	const int width = context->grid->width;
	int x = 0;

	columns->columns = table;
	columns->n = n;
	for (unsigned i = 0; i + 1 < n; i++)
		columns->width[i] = context->is_exact && table[i].is_number &&
		                                    table[i].title[0] != 0 &&
		                                    table[i].width < EXACT
		                            ? EXACT
		                            : table[i].width;
	while (used(columns) + LAST_LEAST > width && leave_out(columns))
		;
	columns->width[n - 1] = width - used(columns);
	for (unsigned i = 0; i < n; i++) {
		columns->x[i] = x;
		if (columns->width[i] > 0)
			x += columns->width[i] + GAP;
	}
}

void syc_columns_put(const struct syc_columns *columns, struct syc_grid *grid,
                     unsigned column, int y, const char *text,
                     struct syc_style style)
{
	const int x = columns->x[column], width = columns->width[column];

	if (width <= 0)
		return;
	if (columns->columns[column].is_number)
		syc_grid_put_right(grid, x, y, width, text, style);
	else
		syc_grid_put(grid, x, y, width, text, style);
}

void syc_columns_titles(struct syc_columns *columns, struct syc_grid *grid,
                        int y, int sorted, bool is_up)
{
	columns->y = y;
	syc_grid_fill(grid, 0, y, grid->width, ' ', SYC_STYLE_TITLE);
	for (unsigned i = 0; i < columns->n; i++) {
		struct syc_style style = SYC_STYLE_TITLE;
		char text[64];

		if ((int)i == sorted)
			style.attributes |= SYC_BOLD;
		snprintf(text, sizeof(text), "%s%s", columns->columns[i].title,
		         (int)i != sorted ? ""
		         : is_up          ? " ▲"
		                          : " ▼");
		syc_columns_put(columns, grid, i, y, text, style);
	}
}

int syc_columns_find(const struct syc_columns *columns, int x, int y)
{
	if (y != columns->y)
		return -1;
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->width[i] > 0 && x >= columns->x[i] &&
		    x < columns->x[i] + columns->width[i])
			return (int)i;
	return -1;
}

struct syc_style syc_cells_begin(struct syc_page_context *context, int y,
                                 bool is_chosen)
{
	const struct syc_style style =
		is_chosen ? SYC_STYLE_CHOSEN : SYC_STYLE_PLAIN;

	syc_grid_fill(context->grid, 0, y, context->grid->width, ' ', style);
	return style;
}

/* Numbers */

/* Width of a column with times.  Times of an hour or more have fewer decimals. */
#define TIME_WIDTH 11

void syc_figures_time(char *text, int64_t ns, bool is_exact)
{
	int digits = 3;
	size_t len;

	if (is_exact) {
		snprintf(text, SYC_FIGURE, "%" PRId64, ns);
		return;
	}
	syc_duration_format(ns, text, SYC_FIGURE - 1);
	len = strlen(text);
	if (len <= 2 || strcmp(text + len - 2, " s") != 0)
		return;
	/* Align units below each other. */
	strcpy(text + len, " ");
	while (strlen(text) > TIME_WIDTH && digits-- > 0)
		snprintf(text, SYC_FIGURE, "%.*f s ", digits, (double)ns / 1e9);
}

static void format_bytes(char *text, uint64_t bytes)
{
	static const char *const units[] = { "B  ", "KiB", "MiB", "GiB",
		                             "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	snprintf(text, SYC_FIGURE, unit == 0 ? "%.0f %s" : "%.2f %s", value,
	         units[unit]);
}

void syc_figures_amount(char *text, enum syscap_view_unit unit, uint64_t amount,
                        bool is_exact)
{
	if (is_exact)
		snprintf(text, SYC_FIGURE, "%" PRIu64, amount);
	else if (unit == SYSCAP_UNIT_BYTES)
		format_bytes(text, amount);
	else if (unit == SYSCAP_UNIT_TICKS || amount > INT64_MAX)
		syc_figures_count(text, amount, false);
	else
		syc_figures_time(text, (int64_t)amount, false);
}

void syc_figures_count(char *text, uint64_t count, bool is_exact)
{
	char digits[24];
	const int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	int at = 0;

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && !is_exact)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
}

void syc_figures_share(char *text, uint64_t part, uint64_t total)
{
	if (total == 0)
		strcpy(text, "–");
	else
		snprintf(text, SYC_FIGURE, "%.1f %%",
		         100.0 * (double)part / (double)total);
}

void syc_figures_moment(char *text, int64_t time, int64_t begin, bool is_exact)
{
	if (is_exact)
		snprintf(text, SYC_FIGURE, "%" PRId64, time);
	else
		snprintf(text, SYC_FIGURE, "%+.6f s",
		         ((double)time - (double)begin) / 1e9);
}

void syc_figures_value(char *text, long double value, bool is_double,
                       bool is_exact)
{
	if (isnan(value))
		strcpy(text, "–");
	else if (is_exact)
		snprintf(text, SYC_FIGURE, is_double ? "%.17Lg" : "%.0Lf",
		         value);
	else if (is_double && fabsl(value) < 1e9L)
		snprintf(text, SYC_FIGURE, "%.3Lf", value);
	else if (!is_double && fabsl(value) < 9e15L)
		snprintf(text, SYC_FIGURE, "%.0Lf", value);
	else
		snprintf(text, SYC_FIGURE, "%.6Lg", value);
}

#define EIGHTHS 8
#define LOWEST  0x2581u
#define BETWEEN 0x2500u

static void draw_bar(struct syc_grid *grid, int x, int y, int height,
                     double share, struct syc_style style)
{
	const int full = height * EIGHTHS;
	int left = (int)(share * full + 0.5);

	/* Keep a value that is not 0 visible. */
	left = left < 1 ? 1 : left > full ? full : left;
	for (int line = 0; line < height && left > 0; line++) {
		const int part = left > EIGHTHS ? EIGHTHS : left;

		syc_grid_fill(grid, x, y + height - 1 - line, 1,
		              LOWEST + (uint32_t)part - 1, style);
		left -= part;
	}
}

void syc_bars_draw(struct syc_grid *grid, int x, int y, int height,
                   const double *values, int n, double most, double target)
{
	const int line = target > 0 && target < most
	                         ? height - 1 - (int)(target / most * height)
	                         : -1;

	if (line >= 0)
		syc_grid_fill(grid, x, y + line, n, BETWEEN, SYC_STYLE_QUIET);
	for (int i = 0; i < n; i++) {
		const bool is_over = target > 0 && values[i] > target;

		if (!isnan(values[i]))
			draw_bar(grid, x + i, y, height,
			         most > 0 ? values[i] / most : 0,
			         is_over ? SYC_STYLE_MORE : SYC_STYLE_LINK);
	}
}
