/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_slowest.c - marks one by one, the slowest first: when, which thread,
 * and how long of that it ran.
 *
 * Samples of processor time say nothing of a thread that waits.  But what they
 * weigh, against how long the mark took, says how long it waited.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/printable.h"
#include "cli/stat_hot.h"
#include "cli/table.h"

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

/* For so many marks their samples are looked for. */
#define MOST_LOOKED 1000u

struct slowest {
	const struct syc_stat_hot *hot;
	const struct syscap_profile_mark *marks;
	const struct syscap_profile_mark_name *names;
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	struct syscap_profile_span span;
	struct syscap_profile_samples samples;
	bool has_running; /* samples count the processor's time */
	size_t n;
};

static void begin(struct slowest *slowest, const struct syc_stat_hot *hot,
                  size_t most)
{
	const struct syscap_profile *profile = hot->profile;
	size_t n;

	slowest->hot = hot;
	slowest->marks = syscap_profile_marks(profile, &n);
	slowest->names = syscap_profile_mark_names(profile, &n);
	slowest->threads = syscap_profile_threads(profile, &n);
	slowest->processes = syscap_profile_processes(profile, &n);
	syscap_profile_span(profile, &slowest->span);
	syscap_profile_samples(profile, &slowest->samples);
	slowest->has_running =
		hot->view->unit == SYSCAP_UNIT_CPU_NS && slowest->samples.n > 0;
	slowest->n = hot->view->n_marks < most ? hot->view->n_marks : most;
}

/* What the samples of its thread weigh while @mark was under way. */
static uint64_t running(const struct slowest *slowest,
                        const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_samples *samples = &slowest->samples;
	uint64_t ticks = 0;

	for (size_t i = 0; i < samples->n; i++)
		if (samples->threads[i] == mark->thread &&
		    samples->times[i] >= mark->time &&
		    (uint64_t)samples->times[i] - (uint64_t)mark->time <
		            (uint64_t)mark->duration)
			ticks += samples->ticks[i];
	return ticks * syscap_profile_tick(slowest->hot->profile, mark->thread);
}

static void add_row(struct syc_table *table, const struct slowest *slowest,
                    const struct syscap_profile_mark *mark, bool is_looked)
{
	const struct syscap_profile_thread *thread =
		&slowest->threads[mark->thread];
	const struct syscap_profile_mark_name *name =
		&slowest->names[mark->name];
	const double begin = (double)slowest->span.begin;

	syc_table_add_duration(table, mark->duration);
	if (!slowest->has_running || !is_looked || thread->tid < 0)
		syc_table_add(table, "-");
	else
		syc_table_add_duration(table, (int64_t)running(slowest, mark));
	syc_table_add(table, "%+.6f s", ((double)mark->time - begin) / 1e9);
	syc_table_add(table, "%" PRId32,
	              slowest->processes[thread->process].pid);
	if (thread->tid < 0)
		syc_table_add(table, "-");
	else
		syc_table_add(table, "%" PRId32, thread->tid);
	syc_table_add_text(table, name->group);
	syc_table_add_text(table, name->name);
}

int syc_stat_slowest_text(const struct syc_stat_hot *hot, size_t most)
{
	static const struct syc_table_column columns[] = {
		{ "duration", true }, { "running", true }, { "at", true },
		{ "pid", true },      { "tid", true },     { "group", false },
		{ "name", false },
	};
	struct slowest slowest;
	struct syc_table table;
	int r;

	if (hot->view->n_marks == 0)
		return 0;
	begin(&slowest, hot, most);
	syc_table_heading(stdout, "Slowest marks");
	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (size_t i = 0; i < slowest.n; i++)
		add_row(&table, &slowest, &slowest.marks[hot->view->marks[i]],
		        i < MOST_LOOKED);
	r = syc_table_print(&table, stdout);
	syc_table_fini(&table);
	if (hot->view->n_marks > slowest.n)
		printf("  … and %zu more: --all\n",
		       hot->view->n_marks - slowest.n);
	return r;
}

void syc_stat_slowest_json(struct syc_json *json,
                           const struct syc_stat_hot *hot)
{
	struct slowest slowest;

	begin(&slowest, hot, SIZE_MAX);
	syc_json_key(json, "slowest_marks");
	syc_json_begin_array(json);
	for (size_t i = 0; i < slowest.n; i++) {
		const struct syscap_profile_mark *mark =
			&slowest.marks[hot->view->marks[i]];
		const struct syscap_profile_thread *thread =
			&slowest.threads[mark->thread];

		syc_json_begin_object(json);
		syc_json_member_text(json, "group",
		                     slowest.names[mark->name].group);
		syc_json_member_text(json, "name",
		                     slowest.names[mark->name].name);
		syc_json_member_integer(json, "time_ns", mark->time);
		syc_json_member_integer(json, "duration_ns", mark->duration);
		syc_json_key(json, "running_ns");
		if (slowest.has_running && i < MOST_LOOKED && thread->tid >= 0)
			syc_json_unsigned(json, running(&slowest, mark));
		else
			syc_json_null(json);
		syc_json_member_integer(json, "pid",
		                        slowest.processes[thread->process].pid);
		syc_json_member_tid(json, thread->tid);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}
