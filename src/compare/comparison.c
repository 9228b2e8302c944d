/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * comparison.c - all rows of two sides, and the rows that differ.
 *
 * The comparison matches functions whose binary has another name on the other
 * side.
 */
#define _GNU_SOURCE
#include "compare/comparison.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"

static bool has_any(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] > 0)
			return true;
	return false;
}

/* Bits of the sides that have the row: 1 for the base, 2 for the new side. */
static unsigned sides_of(const struct syc_comparison *comparison,
                         const struct syc_compared *row)
{
	const size_t n_base = comparison->n_units[0];

	return (has_any(row->values, n_base) ? 1u : 0) |
	       (has_any(row->values + n_base, comparison->n_units[1]) ? 2u : 0);
}

/* The last function of a name that only one side has, for each side. */
struct found {
	struct syc_compared *rows[2];
	size_t n[2];
};

/* The row keeps the new side's name, and the row of the base becomes empty. */
static void join(const struct syc_comparison *comparison,
                 struct syc_compared *base, struct syc_compared *new)
{
	for (size_t i = 0; i < comparison->n_units[0]; i++) {
		new->values[i] = base->values[i];
		base->values[i] = 0;
	}
	if (new->step < base->step)
		new->step = base->step;
}

static int compare_names(const void *left, const void *right)
{
	const struct syc_compared *const *a = left, *const *b = right;

	return strcmp((*a)->name.name, (*b)->name.name);
}

static void join_all(const struct syc_comparison *comparison,
                     struct syc_compared **rows, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *name = rows[i]->name.name;
		struct found found = { 0 };

		for (; i < n && strcmp(rows[i]->name.name, name) == 0; i++) {
			const unsigned sides = sides_of(comparison, rows[i]);

			if (sides != 1 && sides != 2)
				continue;
			found.rows[sides - 1] = rows[i];
			found.n[sides - 1]++;
		}
		if (found.n[0] == 1 && found.n[1] == 1)
			join(comparison, found.rows[0], found.rows[1]);
	}
}

/*
 * Make one row of a function that moved from a binary of the base to a binary
 * of the new side.  The name of the function must have exactly one pair of
 * binaries.  Returns 0 or -ENOMEM.
 */
static int renamed_join(struct syc_comparison *comparison)
{
	struct syc_compared **rows = malloc((comparison->rows.n + 1) *
	                                    sizeof(struct syc_compared *));
	size_t n = 0;

	if (rows == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->rows.n; i++)
		if (comparison->rows.items[i].measure <= SYC_MEASURE_SHARE)
			rows[n++] = &comparison->rows.items[i];
	qsort(rows, n, sizeof(struct syc_compared *), compare_names);
	join_all(comparison, rows, n);
	free(rows);
	return 0;
}

static size_t count_units(const struct syc_comparison *comparison)
{
	return comparison->n_units[0] + comparison->n_units[1];
}

void syc_comparison_fini(struct syc_comparison *comparison)
{
	for (size_t i = 0; i < comparison->rows.n; i++) {
		free(syc_unconst(comparison->rows.items[i].name.of));
		free(comparison->rows.items[i].values);
	}
	free(comparison->rows.items);
	free(comparison->totals);
	syc_map_fini(&comparison->keys);
}

/* Return whether a unit without a value counts as 0. */
static bool is_sum(enum syc_measure measure)
{
	return measure <= SYC_MEASURE_COUNT;
}

/* @texts: binary and name with their NULs, one after the other. */
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

/* The share of @row in the total of all functions of @side. */
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
		free(syc_unconst(row->name.of));
		free(row->values);
	}
	comparison->rows.n = kept;
	/*
	 * Dropping rows changes the numbers of rows, so no more values may be
	 * added.
	 */
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
	int r = renamed_join(comparison);

	if (r < 0)
		return r;
	leave_out(comparison, min_share);
	r = syc_significance(comparison);
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

bool syc_comparison_is_checked(const struct syc_compared *row, const char *glob)
{
	if (row->measure == SYC_MEASURE_COUNT)
		return false;
	return glob != NULL ? matches(row, glob)
	                    : row->measure < SYC_MEASURE_LAST;
}

bool syc_comparison_exceeds(const struct syc_compared *row, double factor,
                            const char *glob)
{
	return row->differs && row->low > factor &&
	       syc_comparison_is_checked(row, glob);
}
