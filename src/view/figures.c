/* SPDX-License-Identifier: BSD-2-Clause */
/* figures.c - numbers as text, and as bars. */
#include "view/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/strings.h"

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

void syc_figures_value(char *text, double value, bool is_double, bool is_exact)
{
	if (isnan(value))
		strcpy(text, "–");
	else if (is_exact)
		snprintf(text, SYC_FIGURE, is_double ? "%.17g" : "%.0f", value);
	else if (is_double && fabs(value) < 1e9)
		snprintf(text, SYC_FIGURE, "%.3f", value);
	else if (!is_double && fabs(value) < 9e15)
		snprintf(text, SYC_FIGURE, "%.0f", value);
	else
		snprintf(text, SYC_FIGURE, "%.6g", value);
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
