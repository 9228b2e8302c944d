/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge.c - which rows differ, of many that are looked at.
 *
 * By Benjamini and Hochberg: of the rows that are said to differ one in 20 does
 * not, in the long run.  The intervals are as much wider, after Benjamini and
 * Yekutieli, and the same for all rows: so a row differs exactly if its
 * interval does not hold 1.  docs/decisions/0018 tells why.
 */
#include "compare/judge.h"

#define MISSED 0.05 /* of what is said to differ */

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* What each interval may miss. */
static double share_out(double *ps, size_t n)
{
	size_t n_differing = 0;

	if (n == 0)
		return MISSED;
	qsort(ps, n, sizeof(*ps), compare_doubles);
	for (size_t i = 0; i < n; i++)
		if (ps[i] < MISSED * (double)(i + 1) / (double)n)
			n_differing = i + 1;
	return MISSED * (double)(n_differing > 0 ? n_differing : 1) / (double)n;
}

/* Nothing that could be found to differ, however the units were dealt out to
 * the sides: it is no question, and must not make the others' answers weaker. */
static bool is_constant(const struct syc_comparison *comparison,
                        const struct syc_compared *row)
{
	const size_t n = comparison->n_units[0] + comparison->n_units[1];

	for (size_t i = 1; i < n; i++)
		if (row->values[i] != row->values[0])
			return false;
	return true;
}

static void compare(const struct syc_comparison *comparison,
                    struct syc_compared *row)
{
	const size_t n_base = comparison->n_units[0];
	struct syc_spread base, new;

	syc_spread_of(&base, row->values, n_base, row->step);
	syc_spread_of(&new, row->values + n_base, comparison->n_units[1],
	              row->step);
	syc_ratio_of(&row->ratio, &base, &new);
}

int syc_judge(struct syc_comparison *comparison)
{
	const size_t n = comparison->rows.n;
	double *ps = malloc((n + 1) * sizeof(*ps));

	if (ps == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct syc_compared *row = &comparison->rows.items[i];

		compare(comparison, row);
		if (row->ratio.is_known && !is_constant(comparison, row))
			ps[comparison->n_judged++] = row->ratio.p;
	}
	comparison->missed = share_out(ps, comparison->n_judged);
	free(ps);
	for (size_t i = 0; i < n; i++) {
		struct syc_compared *row = &comparison->rows.items[i];

		if (!row->ratio.is_known)
			continue;
		syc_ratio_interval(&row->ratio, comparison->missed, &row->low,
		                   &row->high);
		row->differs = row->ratio.p < comparison->missed;
		comparison->n_differing += row->differs;
	}
	return 0;
}
