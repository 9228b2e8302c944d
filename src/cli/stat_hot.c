/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_hot.c - hot functions of all threads and of each, and row orders. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter_options.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/strings.h"

static const char *const keys[] = {
	[SYC_STAT_SORT_SELF] = "self",   [SYC_STAT_SORT_TOTAL] = "total",
	[SYC_STAT_SORT_COUNT] = "count", [SYC_STAT_SORT_P99] = "p99",
	[SYC_STAT_SORT_MAX] = "max",     [SYC_STAT_SORT_NAME] = "name",
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

bool syc_stat_sort_parse(const char *command, const char *text,
                         enum syc_stat_sort *ret_sort)
{
	for (size_t i = SYC_STAT_SORT_SELF; i < N_KEYS; i++)
		if (strcmp(text, keys[i]) == 0) {
			*ret_sort = (enum syc_stat_sort)i;
			return true;
		}
	fprintf(stderr,
	        "%s: --sort: expected self, total or name (functions), count, "
	        "total, p99, max or name (marks), or name (counters)\n",
	        command);
	return false;
}

/* Compare like strcmp(), the larger number first. */
static int falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Compare like strcmp(), the longer time first. */
static int falling_time(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int by_mark_name(const struct syc_mark *a, const struct syc_mark *b)
{
	const int order = strcmp(a->group, b->group);

	return order != 0 ? order : strcmp(a->name, b->name);
}

static int compare_marks(const void *left, const void *right, void *data)
{
	const enum syc_stat_sort *const sort = data;
	const struct syc_mark *a = left, *b = right;
	int order = 0;

	switch (*sort) {
	case SYC_STAT_SORT_COUNT:
		order = falling(a->sums.count, b->sums.count);
		break;
	case SYC_STAT_SORT_P99:
		order = falling_time(a->sums.p99, b->sums.p99);
		break;
	case SYC_STAT_SORT_MAX:
		order = falling_time(a->sums.max, b->sums.max);
		break;
	case SYC_STAT_SORT_NAME:
		return by_mark_name(a, b);
	default:
		break;
	}
	if (order == 0)
		order = falling_time(a->sums.total, b->sums.total);
	return order != 0 ? order : by_mark_name(a, b);
}

void syc_stat_sort_marks(enum syc_stat_sort sort, struct syc_mark_stats *marks)
{
	if (sort >= SYC_STAT_SORT_COUNT && marks->marks.n > 0)
		qsort_r(marks->marks.items, marks->marks.n,
		        sizeof(*marks->marks.items), compare_marks, &sort);
}

/* Counters without a definition have no name, and come last. */
static int compare_counters(const void *left, const void *right)
{
	const struct syc_counter *a = left, *b = right;
	int order = !a->definition - !b->definition;

	if (order == 0 && a->definition != NULL) {
		order = strcmp(a->definition->info.name,
		               b->definition->info.name);
		if (order == 0)
			order = strcmp(a->definition->info.category,
			               b->definition->info.category);
	}
	if (order == 0)
		order = (a->values.pid > b->values.pid) -
		        (a->values.pid < b->values.pid);
	return order != 0 ? order
	                  : (a->values.id > b->values.id) -
	                            (a->values.id < b->values.id);
}

void syc_stat_sort_counters(enum syc_stat_sort sort,
                            struct syc_counter_stats *counters)
{
	if (sort == SYC_STAT_SORT_NAME && counters->result.n > 0)
		qsort(counters->result.items, counters->result.n,
		      sizeof(*counters->result.items), compare_counters);
}

struct by {
	enum syc_stat_sort sort;
	const struct syscap_profile *profile;
};

static int compare_functions(const void *left, const void *right, void *data)
{
	const struct syscap_view_sum *a = left, *b = right;
	const struct syscap_profile_function *x, *y;
	const struct by *by = data;
	int order = 0;

	if (by->sort == SYC_STAT_SORT_TOTAL)
		order = falling(a->total, b->total);
	if (order == 0 && by->sort != SYC_STAT_SORT_NAME)
		order = falling(a->self, b->self);
	if (order != 0)
		return order;
	x = syscap_profile_function(by->profile, a->function);
	y = syscap_profile_function(by->profile, b->function);
	order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->binary, y->binary);
}

struct syscap_view_sum *
syc_stat_sort_functions(enum syc_stat_sort sort,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	struct by by = { sort, profile };
	struct syscap_view_sum *sums =
		malloc((view->n_sums + 1) * sizeof(*sums));

	if (sums == NULL)
		return NULL;
	memcpy(sums, view->sums, view->n_sums * sizeof(*sums));
	if (sort == SYC_STAT_SORT_TOTAL || sort == SYC_STAT_SORT_NAME)
		qsort_r(sums, view->n_sums, sizeof(*sums), compare_functions,
		        &by);
	return sums;
}

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

/* Names of C++ can be longer than a screen.  The output of --json has whole
 * names. */
#define NAME_WIDTH 64

/* Number of threads to show; further threads are counted. */
#define MOST_THREADS 16

void syc_stat_hot_format(enum syscap_view_unit unit, uint64_t amount,
                         char *text, size_t size)
{
	if (unit == SYSCAP_UNIT_BYTES)
		syc_size_format((double)amount, text, size);
	else if (unit == SYSCAP_UNIT_TICKS)
		snprintf(text, size, "%" PRIu64, amount);
	else
		syc_duration_format(amount < INT64_MAX ? (int64_t)amount
		                                       : INT64_MAX,
		                    text, size);
}

void syc_stat_hot_shorten(const char *name, char *text, size_t size)
{
	size_t n = 0, used = 0;
	uint32_t point;

	while (name[used] != 0 && n + 1 < NAME_WIDTH) {
		const size_t len = syc_utf8_next(name + used, &point);

		if (used + len + sizeof("…") > size)
			break;
		used += len;
		n++;
	}
	memcpy(text, name, used);
	text[used] = 0;
	if (name[used] != 0)
		memcpy(text + used, "…", sizeof("…"));
}

void syc_stat_hot_name(const struct syc_stat_hot *hot, uint32_t number,
                       char *text, size_t size)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(hot->profile, number);
	const char *mark = function->is_inlined ? " (inlined)" : "";

	syc_stat_hot_shorten(function->name, text, size - strlen(mark));
	strcat(text, mark);
}

static double percent(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static int print_functions(const struct syc_stat_hot *hot,
                           const struct syscap_view *view)
{
	static const struct syc_table_column columns[] = {
		{ "self", true }, { "", true },          { "total", true },
		{ "", true },     { "function", false }, { "binary", false },
	};
	struct syscap_view_sum *const sums =
		syc_stat_sort_functions(hot->sort, hot->profile, view);
	struct syc_table table;
	char text[300];
	size_t n;

	if (sums == NULL)
		return -ENOMEM;

	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (n = 0; n < view->n_sums && n < hot->n_functions; n++) {
		const struct syscap_view_sum *sum = &sums[n];
		const struct syscap_profile_function *function =
			syscap_profile_function(hot->profile, sum->function);

		syc_stat_hot_format(view->unit, sum->self, text, sizeof(text));
		syc_table_add(&table, "%s", text);
		syc_table_add(&table, "%.1f %%",
		              percent(sum->self, view->total));
		syc_stat_hot_format(view->unit, sum->total, text, sizeof(text));
		syc_table_add(&table, "%s", text);
		syc_table_add(&table, "%.1f %%",
		              percent(sum->total, view->total));
		syc_stat_hot_name(hot, sum->function, text, sizeof(text));
		syc_table_add_text(&table, text);
		syc_table_add_text(
			&table, function->binary[0] ? function->binary : "-");
	}
	const int r = syc_table_print(&table, stdout);
	syc_table_fini(&table);
	free(sums);
	if (n < view->n_sums)
		printf("  … and %zu more: --functions %zu\n", view->n_sums - n,
		       view->n_sums);
	return r;
}

static void print_selection(const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;

	if (!hot->is_filtered)
		return;
	printf("  %" PRIu64 " of %" PRIu64 " %s", view->n_passed,
	       view->n_looked,
	       syscap_view_of_name(hot->filter->of, view->n_looked));
	if (view->n_marks > 0)
		printf(", inside of %zu mark%s", view->n_marks,
		       syc_plural(view->n_marks));
	if (view->n_threadless_marks > 0)
		printf(" (%" PRIu64 " of no known thread: samples of all "
		       "threads of their processes)",
		       view->n_threadless_marks);
	putchar('\n');
}

int syc_stat_hot_of_thread(const struct syc_stat_hot *hot, uint32_t thread,
                           struct syscap_view **ret_view)
{
	struct syscap_filter filter = *hot->filter;

	filter.threads = &thread;
	filter.n_threads = 1;
	return syscap_view_new(hot->profile, &filter, ret_view, NULL);
}

static int compare(const void *left, const void *right)
{
	const struct syc_stat_rank *a = left, *b = right;

	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static bool passed(const struct syc_stat_hot *hot, size_t number)
{
	return (hot->view->passed[number / 64] >> number % 64 & 1) != 0;
}

/* The amount and the thread of row @row: a sample, wait or allocation. */
static uint64_t amount_of(const struct syc_stat_hot *hot, size_t row,
                          uint32_t *ret_thread)
{
	const struct syscap_profile_allocation *allocations;
	struct syscap_profile_samples samples;
	const struct syscap_profile_wait *waits;
	size_t n;

	switch (hot->filter->of) {
	case SYSCAP_VIEW_SAMPLES:
		syscap_profile_samples(hot->profile, &samples);
		*ret_thread = samples.threads[row];
		return samples.ticks[row] *
		       syscap_profile_tick(hot->profile, *ret_thread);
	case SYSCAP_VIEW_BLOCKED:
	case SYSCAP_VIEW_STALLED:
		waits = syscap_profile_waits(hot->profile, &n);
		*ret_thread = waits[row].thread;
		return (uint64_t)waits[row].duration;
	default:
		allocations = syscap_profile_allocations(hot->profile, &n);
		*ret_thread = allocations[row].thread;
		return (uint64_t)allocations[row].size;
	}
}

static size_t count_rows(const struct syc_stat_hot *hot)
{
	struct syscap_profile_samples samples;
	size_t n;

	switch (hot->filter->of) {
	case SYSCAP_VIEW_SAMPLES:
		syscap_profile_samples(hot->profile, &samples);
		return samples.n;
	case SYSCAP_VIEW_BLOCKED:
	case SYSCAP_VIEW_STALLED:
		syscap_profile_waits(hot->profile, &n);
		return n;
	default:
		syscap_profile_allocations(hot->profile, &n);
		return n;
	}
}

static void add_amounts(const struct syc_stat_hot *hot,
                        struct syc_stat_rank *ranks)
{
	const size_t n = count_rows(hot);
	uint32_t thread;

	for (size_t i = 0; i < n; i++) {
		if (!passed(hot, i))
			continue;
		const uint64_t amount = amount_of(hot, i, &thread);
		ranks[thread].amount += amount;
	}
}

int syc_stat_hot_rank(const struct syc_stat_hot *hot,
                      struct syc_stat_rank **ret_ranks, size_t *ret_n)
{
	struct syc_stat_rank *ranks;
	size_t n_threads, n = 0;

	syscap_profile_threads(hot->profile, &n_threads);
	ranks = calloc(n_threads + 1, sizeof(*ranks));
	if (ranks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n_threads; i++)
		ranks[i].thread = (uint32_t)i;
	add_amounts(hot, ranks);
	qsort(ranks, n_threads, sizeof(*ranks), compare);
	while (n < n_threads && ranks[n].amount > 0)
		n++;
	*ret_ranks = ranks;
	*ret_n = n;
	return 0;
}

static int print_thread(const struct syc_stat_hot *hot,
                        const struct syc_stat_rank *rank)
{
	const struct syscap_profile_process *process;
	const struct syscap_profile_thread *thread;
	struct syscap_view *view;
	char text[64];
	size_t n;
	int r;

	thread = &syscap_profile_threads(hot->profile, &n)[rank->thread];
	process = &syscap_profile_processes(hot->profile, &n)[thread->process];
	syc_stat_hot_format(hot->view->unit, rank->amount, text, sizeof(text));
	if (thread->tid < 0)
		syc_table_heading(stdout,
		                  "Unknown thread of %d %s: %s, %.1f %%",
		                  (int)process->pid, process->binary, text,
		                  percent(rank->amount, hot->view->total));
	else
		syc_table_heading(stdout, "Thread %d%s%s of %d %s: %s, %.1f %%",
		                  (int)thread->tid, thread->name[0] ? " " : "",
		                  thread->name, (int)process->pid,
		                  process->binary, text,
		                  percent(rank->amount, hot->view->total));
	r = syc_stat_hot_of_thread(hot, rank->thread, &view);
	if (r < 0)
		return r;
	r = print_functions(hot, view);
	syscap_view_free(view);
	return r;
}

static int print_threads(const struct syc_stat_hot *hot)
{
	struct syc_stat_rank *ranks;
	size_t n;
	int r = syc_stat_hot_rank(hot, &ranks, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < n && i < MOST_THREADS; i++)
		r = print_thread(hot, &ranks[i]);
	if (n > MOST_THREADS)
		printf("\n… and %zu more thread%s: --thread TID shows one\n",
		       n - MOST_THREADS, syc_plural(n - MOST_THREADS));
	free(ranks);
	return r;
}

static const char *of_what(const struct syc_stat_hot *hot)
{
	const enum syscap_view_of of = hot->filter->of;
	struct syscap_profile_heap heap;
	static const char *const names[] = {
		[SYSCAP_VIEW_SAMPLES] = "",
		[SYSCAP_VIEW_ALLOCATED] = " allocated",
		[SYSCAP_VIEW_LEAKED] = " leaked",
		[SYSCAP_VIEW_TEMPORARY] = " of temporary allocations",
		[SYSCAP_VIEW_BLOCKED] = " in calls that blocked",
		[SYSCAP_VIEW_STALLED] = " in which a loop stalled",
		[SYSCAP_VIEW_PEAK] = " in use at the peak",
	};

	syscap_profile_heap(hot->profile, &heap);
	if (of == SYSCAP_VIEW_LEAKED && heap.is_cut)
		return " not freed in this part of the recording";
	if (of == SYSCAP_VIEW_PEAK && heap.is_begin_cut)
		return " in use at the peak, without earlier allocations";
	return names[of];
}

int syc_stat_hot_text(const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	char text[64];
	int r;

	syc_stat_hot_format(view->unit, view->total, text, sizeof(text));
	if (view->unit == SYSCAP_UNIT_BYTES)
		syc_table_heading(stdout, "Hot functions: %s%s", text,
		                  of_what(hot));
	else
		syc_table_heading(
			stdout, "Hot functions: %s%s%s%s", text,
			view->unit == SYSCAP_UNIT_TICKS ? " " : " of ",
			syscap_view_unit_name(view->unit), of_what(hot));
	print_selection(hot);
	if (view->total == 0)
		return 0;
	r = print_functions(hot, view);
	if (r == 0 && hot->threads)
		r = print_threads(hot);
	return r;
}
