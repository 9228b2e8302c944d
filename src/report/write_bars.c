/* SPDX-License-Identifier: BSD-2-Clause */
/* write_bars.c - what stands in a page for the marks that are left out. */
#include "report/write_bars.h"

#include <errno.h>
#include <stdlib.h>

int syc_bars_write(const struct syc_page *page, const struct syc_fit *fit,
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

int syc_bars_write_sums(struct syc_page *page, const struct syc_fit *fit)
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
