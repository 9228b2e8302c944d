/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.h - what the files that write parts of a page share. */
#ifndef SYC_REPORT_WRITER_H
#define SYC_REPORT_WRITER_H

#include "data/array.h"
#include "data/map.h"
#include "report/asked.h"
#include "report/column.h"
#include "report/preorder.h"

struct syc_page {
	struct syc_report *report;
	struct syscap_profile *profile;
	const struct syscap_view *view;
	struct syc_pack pack;
	int64_t base; /* the time that all others are told from */
	struct syc_preorder samples, heap, other;
	/* By the other capture's numbers of functions, the page's. */
	uint32_t *other_functions;
	/* Of samples that passed, by time. */
	SYC_ARRAY(uint32_t) order;
	/* Texts by number; the first of them are written first. */
	struct syc_map texts;
	size_t n_texts_written;
	uint64_t n_text_bytes; /* of those that are not written yet */
	int error;             /* -ENOMEM, once there was one */
};

/** The number of @text, which is cleaned of names where that is asked for. */
uint32_t syc_page_text(struct syc_page *page, const char *text);

/**
 * @text with "~" for home folders and what a desktop mounted for somebody, and of
 * paths in them only the last name; to be freed.  NULL: no memory.
 */
char *syc_page_without_homes(const char *text);

/** Write the texts that are new since the last time, as column @name. */
int syc_page_write_texts(struct syc_page *page, const char *name);

/** @time as it is in the page. */
static inline uint64_t syc_page_time(const struct syc_page *page, int64_t time)
{
	return (uint64_t)time - (uint64_t)page->base;
}

/* Each writes its columns.  0 or -ENOMEM. */
int syc_page_write_about(struct syc_page *page);
int syc_page_write_who(struct syc_page *page);
int syc_page_write_tree(struct syc_page *page, const char *prefix,
                        const struct syscap_view *view,
                        const struct syc_preorder *order);
int syc_page_write_functions(struct syc_page *page);
int syc_page_write_samples(struct syc_page *page);
int syc_page_write_marks(struct syc_page *page);
/** @places: in the page, by number of a mark, or SYSCAP_PROFILE_NONE. */
int syc_page_write_links(struct syc_page *page, const uint32_t *places);
int syc_page_write_counters(struct syc_page *page);
int syc_page_write_logs(struct syc_page *page);
int syc_page_write_losses(struct syc_page *page);
int syc_page_write_other(struct syc_page *page);
int syc_page_write_heap(struct syc_page *page);
int syc_page_write_maps(struct syc_page *page);

/** The parts of the page that are no data: page/, joined. */
extern const char syc_page_head[], syc_page_body[], syc_page_script[];

#endif
