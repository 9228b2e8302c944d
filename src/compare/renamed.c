/* SPDX-License-Identifier: BSD-2-Clause */
/* renamed.c - functions whose binary is called otherwise on the other side. */
#define _GNU_SOURCE
#include "compare/renamed.h"

static bool has_any(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] > 0)
			return true;
	return false;
}

/* The sides that have it: 1 the base, 2 the new one. */
static unsigned sides_of(const struct syc_comparison *comparison,
                         const struct syc_compared *row)
{
	const size_t n_base = comparison->n_units[0];

	return (has_any(row->values, n_base) ? 1u : 0) |
	       (has_any(row->values + n_base, comparison->n_units[1]) ? 2u : 0);
}

/* What is called so and in one side only, of each side the last one. */
struct found {
	struct syc_compared *rows[2];
	size_t n[2];
};

/* The new side's name stays, the row of the base becomes empty. */
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

int syc_renamed_join(struct syc_comparison *comparison)
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
