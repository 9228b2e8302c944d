/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_json.c - `syscap stat --json`: the summary as one object. */
#include <math.h>
#include <string.h>

#include "cli/stat_summary.h"
#include "data/json.h"

static void write_frames(struct sc_json *json,
                         const struct sc_stat_summary *summary)
{
	sc_json_key(json, "frames");
	sc_json_begin_object(json);
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++)
		if (summary->frames[type])
			sc_json_member_unsigned(
				json, syscap_frame_type_name((uint8_t)type),
				summary->frames[type]);
	if (summary->frames[0])
		sc_json_member_unsigned(json, "unknown", summary->frames[0]);
	sc_json_end_object(json);
}

static void write_lost(struct sc_json *json, const struct sc_loss_stats *losses)
{
	sc_json_key(json, "lost");
	sc_json_begin_object(json);
	sc_json_member_unsigned(json, "frames", losses->sum.total);
	sc_json_member_unsigned(json, "bytes", losses->sum.bytes);
	sc_json_key(json, "threads");
	sc_json_begin_array(json);
	for (size_t i = 0; i < losses->threads.n; i++) {
		const struct sc_thread_loss *thread = &losses->threads.items[i];

		sc_json_begin_object(json);
		sc_json_member_integer(json, "pid", thread->pid);
		sc_json_member_tid(json, thread->tid);
		sc_json_member_unsigned(json, "frames", thread->frames);
		sc_json_member_integer(json, "from_ns", thread->from);
		sc_json_member_integer(json, "to_ns", thread->to);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
	sc_json_key(json, "types");
	sc_json_begin_object(json);
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (losses->sum.frames[type])
			sc_json_member_unsigned(json, sc_loss_record_kind(type),
			                        losses->sum.frames[type]);
	sc_json_end_object(json);
	sc_json_end_object(json);
}

static void write_samples(struct sc_json *json,
                          const struct sc_sample_stats *samples)
{
	sc_json_key(json, "samples");
	sc_json_begin_object(json);
	sc_json_member_unsigned(json, "count", samples->count);
	sc_json_member_unsigned(json, "weight", samples->weight);
	sc_json_member_unsigned(json, "cut", samples->cut);
	sc_json_member_unsigned(json, "stopped", samples->stopped);
	sc_json_end_object(json);
}

static void write_processes(struct sc_json *json,
                            const struct sc_process_list *processes)
{
	sc_json_key(json, "processes");
	sc_json_begin_array(json);
	for (size_t i = 0; i < processes->processes.n; i++) {
		const struct sc_listed_process *process =
			&processes->processes.items[i];

		sc_json_begin_object(json);
		sc_json_member_integer(json, "pid", process->pid);
		sc_json_member_text(json, "cmdline", process->cmdline);
		sc_json_key(json, "threads");
		sc_json_begin_array(json);
		for (size_t t = 0; t < process->threads.n; t++)
			sc_json_integer(json, process->threads.items[t]);
		sc_json_end_array(json);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_marks(struct sc_json *json, const struct sc_mark_stats *marks)
{
	sc_json_key(json, "marks");
	sc_json_begin_array(json);
	for (size_t i = 0; i < marks->marks.n; i++) {
		const struct sc_mark *mark = &marks->marks.items[i];

		sc_json_begin_object(json);
		sc_json_member_text(json, "group", mark->group);
		sc_json_member_text(json, "name", mark->name);
		sc_json_member_unsigned(json, "count", mark->count);
		sc_json_member_integer(json, "min_ns", mark->min);
		sc_json_member_integer(json, "mean_ns", mark->mean);
		sc_json_member_integer(json, "median_ns", mark->median);
		sc_json_member_integer(json, "p99_ns", mark->p99);
		sc_json_member_integer(json, "max_ns", mark->max);
		sc_json_member_integer(json, "total_ns", mark->total);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_values(struct sc_json *json, bool is_double,
                         const struct sc_counter_values *values)
{
	static const char *const keys[] = { "last", "min", "max" };
	const int64_t integers[] = { (int64_t)values->last, values->min_i64,
		                     values->max_i64 };
	double doubles[] = { NAN, values->min_f64, values->max_f64 };

	memcpy(&doubles[0], &values->last, sizeof(values->last));
	for (unsigned i = 0; i < 3; i++) {
		sc_json_key(json, keys[i]);
		if (values->count == 0)
			sc_json_null(json);
		else if (is_double)
			sc_json_double(json, doubles[i]);
		else
			sc_json_integer(json, integers[i]);
	}
}

static void write_counters(struct sc_json *json,
                           const struct sc_counter_stats *counters)
{
	sc_json_key(json, "counters");
	sc_json_begin_array(json);
	for (size_t i = 0; i < counters->result.n; i++) {
		const struct sc_counter *counter = &counters->result.items[i];
		const struct syscap_counter_info *info =
			counter->definition ? &counter->definition->info : NULL;
		const bool is_double = info && info->is_double;

		sc_json_begin_object(json);
		sc_json_member_integer(json, "pid", counter->values.pid);
		sc_json_member_unsigned(json, "id", counter->values.id);
		sc_json_member_text(json, "category",
		                    info ? info->category : NULL);
		sc_json_member_text(json, "name", info ? info->name : NULL);
		sc_json_member_text(json, "type",
		                    is_double ? "double" : "int64");
		sc_json_member_unsigned(json, "count", counter->values.count);
		write_values(json, is_double, &counter->values);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_heap(struct sc_json *json, const struct sc_stat_hot *hot)
{
	struct syscap_profile_heap heap;

	syscap_profile_heap(hot->profile, &heap);
	if (heap.n_allocations + heap.n_frees == 0)
		return;
	sc_json_key(json, "heap");
	sc_json_begin_object(json);
	sc_json_member_unsigned(json, "allocations", heap.n_allocations);
	sc_json_member_unsigned(json, "bytes", heap.bytes);
	sc_json_member_unsigned(json, "frees", heap.n_frees);
	sc_json_member_unsigned(json, "leaked", heap.n_leaked);
	sc_json_member_unsigned(json, "leaked_bytes", heap.leaked);
	sc_json_member_unsigned(json, "temporary", heap.n_temporary);
	sc_json_member_unsigned(json, "temporary_bytes", heap.temporary);
	sc_json_member_unsigned(json, "peak_bytes", heap.peak);
	sc_json_member_integer(json, "peak_ns", heap.peak_time);
	sc_json_end_object(json);
}

int sc_stat_json(const struct sc_stat_summary *summary,
                 const struct sc_stat_hot *hot)
{
	struct sc_json json = { .out = stdout };
	int r = 0;

	sc_json_begin_object(&json);
	sc_json_member_integer(&json, "duration_ns",
	                       sc_stat_summary_duration(summary));
	write_frames(&json, summary);
	write_lost(&json, &summary->losses);
	write_processes(&json, &summary->processes);
	write_marks(&json, &summary->marks);
	write_counters(&json, &summary->counters);
	sc_json_key(&json, "logs");
	sc_json_begin_object(&json);
	for (unsigned i = 0; i < SC_SEVERITIES; i++)
		if (summary->logs[i])
			sc_json_member_unsigned(&json, sc_severity_name(i),
			                        summary->logs[i]);
	sc_json_end_object(&json);
	sc_json_member_integer(&json, "begin_ns", summary->begin);
	sc_json_member_integer(&json, "end_ns", summary->end);
	sc_json_member_bool(&json, "is_finished", summary->info.end != 0);
	sc_json_member_unsigned(&json, "damaged_frames", summary->n_damaged);
	sc_json_member_unsigned(&json, "merged_frames",
	                        summary->info.merged_frames);
	write_samples(&json, &summary->samples);
	write_heap(&json, hot);
	if (hot->view->n_looked > 0)
		r = sc_stat_hot_json(&json, hot);
	if (r == 0 && hot->view->n_marks > 0)
		sc_stat_slowest_json(&json, hot);
	sc_json_end_object(&json);
	sc_json_end_line(&json);
	return r;
}
