/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * observe_events.c - marks of one unit, by number and duration; last and
 * largest counter values.
 *
 * Percentiles are by nearest rank, as in `stat`: the smallest duration that is
 * not exceeded by at least that share of all marks.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sort.h"
#include "compare/comparison.h"
#include "profile/filter.h"

/* The durations of each name, from one array. */
struct durations {
	size_t n_names;
	size_t *begins; /* beginning of each name's durations, and the end of
	                 * the last */
	int64_t *items;
};

/* Two passes over the marks: the first counts, the second stores. */
static int collect_durations(struct durations *durations,
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

		if (!mark.is_end &&
		    syc_filter_passes(filter, profile, mark.thread, mark.time))
			ends[mark.name + 1]++;
	}
	for (size_t i = 0; i < durations->n_names; i++)
		ends[i + 1] += ends[i];
	/* Each end is now the beginning of the next name. */
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (!mark.is_end &&
		    syc_filter_passes(filter, profile, mark.thread, mark.time))
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
	r = collect_durations(&durations, profile, &filter);
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

/* Values of one definition, which several ids of a process may have. */
struct values {
	bool has_any;
	int64_t last_time;
	double last, most;
};

static double to_double(const struct syscap_profile_counter *counter,
                        uint64_t bits)
{
	double value;

	if (!counter->is_double)
		return (double)(int64_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Rings are drained in any order, so the latest value need not be the last in
 * the file. */
static void take(struct values *values, int64_t time, double value)
{
	if (!values->has_any || time >= values->last_time) {
		values->last_time = time;
		values->last = value;
	}
	if (!values->has_any || !(value <= values->most))
		values->most = isnan(value) ? values->most : value;
	values->has_any = true;
}

static int collect_values(const struct syscap_profile *profile,
                          const struct syscap_view *view,
                          struct syscap_reader *reader,
                          struct values *of_counters)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t n;
	int r;

	counters = syscap_profile_counters(profile, &n);
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		of_counters[i].most = -INFINITY;
	r = syscap_profile_walk_new(profile, reader, &walk);
	if (r < 0)
		return r;
	while ((r = syscap_profile_walk_value(walk, &value)) > 0) {
		const uint32_t number = counters[value.counter].shown_as;

		if (syscap_view_has(view, value.thread, value.time))
			take(&of_counters[number], value.time,
			     to_double(&counters[number], value.bits));
	}
	syscap_profile_walk_free(walk);
	return r;
}

static int add_one(const struct syc_observed *observed,
                   const struct syscap_profile_counter *counter,
                   const struct values *values)
{
	const struct syc_compared_name name = { counter->category,
		                                counter->name };
	const double step = counter->is_double ? 0 : 1;
	int r;

	if (!isfinite(values->last) || !isfinite(values->most))
		return 0;
	r = syc_comparison_add(observed->comparison, SYC_MEASURE_LAST, &name,
	                       observed->unit, values->last, step);
	if (r == 0)
		r = syc_comparison_add(observed->comparison, SYC_MEASURE_MAX,
		                       &name, observed->unit, values->most,
		                       step);
	return r;
}

int syc_observe_counters(const struct syc_observed *observed,
                         const struct syscap_view *view,
                         struct syscap_reader *reader)
{
	const struct syscap_profile_counter *counters;
	struct values *values;
	size_t n;
	int r;

	counters = syscap_profile_counters(observed->profile, &n);
	values = calloc(n + 1, sizeof(*values));
	if (values == NULL)
		return -ENOMEM;
	r = collect_values(observed->profile, view, reader, values);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (counters[i].is_defined && values[i].has_any)
			r = add_one(observed, &counters[i], &values[i]);
	free(values);
	return r;
}
