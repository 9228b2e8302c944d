/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * observe_marks.c - how many marks there are in one unit, and how long.
 *
 * Percentiles are by nearest rank, as those of `stat` are: the smallest
 * duration that at least such a share of all does not exceed.
 */
#include "compare/observe.h"
#include "data/rank.h"
#include "profile/filter.h"

/* The durations of each name, from one array. */
struct durations {
	size_t n_names;
	size_t *begins; /* by name, and the end of the last */
	int64_t *items;
};

/* Twice over the marks: count, then place. */
static int collect(struct durations *durations,
                   const struct syscap_profile *profile,
                   const struct syc_filter *filter)
{
	const size_t n = syscap_profile_n_marks(profile);
	size_t *ends;

	durations->begins = calloc(durations->n_names + 2, sizeof(size_t));
	durations->items = malloc((n + 1) * sizeof(int64_t));
	if (durations->begins == NULL || durations->items == NULL)
		return -ENOMEM;
	ends = durations->begins + 1;
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (syc_filter_passes(filter, profile, mark.thread, mark.time))
			ends[mark.name + 1]++;
	}
	for (size_t i = 0; i < durations->n_names; i++)
		ends[i + 1] += ends[i];
	/* What is an end now has been the next one's begin. */
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (syc_filter_passes(filter, profile, mark.thread, mark.time))
			durations->items[ends[mark.name]++] = mark.duration;
	}
	return 0;
}

static int add_name(const struct syc_observed *observed,
                    const struct syscap_profile_mark_name *mark, int64_t *items,
                    size_t n)
{
	static const struct {
		enum syc_measure measure;
		unsigned percent;
	} percentiles[] = { { SYC_MEASURE_P50, 50 },
		            { SYC_MEASURE_P90, 90 },
		            { SYC_MEASURE_P99, 99 } };
	const struct syc_compared_name name = { mark->group, mark->name };
	int r = syc_comparison_add(
		observed->comparison, SYC_MEASURE_COUNT, &name, observed->unit,
		(double)n * observed->scale, observed->scale);

	for (unsigned i = 0; r == 0 && i < 3; i++)
		r = syc_comparison_add(
			observed->comparison, percentiles[i].measure, &name,
			observed->unit,
			(double)syc_rank_percentile(items, n,
		                                    percentiles[i].percent),
			1);
	return r;
}

int syc_observe_marks(const struct syc_observed *observed,
                      struct syscap_error *error)
{
	const struct syscap_profile *profile = observed->profile;
	const struct syscap_profile_mark_name *names;
	struct durations durations = { 0 };
	struct syc_filter filter;
	int r = syc_filter_init(&filter, profile, observed->filter, error);

	if (r < 0)
		return r;
	names = syscap_profile_mark_names(profile, &durations.n_names);
	r = collect(&durations, profile, &filter);
	for (size_t i = 0; r == 0 && i < durations.n_names; i++) {
		const size_t begin = durations.begins[i];
		const size_t n = durations.begins[i + 1] - begin;

		if (n > 0)
			r = add_name(observed, &names[i],
			             durations.items + begin, n);
	}
	free(durations.begins);
	free(durations.items);
	syc_filter_fini(&filter);
	return r;
}
