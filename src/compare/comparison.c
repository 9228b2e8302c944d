/* SPDX-License-Identifier: BSD-2-Clause */
/* comparison.c - what two sides have of everything, and what of it differs. */
#define _GNU_SOURCE
#include "compare/comparison.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

#include "compare/judge.h"
#include "compare/renamed.h"

static size_t count_units(const struct syc_comparison *comparison)
{
	return comparison->n_units[0] + comparison->n_units[1];
}

void syc_comparison_fini(struct syc_comparison *comparison)
{
	for (size_t i = 0; i < comparison->rows.n; i++) {
		free((char *)comparison->rows.items[i].name.of);
		free(comparison->rows.items[i].values);
	}
	free(comparison->rows.items);
	free(comparison->totals);
	syc_map_fini(&comparison->keys);
}

/* Has a unit a value where nobody adds any, and is it 0? */
static bool is_sum(enum syc_measure measure)
{
	return measure <= SYC_MEASURE_COUNT;
}

/* Both texts with their ends, one behind the other. */
static int add_row(struct syc_comparison *comparison, enum syc_measure measure,
                   const char *texts, size_t len)
{
	struct syc_compared row = { .measure = measure };
	const size_t n = count_units(comparison);
	char *copy = malloc(len);

	row.values = malloc(n * sizeof(double));
	if (copy == NULL || row.values == NULL)
		goto fail;
	memcpy(copy, texts, len);
	row.name.of = copy;
	row.name.name = copy + strlen(copy) + 1;
	for (size_t i = 0; i < n; i++)
		row.values[i] = is_sum(measure) ? 0 : NAN;
	if (syc_array_push(&comparison->rows, row) == 0)
		return 0;
fail:
	free(copy);
	free(row.values);
	return -ENOMEM;
}

static int find_row(struct syc_comparison *comparison, enum syc_measure measure,
                    const struct syc_compared_name *name,
                    struct syc_compared **ret_row)
{
	const size_t of_size = strlen(name->of) + 1;
	const size_t name_size = strlen(name->name) + 1;
	char *key = malloc(1 + of_size + name_size);
	size_t number;
	int r;

	if (key == NULL)
		return -ENOMEM;
	key[0] = (char)measure;
	memcpy(key + 1, name->of, of_size);
	memcpy(key + 1 + of_size, name->name, name_size);
	r = syc_map_put(&comparison->keys, key, 1 + of_size + name_size,
	                &number);
	if (r > 0)
		r = add_row(comparison, measure, key + 1, of_size + name_size);
	free(key);
	if (r == 0)
		*ret_row = &comparison->rows.items[number];
	return r;
}

int syc_comparison_add(struct syc_comparison *comparison,
                       enum syc_measure measure,
                       const struct syc_compared_name *name, size_t unit,
                       double value, double step)
{
	struct syc_compared *row;
	int r = find_row(comparison, measure, name, &row);

	if (r < 0)
		return r;
	if (isnan(row->values[unit]))
		row->values[unit] = 0;
	row->values[unit] += value;
	if (row->step < step)
		row->step = step;
	return 0;
}

int syc_comparison_set_total(struct syc_comparison *comparison, size_t unit,
                             double total)
{
	if (comparison->totals == NULL)
		comparison->totals =
			calloc(count_units(comparison), sizeof(double));
	if (comparison->totals == NULL)
		return -ENOMEM;
	comparison->totals[unit] = total;
	return 0;
}

static double sum(const double *values, size_t n)
{
	double result = 0;

	for (size_t i = 0; i < n; i++)
		result += values[i];
	return result;
}

/* Of what a side's functions took; shares are of one unit each. */
static double share_of(const struct syc_comparison *comparison,
                       const struct syc_compared *row, unsigned side)
{
	const size_t from = side == 0 ? 0 : comparison->n_units[0];
	const size_t n = comparison->n_units[side];
	const double all = row->measure == SYC_MEASURE_SHARE
	                           ? (double)n
	                           : sum(comparison->totals + from, n);

	return all > 0 ? sum(row->values + from, n) / all : 0;
}

static bool is_worth_telling(const struct syc_comparison *comparison,
                             const struct syc_compared *row, double min_share)
{
	const size_t n = count_units(comparison);
	bool is_any = false;

	for (size_t i = 0; i < n; i++)
		is_any |= row->values[i] < 0 || row->values[i] > 0;
	if (!is_any || row->measure > SYC_MEASURE_SHARE)
		return is_any;
	return share_of(comparison, row, 0) >= min_share ||
	       share_of(comparison, row, 1) >= min_share;
}

static void leave_out(struct syc_comparison *comparison, double min_share)
{
	size_t kept = 0;

	for (size_t i = 0; i < comparison->rows.n; i++) {
		struct syc_compared *row = &comparison->rows.items[i];

		if (is_worth_telling(comparison, row, min_share)) {
			comparison->rows.items[kept++] = *row;
			continue;
		}
		free((char *)row->name.of);
		free(row->values);
	}
	comparison->rows.n = kept;
	/* Numbers are not what they were: nothing is added any more. */
	syc_map_fini(&comparison->keys);
	comparison->keys = (struct syc_map){ 0 };
}

static int kind_of(const struct syc_compared *row)
{
	return (row->measure >= SYC_MEASURE_COUNT) +
	       (row->measure >= SYC_MEASURE_LAST);
}

static double distance(const struct syc_compared *row)
{
	return fabs(row->ratio.new - row->ratio.base);
}

static int compare_rows(const void *left, const void *right)
{
	const struct syc_compared *a = left, *b = right;
	int order = kind_of(a) - kind_of(b);

	if (order == 0 && kind_of(a) == 0)
		order = (distance(a) < distance(b)) -
		        (distance(a) > distance(b));
	if (order == 0)
		order = strcmp(a->name.of, b->name.of);
	if (order == 0)
		order = strcmp(a->name.name, b->name.name);
	return order != 0 ? order : (int)a->measure - (int)b->measure;
}

int syc_comparison_settle(struct syc_comparison *comparison, double min_share)
{
	int r = syc_renamed_join(comparison);

	if (r < 0)
		return r;
	leave_out(comparison, min_share);
	r = syc_judge(comparison);
	if (r == 0 && comparison->rows.n > 0)
		qsort(comparison->rows.items, comparison->rows.n,
		      sizeof(*comparison->rows.items), compare_rows);
	return r;
}

static bool matches(const struct syc_compared *row, const char *glob)
{
	char *path;
	bool result;

	if (row->measure <= SYC_MEASURE_SHARE)
		return fnmatch(glob, row->name.name, 0) == 0;
	if (asprintf(&path, "%s/%s", row->name.of, row->name.name) < 0)
		return false;
	result = fnmatch(glob, path, 0) == 0;
	free(path);
	return result;
}

bool syc_comparison_exceeds(const struct syc_compared *row, double factor,
                            const char *glob)
{
	if (!row->differs || row->low <= factor ||
	    row->measure == SYC_MEASURE_COUNT)
		return false;
	return glob != NULL ? matches(row, glob)
	                    : row->measure < SYC_MEASURE_LAST;
}
