/* SPDX-License-Identifier: BSD-2-Clause */
/* write_links.c - operations and arrows, between marks that the page has. */
#include <errno.h>
#include <stdlib.h>

#include "report/writer.h"

#define NONE SYSCAP_PROFILE_NONE

struct links {
	struct syc_page *page;
	const uint32_t
		*places; /* in the page, by number of the mark, or NONE */
};

/* Place + 1, or 0. */
static uint64_t place_of(const struct links *links, uint32_t mark)
{
	return mark == NONE || links->places[mark] == NONE
	               ? 0
	               : (uint64_t)links->places[mark] + 1;
}

/* Of operations by number: is a mark of it in the page? */
static unsigned char *find_operations(const struct links *links, size_t n)
{
	unsigned char *has = calloc(n + 1, 1);
	const struct syscap_profile_part *parts;
	size_t n_parts;

	parts = syscap_profile_parts(links->page->profile, &n_parts);
	for (size_t i = 0; has != NULL && i < n_parts; i++)
		if (parts[i].operation != NONE &&
		    links->places[parts[i].mark] != NONE)
			has[parts[i].operation] = 1;
	return has;
}

static int write_operations(const struct links *links)
{
	static const char *const columns[] = {
		"operation.ids",      "operation.begins", "operation.ends",
		"operation.from",     "operation.to",     "operation.names",
		"operation.processes"
	};
	struct syc_page *page = links->page;
	const struct syscap_profile_operation *items;
	unsigned char *has;
	uint64_t *cells, *cell;
	size_t n;
	int r;

	items = syscap_profile_operations(page->profile, &n);
	has = find_operations(links, n);
	cells = malloc((n + 1) * 7 * sizeof(*cells));
	if (has == NULL || cells == NULL) {
		free(has);
		free(cells);
		return -ENOMEM;
	}
	cell = cells;
	for (size_t i = 0; i < n; i++) {
		if (!has[i])
			continue;
		cell[0] = items[i].id;
		cell[1] = syc_page_time(page, items[i].from);
		cell[2] = syc_page_time(page, items[i].to);
		cell[3] = place_of(links, items[i].begin);
		cell[4] = place_of(links, items[i].end);
		cell[5] = items[i].name;
		cell[6] = items[i].process;
		cell += 7;
	}
	free(has);
	n = (size_t)(cell - cells) / 7;
	r = syc_column_write_table(&page->pack, columns, 7, n, cells);
	free(cells);
	return r;
}

static int write_arrows(const struct links *links)
{
	static const char *const columns[] = { "arrow.outs", "arrow.ins" };
	const struct syscap_profile_arrow *items;
	uint64_t *cells;
	size_t n, n_there = 0;
	int r;

	items = syscap_profile_arrows(links->page->profile, &n);
	cells = malloc((n + 1) * 2 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (links->places[items[i].out] == NONE ||
		    links->places[items[i].in] == NONE)
			continue;
		cells[n_there++] = links->places[items[i].out];
		cells[n_there++] = links->places[items[i].in];
	}
	r = syc_column_write_table(&links->page->pack, columns, 2, n_there / 2,
	                           cells);
	free(cells);
	return r;
}

int syc_page_write_links(struct syc_page *page, const uint32_t *places)
{
	const struct links links = { page, places };
	const int r = write_operations(&links);

	return r < 0 ? r : write_arrows(&links);
}
