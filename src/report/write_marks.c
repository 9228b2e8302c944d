/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_marks.c - marks of a page, sorted by start, and bars for omitted marks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* Write the bars, by cell of time.  Returns 0 or -errno. */
static int bars_write(const struct syc_page *page, const struct syc_fit *fit,
                      struct syc_pack *pack)
{
	static const char *const names[] = { "bar.times",   "bar.lasts",
		                             "bar.counts",  "bar.sums",
		                             "bar.least",   "bar.most",
		                             "bar.threads", "bar.names" };
	uint64_t *cells = malloc((fit->bars.n + 1) * 8 * sizeof(*cells));
	int r;

	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fit->bars.n; i++) {
		const struct syc_bar *bar = &fit->bars.items[i];
		uint64_t *cell = cells + i * 8;

		cell[0] = syc_page_time(page, bar->first);
		cell[1] = syc_page_time(page, bar->last);
		cell[2] = bar->n;
		cell[3] = bar->sum;
		cell[4] = bar->least;
		cell[5] = bar->most;
		cell[6] = bar->thread;
		cell[7] = bar->name;
	}
	r = syc_column_write_table(pack, names, 8, fit->bars.n, cells);
	free(cells);
	return r;
}

#define NONE SYSCAP_PROFILE_NONE

struct syc_mark_rows {
	struct syc_page *page;
	uint32_t *order; /* marks of the page */
	size_t n;
	uint32_t *places;   /* place of each mark in the page; NONE: not in
	                       * the page
	                       * */
	uint32_t *messages; /* texts, in the page's order */
	struct syc_fit fit; /* bars of marks left out; all zero: none */
	/* All marks that could be in the page, and their texts. */
	uint32_t *all, *all_messages;
	size_t n_all;
	struct syc_map texts; /* messages, until the choice of marks is made */
};

static struct syscap_profile_mark mark_at(const struct syc_mark_rows *rows,
                                          size_t i)
{
	return syscap_profile_mark(rows->page->profile, rows->order[i]);
}

static uint64_t get_time(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;
	const int64_t time = mark_at(rows, i).time;

	if (i == 0)
		return syc_page_time(rows->page, time);
	return (uint64_t)time - (uint64_t)mark_at(rows, i - 1).time;
}

static uint64_t get_duration(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;

	return (uint64_t)mark_at(rows, i).duration;
}

/* Time between the start of the mark and the start of the recording, if the
 * mark was cut. */
static uint64_t get_before(const void *data, size_t i)
{
	const struct syscap_profile_mark mark = mark_at(data, i);

	return (uint64_t)mark.time - (uint64_t)mark.began;
}

/* Number of leading marks that contain all cut marks.  Cut marks begin with the
 * recording. */
static size_t count_before(const struct syc_mark_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (mark_at(rows, i).time != mark_at(rows, 0).time)
			break;
		if (get_before(rows, i) > 0)
			n = i + 1;
	}
	return n;
}

static uint64_t get_thread(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;

	return mark_at(rows, i).thread;
}

static uint64_t get_name(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;

	return mark_at(rows, i).name;
}

/* 1 + the lane of a mark; 0: the mark is in no lane. */
static uint64_t get_lane(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;
	const uint32_t lane = mark_at(rows, i).lane;

	return lane == NONE ? 0 : (uint64_t)lane + 1;
}

static uint64_t get_depth(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;

	return mark_at(rows, i).depth;
}

static uint64_t get_message(const void *data, size_t i)
{
	const struct syc_mark_rows *rows = data;

	return rows->messages[i];
}

static int write_names(struct syc_page *page)
{
	static const char *const columns[] = { "markname.groups",
		                               "markname.names" };
	const struct syscap_profile_mark_name *names;
	uint64_t *cells;
	size_t n;
	int r;

	names = syscap_profile_mark_names(page->profile, &n);
	cells = malloc((n + 1) * 2 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		cells[2 * i] = syc_page_text(page, names[i].group);
		cells[2 * i + 1] = syc_page_text(page, names[i].name);
	}
	r = syc_column_write_table(&page->pack, columns, 2, n, cells);
	free(cells);
	return r;
}

/*
 * Store messages by number of rows->texts, so that the page has no message of
 * an omitted mark.
 */
static int read_messages(struct syc_mark_rows *rows)
{
	struct syc_page *page = rows->page;

	for (size_t i = 0; i < rows->n; i++) {
		const char *message = "";
		size_t number;

		if (!page->report->redact)
			message = syscap_profile_message(
				page->profile, page->report->reader,
				mark_at(rows, i).offset);
		if (message == NULL ||
		    syc_map_put(&rows->texts, message, strlen(message) + 1,
		                &number) < 0)
			return -ENOMEM;
		rows->messages[i] = (uint32_t)number;
	}
	return 0;
}

/* Renumber the messages by the page's texts. */
static int take_messages(struct syc_mark_rows *rows)
{
	uint32_t *numbers = malloc((rows->texts.n + 1) * sizeof(*numbers));

	if (numbers == NULL)
		return -ENOMEM;
	memset(numbers, 0xff, (rows->texts.n + 1) * sizeof(*numbers));
	for (size_t i = 0; i < rows->n; i++) {
		const uint32_t number = rows->messages[i];

		if (numbers[number] == NONE)
			numbers[number] = syc_page_text(
				rows->page, rows->texts.keys[number].bytes);
		rows->messages[i] = numbers[number];
	}
	free(numbers);
	return 0;
}

static int write_rows(struct syc_mark_rows *rows, struct syc_pack *pack)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "mark.times", get_time },
		{ "mark.durations", get_duration },
		{ "mark.threads", get_thread },
		{ "mark.names", get_name },
		{ "mark.lanes", get_lane },
		{ "mark.depths", get_depth },
		{ "mark.messages", get_message },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(columns) / sizeof(*columns);
	     i++)
		r = syc_column_write(pack, columns[i].name, rows->n,
		                     columns[i].get, rows);
	if (r == 0)
		r = syc_column_write(pack, "mark.before", count_before(rows),
		                     get_before, rows);
	return r;
}

/* The texts of messages of marks in the page, each once.  @numbers has the text
 * of each mark. */
static int write_messages(const struct syc_mark_rows *rows,
                          struct syc_pack *pack, uint32_t *numbers)
{
	const uint32_t first = (uint32_t)rows->page->texts.n;
	const char **texts = malloc((rows->texts.n + 1) * sizeof(*texts));
	uint32_t *places = calloc(rows->texts.n + 1, sizeof(*places));
	uint32_t n = 0;
	int r = -ENOMEM;

	if (texts != NULL && places != NULL) {
		for (size_t i = 0; i < rows->n; i++) {
			uint32_t *place = &places[rows->messages[i]];

			if (*place == 0) {
				texts[n++] = rows->texts.keys[rows->messages[i]]
				                     .bytes;
				*place = n;
			}
			numbers[i] = first + *place - 1;
		}
		r = syc_column_write_texts(pack, "", n, texts);
	}
	free(texts);
	free(places);
	return r;
}

/*
 * Find the places of marks by number of the profile, for operations and arrows.
 */
static int write_links(struct syc_page *page)
{
	const struct syc_mark_rows *rows = page->marks;
	const size_t n = syscap_profile_n_marks(page->profile);

	for (size_t i = 0; i < n; i++)
		rows->places[i] = NONE;
	for (size_t i = 0; i < rows->n; i++)
		rows->places[rows->order[i]] = (uint32_t)i;
	return syc_page_write_links(page, rows->places, rows->n < rows->n_all);
}

/* Number of characters that marks, bars, messages and links would take. */
static int measure(struct syc_mark_rows *rows, uint64_t *ret_size)
{
	uint32_t *own = rows->messages;
	uint32_t *numbers = malloc((rows->n + 1) * sizeof(*numbers));
	uint64_t links = 0;
	struct syc_pack pack;
	int r;

	if (numbers == NULL)
		return -ENOMEM;
	syc_pack_init(&pack, NULL);
	r = write_messages(rows, &pack, numbers);
	rows->messages = numbers;
	if (r == 0)
		r = write_rows(rows, &pack);
	rows->messages = own;
	if (r == 0 && rows->n < rows->n_all)
		r = bars_write(rows->page, &rows->fit, &pack);
	if (r == 0)
		r = syc_page_measure(rows->page, write_links, &links);
	*ret_size = pack.written + links;
	syc_pack_fini(&pack);
	free(numbers);
	return r;
}

static bool is_looked_at(const struct syc_page *page, size_t number)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(page->profile, number);

	return !mark.is_end && syscap_view_has_mark(page->view, mark.thread,
	                                            mark.time, mark.duration);
}

static struct syscap_profile_mark get_mark(const void *data, uint32_t number)
{
	return syscap_profile_mark(data, number);
}

/* Keep the first @n marks by rank. */
static int keep(struct syc_mark_rows *rows, size_t n)
{
	struct syc_fit *fit = &rows->fit;
	int r = syc_fit_keep(fit, n);

	/* With too many threads and names, a bar covers more time. */
	while (r == 0 && fit->bars.n > n / 2 + 1000 && fit->n_cells > 1) {
		fit->n_cells /= 2;
		r = syc_fit_keep(fit, n);
	}
	rows->n = 0;
	for (size_t i = 0; r == 0 && i < fit->n; i++) {
		if (!fit->is_kept[i])
			continue;
		rows->messages[rows->n] = rows->all_messages[i];
		rows->order[rows->n++] = rows->all[i];
	}
	return r;
}

static int rank(struct syc_mark_rows *rows)
{
	size_t n_names;

	if (rows->fit.n > 0)
		return 0;
	syscap_profile_mark_names(rows->page->profile, &n_names);
	return syc_fit_init(&rows->fit, get_mark, rows->page->profile,
	                    rows->all, rows->n_all, n_names);
}

/*
 * Keep fewer marks until the marks fit into the rest of the page.  The slowest
 * and the longest marks always stay.
 */
static int fit(struct syc_mark_rows *rows)
{
	struct syc_page *page = rows->page;
	const uint64_t most = page->report->max_size;
	const uint64_t used = page->pack.written + page->n_text_bytes;
	const uint64_t room = most > used ? most - used : 0;
	uint64_t size = 0;
	size_t n = rows->n_all;
	int r = measure(rows, &size);

	if (r == 0 && size > room && n > 0)
		r = rank(rows);
	while (r == 0 && size > room && n > rows->fit.n_first) {
		n = (size_t)((double)n * 0.9 * ((double)room / (double)size));
		if (n < rows->fit.n_first)
			n = rows->fit.n_first;
		r = keep(rows, n);
		if (r == 0)
			r = measure(rows, &size);
	}
	page->report->n_marks_summed = rows->n_all - rows->n;
	return r;
}

int syc_page_read_marks(struct syc_page *page)
{
	struct syc_mark_rows *rows = calloc(1, sizeof(*rows));
	const size_t n = syscap_profile_n_marks(page->profile);

	if (rows == NULL)
		return -ENOMEM;
	page->marks = rows;
	rows->page = page;
	rows->order = malloc((n + 1) * sizeof(*rows->order));
	rows->places = malloc((n + 1) * sizeof(*rows->places));
	rows->messages = malloc((n + 1) * sizeof(*rows->messages));
	rows->all = malloc((n + 1) * sizeof(*rows->all));
	rows->all_messages = malloc((n + 1) * sizeof(*rows->all_messages));
	if (rows->order == NULL || rows->places == NULL ||
	    rows->messages == NULL || rows->all == NULL ||
	    rows->all_messages == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (is_looked_at(page, i))
			rows->order[rows->n++] = (uint32_t)i;
	syscap_profile_order_marks(page->profile, rows->order, rows->n);
	rows->n_all = rows->n;
	if (read_messages(rows) < 0)
		return -ENOMEM;
	memcpy(rows->all, rows->order, rows->n * sizeof(*rows->all));
	memcpy(rows->all_messages, rows->messages,
	       rows->n * sizeof(*rows->all_messages));
	return 0;
}

void syc_mark_rows_free(struct syc_mark_rows *rows)
{
	if (rows == NULL)
		return;
	rows->fit.by_time = NULL;
	syc_fit_fini(&rows->fit);
	syc_map_fini(&rows->texts);
	free(rows->order);
	free(rows->places);
	free(rows->messages);
	free(rows->all);
	free(rows->all_messages);
	free(rows);
}

int syc_page_measure_marks(struct syc_page *page, uint64_t *ret_all,
                           uint64_t *ret_least)
{
	struct syc_mark_rows *rows = page->marks;
	int r = measure(rows, ret_all);

	*ret_least = *ret_all;
	if (r < 0 || rows->n_all == 0)
		return r;
	r = rank(rows);
	if (r == 0)
		r = keep(rows, rows->fit.n_first);
	if (r == 0)
		r = measure(rows, ret_least);
	if (r == 0)
		r = keep(rows, rows->n_all);
	return r;
}

int syc_page_write_marks(struct syc_page *page)
{
	struct syc_mark_rows *rows = page->marks;
	int r = fit(rows);

	if (r == 0)
		r = take_messages(rows);
	if (r == 0)
		r = write_names(page);
	if (r == 0)
		r = write_rows(rows, &page->pack);
	if (r == 0 && rows->n < rows->n_all)
		r = bars_write(page, &rows->fit, &page->pack);
	if (r == 0 && rows->n < rows->n_all)
		r = syc_fit_write_stats(page, &rows->fit);
	return r == 0 ? write_links(page) : r;
}
