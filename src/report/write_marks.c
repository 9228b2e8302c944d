/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_marks.c - marks of a page in order of their begin, and bars for omitted
 * marks.
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

/* Write statistics of all marks by name, including marks in the page. */
static int bars_write_sums(struct syc_page *page, const struct syc_fit *fit)
{
	static const char *const columns[] = {
		"markname.counts",  "markname.sums", "markname.least",
		"markname.medians", "markname.p99s", "markname.most"
	};
	uint64_t *cells;
	size_t n;
	int r;

	syscap_profile_mark_names(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct syc_mark_sums *sums = &fit->sums[i];
		uint64_t *cell = cells + i * 6;

		cell[0] = sums->n;
		cell[1] = sums->sum;
		cell[2] = sums->least;
		cell[3] = sums->median;
		cell[4] = sums->p99;
		cell[5] = sums->most;
	}
	r = syc_column_write_table(&page->pack, columns, 6, n, cells);
	free(cells);
	return r;
}

#define NONE SYSCAP_PROFILE_NONE

struct rows {
	struct syc_page *page;
	uint32_t *order; /* marks of the page */
	size_t n;
	uint32_t *places;     /* place of each mark in the page; NONE: not in
	                       * the page
	                       * */
	uint32_t *messages;   /* texts, in the page's order */
	struct syc_fit fit;   /* bars of marks left out; all zero: none */
	struct syc_map texts; /* messages, until the choice of marks is made */
};

static struct syscap_profile_mark mark_at(const struct rows *rows, size_t i)
{
	return syscap_profile_mark(rows->page->profile, rows->order[i]);
}

static uint64_t get_time(const void *data, size_t i)
{
	const struct rows *rows = data;
	const int64_t time = mark_at(rows, i).time;

	if (i == 0)
		return syc_page_time(rows->page, time);
	return (uint64_t)time - (uint64_t)mark_at(rows, i - 1).time;
}

static uint64_t get_duration(const void *data, size_t i)
{
	const struct rows *rows = data;

	return (uint64_t)mark_at(rows, i).duration;
}

static uint64_t get_thread(const void *data, size_t i)
{
	const struct rows *rows = data;

	return mark_at(rows, i).thread;
}

static uint64_t get_name(const void *data, size_t i)
{
	const struct rows *rows = data;

	return mark_at(rows, i).name;
}

/* 1 + the lane of a mark; 0: the mark is in no lane. */
static uint64_t get_lane(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t lane = mark_at(rows, i).lane;

	return lane == NONE ? 0 : (uint64_t)lane + 1;
}

static uint64_t get_depth(const void *data, size_t i)
{
	const struct rows *rows = data;

	return mark_at(rows, i).depth;
}

static uint64_t get_message(const void *data, size_t i)
{
	const struct rows *rows = data;

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
static int read_messages(struct rows *rows)
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
static int take_messages(struct rows *rows)
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

static int write_rows(struct rows *rows, struct syc_pack *pack)
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
	return r;
}

/* The texts of messages of marks in the page, each once; @numbers has the text
 * of each mark. */
static int write_messages(const struct rows *rows, struct syc_pack *pack,
                          uint32_t *numbers)
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

/* Number of characters that marks, bars and messages would take. */
static int measure(struct rows *rows, uint64_t *ret_size)
{
	uint32_t *own = rows->messages;
	uint32_t *numbers = malloc((rows->n + 1) * sizeof(*numbers));
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
	if (r == 0 && rows->fit.n > 0)
		r = bars_write(rows->page, &rows->fit, &pack);
	*ret_size = pack.written;
	syc_pack_fini(&pack);
	free(numbers);
	return r;
}

static bool is_looked_at(const struct syc_page *page, size_t number)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(page->profile, number);

	return !mark.is_end &&
	       syscap_view_has(page->view, mark.thread, mark.time);
}

static int choose(struct rows *rows, size_t n)
{
	const struct syc_page *page = rows->page;

	rows->order = malloc((n + 1) * sizeof(*rows->order));
	rows->places = malloc((n + 1) * sizeof(*rows->places));
	rows->messages = malloc((n + 1) * sizeof(*rows->messages));
	if (rows->order == NULL || rows->places == NULL ||
	    rows->messages == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (is_looked_at(page, i))
			rows->order[rows->n++] = (uint32_t)i;
	syscap_profile_order_marks(page->profile, rows->order, rows->n);
	return read_messages(rows);
}

/* The kept values of @all, in the order of @all. */
static void take_kept(struct rows *rows, const uint32_t *all,
                      const uint32_t *messages)
{
	rows->n = 0;
	for (size_t i = 0; i < rows->fit.n; i++) {
		if (!rows->fit.is_kept[i])
			continue;
		rows->messages[rows->n] = messages[i];
		rows->order[rows->n++] = all[i];
	}
}

static struct syscap_profile_mark get_mark(const void *data, uint32_t number)
{
	return syscap_profile_mark(data, number);
}

/* Keep fewer marks until the marks fit into @room. */
static int keep_what_fits(struct rows *rows, uint64_t size, uint64_t room,
                          const uint32_t *all, const uint32_t *messages)
{
	size_t n = rows->n, n_names;
	int r;

	syscap_profile_mark_names(rows->page->profile, &n_names);
	r = syc_fit_init(&rows->fit, get_mark, rows->page->profile, all,
	                 rows->n, n_names);
	while (r == 0 && size > room) {
		n = (size_t)((double)n * 0.9 * ((double)room / (double)size));
		r = syc_fit_keep(&rows->fit, n);
		/* With too many threads and names, a bar covers more time. */
		while (r == 0 && rows->fit.bars.n > n / 2 + 1000 &&
		       rows->fit.n_cells > 1) {
			rows->fit.n_cells /= 2;
			r = syc_fit_keep(&rows->fit, n);
		}
		if (r < 0)
			break;
		take_kept(rows, all, messages);
		r = measure(rows, &size);
		if (n == 0)
			break;
	}
	return r;
}

/* Limit of the characters of a page, including characters already written. */
static int fit(struct rows *rows)
{
	struct syc_page *page = rows->page;
	const uint64_t most = page->report->max_size;
	const uint64_t room =
		most > page->pack.written + page->n_text_bytes
			? most - page->pack.written - page->n_text_bytes
			: 0;
	const size_t n = rows->n;
	uint32_t *all, *messages;
	uint64_t size;
	int r = measure(rows, &size);

	if (r < 0 || size <= room || n == 0)
		return r;
	all = malloc(n * sizeof(*all));
	messages = malloc(n * sizeof(*messages));
	r = -ENOMEM;
	if (all != NULL && messages != NULL) {
		memcpy(all, rows->order, n * sizeof(*all));
		memcpy(messages, rows->messages, n * sizeof(*messages));
		r = keep_what_fits(rows, size, room, all, messages);
	}
	rows->fit.by_time = NULL;
	free(all);
	free(messages);
	page->report->n_marks_summed = n - rows->n;
	return r;
}

/*
 * Find the places of marks by number of the profile, for operations and arrows.
 */
static void place(struct rows *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rows->places[i] = NONE;
	for (size_t i = 0; i < rows->n; i++)
		rows->places[rows->order[i]] = (uint32_t)i;
}

int syc_page_write_marks(struct syc_page *page)
{
	struct rows rows = { .page = page };
	const size_t n = syscap_profile_n_marks(page->profile);
	int r = choose(&rows, n);

	if (r == 0)
		r = fit(&rows);
	if (r == 0)
		r = take_messages(&rows);
	if (r == 0)
		r = write_names(page);
	if (r == 0)
		r = write_rows(&rows, &page->pack);
	if (r == 0 && rows.fit.n > 0)
		r = bars_write(page, &rows.fit, &page->pack);
	if (r == 0 && rows.fit.n > 0)
		r = bars_write_sums(page, &rows.fit);
	if (r == 0) {
		place(&rows, n);
		r = syc_page_write_links(page, rows.places);
	}
	syc_fit_fini(&rows.fit);
	syc_map_fini(&rows.texts);
	free(rows.order);
	free(rows.places);
	free(rows.messages);
	return r;
}
