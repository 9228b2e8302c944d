/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_counters.c - what the counters of a run were in the end, and at most. */
#include "cli/diff_counters.h"

#include <math.h>

#include "cli/counter_stats.h"

static bool passes(const struct syscap_filter *filter,
                   const struct syscap_frame *frame)
{
	return (filter->pid == 0 || filter->pid == frame->pid) &&
	       (!filter->has_from || frame->time >= filter->from) &&
	       (!filter->has_to || frame->time < filter->to);
}

/* What can't be read has been told by who read it first. */
static int read_values(struct syc_counter_stats *stats,
                       struct syscap_reader *reader,
                       const struct syscap_filter *filter)
{
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	syscap_reader_rewind(reader);
	while ((r = syscap_reader_next(reader, &frame, &error)) != 0) {
		if (r == -EILSEQ)
			continue;
		if (r < 0)
			break;
		r = 0;
		if (frame.type == SYSCAP_FRAME_CTRDEF)
			r = syc_counter_stats_define(stats, reader, &frame);
		else if (frame.type == SYSCAP_FRAME_CTRSET &&
		         passes(filter, &frame))
			r = syc_counter_stats_set(stats, reader, &frame);
		if (r < 0)
			return r;
	}
	return syc_counter_stats_finish(stats);
}

static double last_of(const struct syc_counter *counter)
{
	double value;

	if (!counter->definition->info.is_double)
		return (double)(int64_t)counter->values.last;
	memcpy(&value, &counter->values.last, sizeof(value));
	return value;
}

static double most_of(const struct syc_counter *counter)
{
	return counter->definition->info.is_double
	               ? counter->values.max_f64
	               : (double)counter->values.max_i64;
}

static int add_one(struct syc_comparison *comparison,
                   const struct syc_counter *counter, size_t unit)
{
	const struct syscap_counter_info *info = &counter->definition->info;
	const struct syc_compared_name name = { info->category, info->name };
	const double step = info->is_double ? 0 : 1;
	int r;

	if (!isfinite(last_of(counter)) || !isfinite(most_of(counter)))
		return 0;
	r = syc_comparison_add(comparison, SYC_MEASURE_LAST, &name, unit,
	                       last_of(counter), step);
	if (r == 0)
		r = syc_comparison_add(comparison, SYC_MEASURE_MAX, &name, unit,
		                       most_of(counter), step);
	return r;
}

int syc_diff_counters_add(struct syc_comparison *comparison,
                          struct syscap_reader *reader,
                          const struct syscap_filter *filter, size_t unit)
{
	struct syc_counter_stats stats = { 0 };
	int r = read_values(&stats, reader, filter);

	for (size_t i = 0; r == 0 && i < stats.result.n; i++)
		if (stats.result.items[i].definition != NULL &&
		    stats.result.items[i].values.count > 0)
			r = add_one(comparison, &stats.result.items[i], unit);
	syc_counter_stats_fini(&stats);
	return r;
}
