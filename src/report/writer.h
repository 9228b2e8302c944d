/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - state and functions shared by the files that write parts of a
 * page.
 */
#ifndef SYC_REPORT_WRITER_H
#define SYC_REPORT_WRITER_H

#include <syscap/profile.h>

#include "common/array.h"
#include "common/map.h"
#include "report/column.h"
#include "report/report.h"

struct syc_preorder {
	size_t n;
	uint32_t *nodes;   /* nodes of the view, in preorder */
	uint32_t *numbers; /* position in the preorder, by node of the view */
	uint32_t *depths;  /* depths, in preorder; the root has 0 */
};

/** Returns 0 or -ENOMEM. */
int syc_preorder_init(struct syc_preorder *order,
                      const struct syscap_view *view);
void syc_preorder_fini(struct syc_preorder *order);

struct syc_page {
	struct syc_report *report;
	struct syscap_profile *profile;
	const struct syscap_view *view;
	struct syc_pack pack;
	int64_t base; /* origin of all times */
	struct syc_preorder samples, heap, other;
	/* The page's number of each function of the other capture. */
	uint32_t *other_functions;
	/* Samples of the view, by time. */
	SYC_ARRAY(uint32_t) order;
	/* Texts by number, written in the order of their numbers. */
	struct syc_map texts;
	size_t n_texts_written;
	uint64_t n_text_bytes; /* bytes of texts not yet written */
	int error;             /* error; -ENOMEM after a failure */
};

/** The number of @text, which is redacted on request. */
uint32_t syc_page_text(struct syc_page *page, const char *text);

/**
 * Copy @text with "~" for home directories and a user's mounts.  Of paths in
 * such directories, only the last name stays.  The caller frees the result.
 * NULL: no memory.
 */
char *syc_page_without_homes(const char *text);

/** Write the texts added since the last call, as column @name. */
int syc_page_write_texts(struct syc_page *page, const char *name);

/** Convert @time to the form of the page. */
static inline uint64_t syc_page_time(const struct syc_page *page, int64_t time)
{
	return (uint64_t)time - (uint64_t)page->base;
}

/* Each function writes its columns.  Returns 0 or -ENOMEM. */
int syc_page_write_about(struct syc_page *page);
int syc_page_write_who(struct syc_page *page);
int syc_page_write_tree(struct syc_page *page, const char *prefix,
                        const struct syscap_view *view,
                        const struct syc_preorder *order);
int syc_page_write_functions(struct syc_page *page);
int syc_page_write_samples(struct syc_page *page);
int syc_page_write_marks(struct syc_page *page);
/** @places: place in the page, by number of a mark, or SYSCAP_PROFILE_NONE. */
int syc_page_write_links(struct syc_page *page, const uint32_t *places);
int syc_page_write_counters(struct syc_page *page);
int syc_page_write_logs(struct syc_page *page);
int syc_page_write_losses(struct syc_page *page);
int syc_page_write_other(struct syc_page *page);
int syc_page_write_heap(struct syc_page *page);
int syc_page_write_maps(struct syc_page *page);

/*
 * Choice of the marks that a page of bounded size holds, and bars for the
 * others.
 *
 * The slowest 1 % of each name come first, because a page serves to compare
 * slow marks with the others.  The longest mark of each name, thread and cell
 * of time follows, so a picture of the whole time stays the same.  The longest
 * marks of the others fill the rest of the page.  A bar stands for the
 * remaining marks of a cell: their number and total duration.
 */

struct syc_bar {
	int64_t first, last; /* times at which marks begin */
	uint64_t n, sum, least, most;
	uint32_t thread, name;
};

/** Statistics of all durations of one name, by nearest rank. */
struct syc_mark_sums {
	uint64_t n, sum, least, median, p99, most;
};

/** Get mark @number of @data. */
typedef struct syscap_profile_mark syc_fit_get(const void *data,
                                               uint32_t number);

struct syc_fit {
	syc_fit_get *get;
	const void *data;
	const uint32_t *by_time; /* all candidates for the page, by time */
	size_t n;
	uint32_t *ranked; /* the candidates, in order of preference */
	/* Flag of each place in @by_time: is kept. */
	unsigned char *is_kept;
	struct syc_mark_sums *sums; /* sums of each name */
	size_t n_cells;
	SYC_ARRAY(struct syc_bar) bars;
};

/**
 * @by_time: numbers of marks, by time, owned by the caller.  Omit no mark yet.
 * Returns 0 or -ENOMEM.
 */
int syc_fit_init(struct syc_fit *fit, syc_fit_get *get, const void *data,
                 const uint32_t *by_time, size_t n, size_t n_names);
void syc_fit_fini(struct syc_fit *fit);

/**
 * Keep the first @n_kept marks by rank; the other marks become bars.  Returns 0
 * or -ENOMEM.
 */
int syc_fit_keep(struct syc_fit *fit, size_t n_kept);

#endif
