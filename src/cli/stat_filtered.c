/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_filtered.c - marks, counters and logs of `syscap stat` under a filter:
 * of the model, which knows who and when.
 */
#include "cli/stat_filtered.h"

bool syc_stat_filtered_is(const struct syscap_filter *filter)
{
	return filter->has_from || filter->has_to || filter->pid != 0 ||
	       filter->thread != NULL;
}

static int add_marks(struct syc_stat_summary *summary,
                     const struct syscap_profile *profile,
                     const struct syscap_view *view)
{
	const struct syscap_profile_mark_name *names;
	const size_t n = syscap_profile_n_marks(profile);
	size_t ignored;
	int r = 0;

	names = syscap_profile_mark_names(profile, &ignored);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (syscap_view_has(view, mark.thread, mark.time))
			r = syc_mark_stats_add(
				&summary->marks, names[mark.name].group,
				names[mark.name].name, mark.duration);
	}
	return r;
}

static int add_values(struct syc_stat_summary *summary,
                      const struct syscap_profile *profile,
                      const struct syscap_view *view)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_counter *counters;
	struct syscap_profile_values values;
	size_t ignored;
	int r = 0;

	processes = syscap_profile_processes(profile, &ignored);
	counters = syscap_profile_counters(profile, &ignored);
	syscap_profile_values(profile, &values);
	for (size_t i = 0; r == 0 && i < values.n; i++) {
		const struct syscap_profile_counter *counter =
			&counters[values.counters[i]];

		if (syscap_view_has(view, values.threads[i], values.times[i]))
			r = syc_counter_stats_add(
				&summary->counters,
				processes[counter->process].pid, counter->id,
				values.times[i], values.bits[i]);
	}
	return r;
}

int syc_stat_filtered_add(struct syc_stat_summary *summary,
                          const struct syscap_profile *profile,
                          const struct syscap_view *view)
{
	const struct syscap_profile_log *logs;
	size_t n;
	int r;

	logs = syscap_profile_logs(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (syscap_view_has(view, logs[i].thread, logs[i].time))
			summary->logs[syc_severity_index(logs[i].severity)]++;
	r = add_marks(summary, profile, view);
	return r == 0 ? add_values(summary, profile, view) : r;
}
