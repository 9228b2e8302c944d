/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_sort.c - the order of the rows of `syscap stat`. */
#define _GNU_SOURCE
#include "cli/stat_sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* As strcmp(), with the larger first. */
static int falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* As strcmp(), with the longer first. */
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
		order = falling(a->count, b->count);
		break;
	case SYC_STAT_SORT_P99:
		order = falling_time(a->p99, b->p99);
		break;
	case SYC_STAT_SORT_MAX:
		order = falling_time(a->max, b->max);
		break;
	case SYC_STAT_SORT_NAME:
		return by_mark_name(a, b);
	default:
		break;
	}
	if (order == 0)
		order = falling_time(a->total, b->total);
	return order != 0 ? order : by_mark_name(a, b);
}

void syc_stat_sort_marks(enum syc_stat_sort sort, struct syc_mark_stats *marks)
{
	if (sort >= SYC_STAT_SORT_COUNT && marks->marks.n > 0)
		qsort_r(marks->marks.items, marks->marks.n,
		        sizeof(*marks->marks.items), compare_marks, &sort);
}

/* Those without a definition have no name, and are last. */
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
