/* SPDX-License-Identifier: BSD-2-Clause */
/* observe_counters.c - what the counters of a run were in the end, and at
 * most. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/observe.h"

/* Of one definition, which several ids of a process may go by. */
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

/* Rings are drained in any order: the latest is not the last. */
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

static int collect(const struct syscap_profile *profile,
                   const struct syscap_view *view, struct syscap_reader *reader,
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
	r = collect(observed->profile, view, reader, values);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (counters[i].is_defined && values[i].has_any)
			r = add_one(observed, &counters[i], &values[i]);
	free(values);
	return r;
}
