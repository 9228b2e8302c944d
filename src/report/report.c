/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - order of the parts of a page, and the files from page/ in it.
 *
 * join.cmake has joined the modules in page/ at build time.
 */
#define _GNU_SOURCE
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "report/writer.h"

/* The fixed parts of the page: page/, joined. */
extern const char page_head[], page_body[], page_script[];

#define HEADS 16384 /* maximum number of characters of all columns */

static int order_samples(struct syc_page *page)
{
	struct syscap_profile_samples samples;

	syscap_profile_samples(page->profile, &samples);
	for (size_t i = 0; i < samples.n; i++) {
		if ((page->view->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		if (syc_array_push(&page->order, (uint32_t)i) < 0)
			return -ENOMEM;
	}
	syc_order_by_time(page->order.items, page->order.n, samples.times);
	return 0;
}

static void begin_no_later(struct syc_page *page, int64_t time)
{
	if (time < page->base)
		page->base = time;
}

/* Find the base: no time in the page is earlier. */
static void find_base(struct syc_page *page)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_loss *losses;
	const struct syscap_profile_map *maps;
	struct syscap_profile_span span;
	size_t n;

	syscap_profile_span(page->profile, &span);
	page->base = span.begin;
	processes = syscap_profile_processes(page->profile, &n);
	for (size_t i = 0; i < n; i++)
		begin_no_later(page, processes[i].begin);
	threads = syscap_profile_threads(page->profile, &n);
	for (size_t i = 0; i < n; i++)
		begin_no_later(page, threads[i].begin);
	losses = syscap_profile_losses(page->profile, &n);
	for (size_t i = 0; i < n; i++)
		begin_no_later(page, losses[i].begin);
	maps = syscap_profile_maps(page->profile, &n);
	for (size_t i = 0; i < n; i++)
		begin_no_later(page, maps[i].time);
}

static int write_bulk(struct syc_page *page)
{
	static int (*const writers[])(struct syc_page *) = {
		syc_page_write_samples,
		syc_page_write_other,
		syc_page_write_counters,
		syc_page_write_logs,
		syc_page_write_heap,
		syc_page_write_blocked,
		syc_page_write_stalled,
		syc_page_write_maps,
		syc_page_write_lines,
		/* Marks are last, since marks fill the remaining space. */
		syc_page_write_marks,
		syc_page_write_limits,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(writers) / sizeof(*writers);
	     i++)
		r = writers[i](page);
	return r == 0 ? syc_page_write_texts(page, "texts.more") : r;
}

static int write_page(struct syc_page *page)
{
	FILE *out = page->report->out;
	int r;

	page->pack.written = strlen(page_head) + strlen(page_script) + HEADS;
	fputs(page_head, out);
	fputs(page_body, out);
	r = syc_page_write_about(page);
	if (r == 0)
		r = syc_page_write_who(page);
	if (r == 0)
		r = syc_page_write_losses(page);
	if (r == 0)
		r = syc_page_write_functions(page);
	if (r == 0)
		r = syc_page_write_tree(page, "tree", page->view,
		                        &page->samples);
	if (r == 0)
		r = syc_page_write_texts(page, "texts");
	fputs("<script>", out);
	fputs(page_script, out);
	fputs("</script>\n", out);
	if (r == 0)
		r = syc_page_read_heap(page);
	if (r == 0)
		r = syc_page_read_waits(page);
	if (r == 0)
		r = syc_page_read_other(page);
	if (r == 0)
		r = syc_page_read_marks(page);
	if (r == 0)
		r = syc_page_fit(page);
	if (r == 0)
		r = write_bulk(page);
	fputs("</body></html>\n", out);
	return r < 0 ? r : page->error;
}

int syc_report_write(struct syc_report *report)
{
	struct syc_page page = {
		.report = report,
		.profile = report->profile,
		.view = report->view,
		.n_logs = SIZE_MAX,
	};
	int r = syc_preorder_init(&page.samples, report->view);

	if (r == 0 && report->heap != NULL)
		r = syc_preorder_init(&page.heap, report->heap);
	if (r == 0 && report->other_view != NULL)
		r = syc_preorder_init(&page.other, report->other_view);
	for (int kind = 0; kind < SYC_N_WAITS; kind++)
		if (r == 0 && report->waits[kind] != NULL)
			r = syc_preorder_init(&page.waiting[kind],
			                      report->waits[kind]);
	if (r == 0)
		r = order_samples(&page);
	syc_pack_init(&page.pack, report->out);
	find_base(&page);
	if (r == 0)
		r = write_page(&page);
	report->written = page.pack.written;
	syc_pack_fini(&page.pack);
	syc_preorder_fini(&page.samples);
	syc_preorder_fini(&page.heap);
	syc_preorder_fini(&page.other);
	for (int kind = 0; kind < SYC_N_WAITS; kind++) {
		syc_preorder_fini(&page.waiting[kind]);
		free(page.waits[kind].rows);
	}
	syc_heap_fini(&page.allocations);
	syc_mark_rows_free(page.marks);
	free(page.combined.rows);
	free(page.other_blocks.rows);
	free(page.lines.items);
	free(page.other_functions);
	free(page.order.items);
	syc_map_fini(&page.texts);
	return r;
}

#define EMBED(symbol, file)                            \
	__asm__(".pushsection .rodata\n" #symbol ":\n" \
	        ".incbin \"" file "\"\n"               \
	        ".byte 0\n"                            \
	        ".popsection\n")

EMBED(page_head, SYC_PAGE_FOLDER "/head.html");
EMBED(page_body, SYC_PAGE_FOLDER "/body.html");
EMBED(page_script, SYC_PAGE_FOLDER "/script.js");
