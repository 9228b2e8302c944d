/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - state and functions shared by the files that write parts of a
 * page.
 */
#ifndef SYC_REPORT_WRITER_H
#define SYC_REPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "profile/marks.h"
#include "report/report.h"

/*
 * Columns of numbers and texts, as inert scripts of a page.
 *
 *	<script type="application/octet-stream" data-name="sample.times"
 *		data-width="4" data-n="1000" data-bytes="4000">BASE64</script>
 *
 * Numbers are little-endian, of 1, 2, 4 or 8 bytes, the narrowest width for the
 * largest number.  Texts are UTF-8, each with a NUL at the end (width 0).  The
 * bytes are deflated, without a header of zlib or gzip, and then written in
 * base64.  So text from a capture is never markup: the page contains it only as
 * base64 characters.
 *
 * Without zlib, a column is valid, too, but larger.
 */

struct syc_pack {
	FILE *out;      /* output; NULL: the characters are only counted */
	void *deflater; /* state that is kept between runs; or NULL */
	size_t n_packed;
	uint64_t written; /* number of characters, over all runs */
	unsigned char packed[3 * 16384];
};

void syc_pack_init(struct syc_pack *pack, FILE *out);
void syc_pack_fini(struct syc_pack *pack);

/**
 * In each run, begin, add any number of values, and end.  Returns 0 or -ENOMEM.
 */
int syc_pack_begin(struct syc_pack *pack);
int syc_pack_add(struct syc_pack *pack, const void *bytes, size_t n);
int syc_pack_end(struct syc_pack *pack);

/** Value @i of a column.  Each value is requested more than once. */
typedef uint64_t syc_column_get(const void *data, size_t i);

/**
 * Each function returns 0 or -ENOMEM.  Errors of the output stay in its FILE.
 */
int syc_column_write(struct syc_pack *pack, const char *name, size_t n,
                     syc_column_get *get, const void *data);
int syc_column_write_u32(struct syc_pack *pack, const char *name, size_t n,
                         const uint32_t *numbers);
int syc_column_write_texts(struct syc_pack *pack, const char *name, size_t n,
                           const char *const *texts);

/** Write @width columns from @n rows of @width cells. */
int syc_column_write_table(struct syc_pack *pack, const char *const *names,
                           size_t width, size_t n, const uint64_t *cells);

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

/** Cells of time: a time is in cell (time + shift) / size. */
struct syc_cells {
	uint64_t size, shift; /* size 0: no cells */
	uint64_t last;        /* the time of the last row */
};

/** One event, or several combined events: samples, waits or allocations. */
struct syc_row {
	uint64_t time;
	uint64_t end;  /* 1 + the time of the free; 0: not freed */
	uint64_t size; /* bytes, ticks, or ns of a wait */
	uint32_t node, thread;
	uint32_t n; /* number of samples, waits or allocations */
	uint32_t is_temporary;
};

/** Bytes in use over time. */
struct syc_in_use {
	uint64_t begin, cell; /* start and duration of the cells */
	size_t n;
	uint64_t *values; /* least, largest and last of each cell */
};

struct syc_heap {
	struct syc_row *rows; /* rows by time */
	size_t n;
	size_t n_all;     /* number of allocations in the rows */
	size_t n_changes; /* allocations and frees */
	uint64_t peak_time;
	struct syc_cells cells; /* cells of combined rows */
	struct syc_in_use in_use;
};

/** Number of blocks of the compared capture. */
#define SYC_OTHER_BLOCKS 10

struct syc_combined {
	struct syc_row *rows; /* NULL: samples are not combined, or no waits */
	size_t n;
	struct syc_cells cells;
};

/** A source line of a function, with its amounts. */
struct syc_page_line {
	const char *path;
	uint32_t function, file, line; /* file: number of a text */
	uint64_t self, total;
};

struct syc_mark_rows;

struct syc_page {
	struct syc_report *report;
	struct syscap_profile *profile;
	const struct syscap_view *view;
	struct syc_pack pack;
	int64_t base; /* origin of all times */
	struct syc_preorder samples, heap, other;
	struct syc_preorder waiting[SYC_N_WAITS];
	/* The page's number of each function of the other capture. */
	uint32_t *other_functions;
	/* Samples of the view, by time. */
	SYC_ARRAY(uint32_t) order;
	/* Texts by number, written in the order of their numbers. */
	struct syc_map texts;
	size_t n_texts_written;
	uint64_t n_text_bytes; /* bytes of texts not yet written */
	/* While a part is measured, new texts that only this part needs. */
	struct syc_map *measured;
	struct syc_heap allocations;
	struct syc_combined combined; /* samples */
	struct syc_combined waits[SYC_N_WAITS];
	struct syc_combined other_blocks;
	SYC_ARRAY(struct syc_page_line) lines;
	struct syc_mark_rows *marks;
	/* Cells of the values of counters, ns; 0: the page has all values. */
	uint64_t value_cell;
	size_t n_values, n_all_values;
	/* At first the limit, later the number of log messages in the page. */
	size_t n_logs, n_all_logs;
	int error; /* error; -ENOMEM after a failure */
};

/** The number of @text, which is redacted on request. */
uint32_t syc_page_text(struct syc_page *page, const char *text);

/**
 * Copy @text with "~" for home directories and a user's mounts.  Paths in these
 * directories keep only the last name.  The caller frees the result.  Returns
 * NULL without memory.
 */
char *syc_page_without_homes(const char *text);

/** Write the texts added since the last call, as column @name. */
int syc_page_write_texts(struct syc_page *page, const char *name);

/** Convert @time to the form of the page. */
static inline uint64_t syc_page_time(const struct syc_page *page, int64_t time)
{
	return (uint64_t)time - (uint64_t)page->base;
}

/** The moment at which the page opens. */
struct syc_page_moment {
	char headline[200], window[64]; /* "FROM-TO" in ns.  Or "" */
	const char *label;
	uint64_t time;
	char *stack; /* allocated: names of functions by line.  Or NULL */
};

/** Find the first crash, a stall that did not end, or the end in flight mode.
 * Without any of these, the texts are empty.  Returns 0 or -ENOMEM. */
int syc_page_find_moment(const struct syc_page *page,
                         struct syc_page_moment *ret_moment);

/* Each function writes its columns.  Returns 0 or -ENOMEM. */
int syc_page_write_about(struct syc_page *page);
int syc_page_write_who(struct syc_page *page);
int syc_page_write_tree(struct syc_page *page, const char *prefix,
                        const struct syscap_view *view,
                        const struct syc_preorder *order);
int syc_page_write_functions(struct syc_page *page);
int syc_page_write_samples(struct syc_page *page);
int syc_page_write_marks(struct syc_page *page);
/**
 * @places: place in the page, by number of a mark, or SYSCAP_PROFILE_NONE.
 * @is_limited: the page lacks marks.
 */
int syc_page_write_links(struct syc_page *page, const uint32_t *places,
                         bool is_limited);
int syc_page_write_counters(struct syc_page *page);
int syc_page_write_logs(struct syc_page *page);
int syc_page_write_losses(struct syc_page *page);
int syc_page_write_other(struct syc_page *page);
int syc_page_write_heap(struct syc_page *page);
int syc_page_write_blocked(struct syc_page *page);
int syc_page_write_stalled(struct syc_page *page);
/**
 * Write the column @prefix.times: differences to the time before.  Combined
 * rows share few times.  @prefix.runs then has the number of rows of each time.
 */
int syc_page_write_times(struct syc_page *page, const char *prefix,
                         const struct syc_row *rows, size_t n,
                         const struct syc_cells *cells);
/** Write the columns @prefix.times, .threads, .nodes, .ticks and .counts. */
int syc_page_write_rows(struct syc_page *page, const char *prefix,
                        const struct syc_combined *combined);
int syc_page_write_maps(struct syc_page *page);
int syc_page_write_lines(struct syc_page *page);
/** Facts about omitted and combined events. */
int syc_page_write_limits(struct syc_page *page);

/** Sort by time. */
void syc_rows_sort(struct syc_row *rows, size_t n);

/**
 * Combine rows of one stack and one thread that begin in one cell of time and
 * end in one cell.  @rows are sorted by time before and afterwards.  @cells
 * consist of whole cells of the last call.  Returns 0 or -ENOMEM.
 */
int syc_rows_combine(struct syc_row *rows, size_t *n,
                     const struct syc_cells *cells);

/** Read allocations or samples into rows, one by one. */
int syc_page_read_heap(struct syc_page *page);
int syc_page_read_samples(struct syc_page *page);
int syc_page_read_waits(struct syc_page *page);
/** @view must be by line. */
int syc_page_read_lines(struct syc_page *page, const struct syscap_view *view);
int syc_page_read_other(struct syc_page *page);
void syc_heap_fini(struct syc_heap *heap);

/** Choose all marks of the page. */
int syc_page_read_marks(struct syc_page *page);
void syc_mark_rows_free(struct syc_mark_rows *rows);

/**
 * Get the number of characters of all marks, and of the marks that the page
 * keeps in preference to other events.
 */
int syc_page_measure_marks(struct syc_page *page, uint64_t *ret_all,
                           uint64_t *ret_least);

/** Get the number of characters that @write writes. */
int syc_page_measure(struct syc_page *page, int (*write)(struct syc_page *),
                     uint64_t *ret_size);

/** Combine or omit events until the page has the requested size. */
int syc_page_fit(struct syc_page *page);

/*
 * Choice of the marks that a page of bounded size holds, and bars for the other
 * marks.
 *
 * The slowest 1 % of each name come first, because a page serves to compare
 * slow marks with other marks.  The longest marks of all names come first, too.
 * The longest mark of each name, thread and cell of time follows, so a picture
 * of the whole time stays the same.  The longest of the remaining marks fill
 * the rest of the page.  A bar represents the omitted marks of a cell: their
 * number and total duration.
 */

struct syc_bar {
	int64_t first, last; /* times at which marks begin */
	uint64_t n, sum, least, most;
	uint32_t thread, name;
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
	size_t n_first;   /* number of the slowest and the longest */
	/* Flag of each place in @by_time: is kept. */
	unsigned char *is_kept;
	struct syc_duration_stats *stats; /* all marks of each name */
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

/** Write the statistics of all marks by name, including marks in the page. */
int syc_fit_write_stats(struct syc_page *page, const struct syc_fit *fit);

#endif
