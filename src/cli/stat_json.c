/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_json.c - `syscap stat --json`: the summary, hot functions, threads and
 * the tree.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stat_summary.h"
#include "common/json.h"
#include "export/export.h"

/*
 * Maximum of threads whose functions are shown: each thread takes a walk over
 * all samples.
 */
#define MOST_VIEWED 256
#define MOST_FRAMES 512 /* of the crash's stack */

void syc_unsampled_json(struct syc_json *json, const char *key,
                        const struct syscap_profile_unsampled *unsampled)
{
	syc_json_key(json, key);
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "threads", unsampled->n_threads);
	syc_json_key(json, "cpu_ns");
	if (unsampled->has_cpu)
		syc_json_unsigned(json, unsampled->missing_ns);
	else
		syc_json_null(json);
	syc_json_member_bool(json, "is_misleading", unsampled->is_misleading);
	syc_json_end_object(json);
}

const char *syc_stat_hot_unit_key(enum syscap_view_unit unit)
{
	static const char *const keys[] = {
		[SYSCAP_UNIT_TICKS] = "ticks",
		[SYSCAP_UNIT_CPU_NS] = "cpu_ns",
		[SYSCAP_UNIT_WALL_NS] = "wall_ns",
		[SYSCAP_UNIT_MIXED_NS] = "mixed_ns",
		[SYSCAP_UNIT_BYTES] = "bytes",
	};

	return keys[unit];
}

void syc_stat_hot_function_json(struct syc_json *json,
                                const struct syc_stat_hot *hot, uint32_t number)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(hot->profile, number);

	syc_json_member_text(json, "name", function->name);
	syc_json_member_text(json, "binary",
	                     function->binary[0] ? function->binary : NULL);
	syc_json_member_text(json, "category",
	                     syc_category_name(function->category));
	syc_json_member_bool(json, "is_named", function->is_named);
	syc_json_member_bool(json, "is_inlined", function->is_inlined);
}

static int write_sums(struct syc_json *json, const struct syc_stat_hot *hot,
                      const struct syscap_view *view)
{
	struct syscap_view_sum *const sums =
		syc_stat_sort_functions(hot->sort, hot->profile, view);

	if (sums == NULL)
		return -ENOMEM;
	syc_json_key(json, "functions");
	syc_json_begin_array(json);
	for (size_t i = 0; i < view->n_sums && i < hot->n_functions; i++) {
		syc_json_begin_object(json);
		syc_stat_hot_function_json(json, hot, sums[i].function);
		syc_json_member_unsigned(json, "self", sums[i].self);
		syc_json_member_unsigned(json, "total", sums[i].total);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	free(sums);
	return 0;
}

/* Write fields that need a view of the thread. */
static int write_view(struct syc_json *json, const struct syc_stat_hot *hot,
                      uint32_t number)
{
	struct syscap_view *view;
	int r = syc_stat_hot_of_thread(hot, number, &view);

	if (r < 0)
		return r;
	syc_json_member_unsigned(json, "samples", view->n_passed);
	syc_json_member_unsigned(json, "ticks", view->ticks);
	r = write_sums(json, hot, view);
	syscap_view_free(view);
	return r;
}

static int write_thread(struct syc_json *json, const struct syc_stat_hot *hot,
                        const struct syc_stat_rank *rank, bool is_busy)
{
	const struct syscap_profile_process *process;
	const struct syscap_profile_thread *thread;
	size_t n;
	int r = 0;

	thread = &syscap_profile_threads(hot->profile, &n)[rank->thread];
	process = &syscap_profile_processes(hot->profile, &n)[thread->process];
	syc_json_begin_object(json);
	syc_json_member_integer(json, "pid", process->pid);
	syc_json_member_tid(json, thread->tid);
	syc_json_member_text(json, "name",
	                     thread->name[0] ? thread->name : NULL);
	syc_json_member_unsigned(json, "total", rank->amount);
	if (is_busy)
		r = write_view(json, hot, rank->thread);
	syc_json_end_object(json);
	return r;
}

static int write_threads(struct syc_json *json, const struct syc_stat_hot *hot)
{
	struct syc_stat_rank *ranks;
	size_t n;
	int r = syc_stat_hot_rank(hot, &ranks, &n);

	if (r < 0)
		return r;
	syc_json_key(json, "threads");
	syc_json_begin_array(json);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = write_thread(json, hot, &ranks[i], i < MOST_VIEWED);
	syc_json_end_array(json);
	free(ranks);
	return r;
}

/* Write the tree, parents before their children. */
static void write_tree(struct syc_json *json, const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;

	syc_json_key(json, "tree");
	syc_json_begin_array(json);
	for (size_t i = 1; i < view->n_nodes; i++) {
		syc_json_begin_object(json);
		syc_json_member_unsigned(json, "id", i);
		syc_json_member_unsigned(json, "parent", view->parents[i]);
		syc_stat_hot_function_json(json, hot, view->functions[i]);
		syc_json_member_unsigned(json, "self", view->selfs[i]);
		syc_json_member_unsigned(json, "total", view->totals[i]);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

/* Write members of the open object.  Returns 0 or -ENOMEM. */
static int stat_hot_json(struct syc_json *json, const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	int r;

	syc_json_key(json, "hot");
	syc_json_begin_object(json);
	syc_json_member_text(json, "unit", syc_stat_hot_unit_key(view->unit));
	syc_json_member_unsigned(json, "total", view->total);
	syc_json_member_unsigned(json, "ticks", view->ticks);
	syc_json_member_unsigned(json, "recording", view->recording);
	syc_json_member_unsigned(json, "recording_memory",
	                         view->recording_memory);
	syc_json_member_unsigned(json, "samples", view->n_passed);
	syc_json_member_unsigned(json, "samples_looked_at", view->n_looked);
	syc_json_member_unsigned(json, "marks", view->n_marks);
	syc_json_member_unsigned(json, "threadless_marks",
	                         view->n_threadless_marks);
	r = write_sums(json, hot, view);
	if (r == 0 && hot->threads)
		r = write_threads(json, hot);
	if (hot->tree)
		write_tree(json, hot);
	syc_json_end_object(json);
	return r;
}

static void write_frames(struct syc_json *json,
                         const struct syc_stat_summary *summary)
{
	syc_json_key(json, "frames");
	syc_json_begin_object(json);
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++)
		if (summary->frames[type])
			syc_json_member_unsigned(
				json, syscap_frame_type_name((uint8_t)type),
				summary->frames[type]);
	if (summary->frames[0])
		syc_json_member_unsigned(json, "unknown", summary->frames[0]);
	syc_json_end_object(json);
}

static void write_lost(struct syc_json *json,
                       const struct syc_loss_stats *losses, size_t most)
{
	syc_json_key(json, "lost");
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "frames", losses->sum.total);
	syc_json_member_unsigned(json, "bytes", losses->sum.bytes);
	syc_json_key(json, "threads");
	syc_json_begin_array(json);
	for (size_t i = 0; i < losses->threads.n && i < most; i++) {
		const struct syc_thread_loss *thread =
			&losses->threads.items[i];

		syc_json_begin_object(json);
		syc_json_member_integer(json, "pid", thread->pid);
		syc_json_member_tid(json, thread->tid);
		syc_json_member_unsigned(json, "frames", thread->frames);
		syc_json_member_integer(json, "from_ns", thread->from);
		syc_json_member_integer(json, "to_ns", thread->to);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	syc_json_key(json, "types");
	syc_json_begin_object(json);
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (losses->sum.frames[type])
			syc_json_member_unsigned(json,
			                         syc_loss_record_kind(type),
			                         losses->sum.frames[type]);
	syc_json_end_object(json);
	syc_json_end_object(json);
}

static void write_unsampled(struct syc_json *json,
                            const struct syscap_profile *profile)
{
	const char *const why = syscap_profile_incomplete(profile);
	struct syscap_profile_unsampled unsampled;

	if (why != NULL)
		syc_json_member_text(json, "incomplete", why);
	syscap_profile_unsampled(profile, &unsampled);
	syc_unsampled_json(json, "unsampled", &unsampled);
}

static void write_slowest(struct syc_json *json,
                          const struct syc_slowest_write *slowest)
{
	if (slowest->ns == 0)
		return;
	syc_json_key(json, "slowest_write");
	syc_json_begin_object(json);
	syc_json_member_integer(json, "pid", slowest->pid);
	syc_json_member_tid(json, slowest->tid);
	syc_json_member_unsigned(json, "ns", slowest->ns);
	syc_json_end_object(json);
}

static void write_crash(struct syc_json *json,
                        const struct syscap_profile *profile)
{
	const struct syscap_profile_crash *crash;
	const struct syscap_profile_thread *thread;
	uint32_t functions[MOST_FRAMES];
	size_t n, all;

	crash = syscap_profile_crashes(profile, &n);
	if (n == 0)
		return;
	thread = &syscap_profile_threads(profile, &all)[crash->thread];
	syc_json_key(json, "crash");
	syc_json_begin_object(json);
	syc_json_member_integer(
		json, "pid",
		syscap_profile_processes(profile, &all)[thread->process].pid);
	syc_json_member_tid(json, thread->tid);
	syc_json_member_integer(json, "time_ns", crash->time);
	syc_json_member_text(json, "message", crash->message);
	syc_json_key(json, "stack");
	syc_json_begin_array(json);
	all = syscap_profile_stack_functions(profile, crash->stack, functions,
	                                     MOST_FRAMES);
	for (size_t i = 0; i < all && i < MOST_FRAMES; i++)
		syc_json_text(
			json,
			syscap_profile_function(profile, functions[i])->name);
	syc_json_end_array(json);
	syc_json_member_unsigned(json, "count", n);
	syc_json_end_object(json);
}

static void write_samples(struct syc_json *json,
                          const struct syc_sample_stats *samples)
{
	syc_json_key(json, "samples");
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "count", samples->count);
	syc_json_member_unsigned(json, "weight", samples->weight);
	syc_json_member_unsigned(json, "without_stack", samples->without_stack);
	syc_json_member_unsigned(json, "cut", samples->cut);
	syc_json_member_unsigned(json, "stopped", samples->stopped);
	syc_json_end_object(json);
}

static void write_processes(struct syc_json *json,
                            const struct syc_process_list *processes,
                            size_t most)
{
	syc_json_key(json, "processes");
	syc_json_begin_array(json);
	for (size_t i = 0; i < processes->processes.n && i < most; i++) {
		const struct syc_listed_process *process =
			&processes->processes.items[i];

		syc_json_begin_object(json);
		syc_json_member_integer(json, "pid", process->pid);
		syc_json_member_text(json, "cmdline", process->cmdline);
		syc_json_key(json, "threads");
		syc_json_begin_array(json);
		for (size_t t = 0; t < process->threads.n; t++)
			syc_json_integer(json, process->threads.items[t].tid);
		syc_json_end_array(json);
		syc_json_key(json, "thread_names");
		syc_json_begin_array(json);
		for (size_t t = 0; t < process->threads.n; t++)
			syc_json_text(json, process->threads.items[t].name);
		syc_json_end_array(json);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void write_values(struct syc_json *json, bool is_double,
                         const struct syc_counter_values *values)
{
	static const char *const keys[] = { "last", "min", "max" };
	const int64_t integers[] = { (int64_t)values->last, values->min_i64,
		                     values->max_i64 };
	double doubles[] = { NAN, values->min_f64, values->max_f64 };

	memcpy(&doubles[0], &values->last, sizeof(values->last));
	for (unsigned i = 0; i < 3; i++) {
		syc_json_key(json, keys[i]);
		if (values->count == 0)
			syc_json_null(json);
		else if (is_double)
			syc_json_double(json, doubles[i]);
		else
			syc_json_integer(json, integers[i]);
	}
}

static void write_counters(struct syc_json *json,
                           const struct syc_counter_stats *counters,
                           size_t most)
{
	syc_json_key(json, "counters");
	syc_json_begin_array(json);
	for (size_t i = 0; i < counters->result.n && i < most; i++) {
		const struct syc_counter *counter = &counters->result.items[i];
		const struct syscap_counter_info *info =
			counter->definition ? &counter->definition->info : NULL;
		const bool is_double = info && info->is_double;

		syc_json_begin_object(json);
		syc_json_member_integer(json, "pid", counter->values.pid);
		syc_json_member_unsigned(json, "id", counter->values.id);
		syc_json_member_text(json, "category",
		                     info ? info->category : NULL);
		syc_json_member_text(json, "name", info ? info->name : NULL);
		syc_json_member_text(json, "type",
		                     is_double ? "double" : "int64");
		syc_json_member_unsigned(json, "count", counter->values.count);
		write_values(json, is_double, &counter->values);
		syc_json_key(json, "rate");
		syc_json_double(json, syc_counter_rate(counter));
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void write_heap(struct syc_json *json, const struct syc_stat_hot *hot)
{
	struct syscap_profile_heap heap;

	syscap_profile_heap(hot->profile, &heap);
	if (heap.n_allocations + heap.n_frees == 0)
		return;
	syc_json_key(json, "heap");
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "allocations", heap.n_allocations);
	syc_json_member_unsigned(json, "bytes", heap.bytes);
	syc_json_member_unsigned(json, "frees", heap.n_frees);
	syc_json_member_unsigned(json, "leaked", heap.n_leaked);
	syc_json_member_unsigned(json, "leaked_bytes", heap.leaked);
	syc_json_member_unsigned(json, "temporary", heap.n_temporary);
	syc_json_member_unsigned(json, "temporary_bytes", heap.temporary);
	syc_json_member_unsigned(json, "peak_bytes", heap.peak);
	syc_json_member_integer(json, "peak_ns", heap.peak_time);
	syc_json_key(json, "sample_bytes");
	if (heap.sample_bytes > 0)
		syc_json_unsigned(json, heap.sample_bytes);
	else
		syc_json_null(json);
	syc_json_member_bool(json, "is_cut", heap.is_cut);
	syc_json_member_bool(json, "is_begin_cut", heap.is_begin_cut);
	syc_json_end_object(json);
}

int syc_stat_json(const struct syc_stat_summary *summary,
                  const struct syc_stat_hot *hot)
{
	struct syc_json json = { .out = stdout };
	int r = 0;

	syc_json_begin_object(&json);
	syc_json_member_integer(&json, "duration_ns",
	                        syc_stat_summary_duration(summary));
	write_frames(&json, summary);
	write_lost(&json, &summary->losses, hot->n_rows);
	write_unsampled(&json, hot->profile);
	write_crash(&json, hot->profile);
	write_slowest(&json, &summary->slowest);
	write_processes(&json, &summary->processes, hot->n_rows);
	syc_mark_stats_json(&json, &summary->marks, hot->n_rows);
	write_counters(&json, &summary->counters, hot->n_rows);
	syc_json_key(&json, "logs");
	syc_json_begin_object(&json);
	for (unsigned i = 0; i < SYC_SEVERITIES; i++)
		if (summary->logs[i])
			syc_json_member_unsigned(&json, syc_severity_name(i),
			                         summary->logs[i]);
	syc_json_end_object(&json);
	syc_json_member_integer(&json, "begin_ns", summary->begin);
	syc_json_member_integer(&json, "end_ns", summary->end);
	syc_json_member_bool(&json, "is_finished", summary->info.end != 0);
	syc_json_member_unsigned(&json, "damaged_frames", summary->n_damaged);
	syc_json_member_unsigned(&json, "merged_frames",
	                         summary->info.merged_frames);
	write_samples(&json, &summary->samples);
	write_heap(&json, hot);
	if (hot->view->n_looked > 0)
		r = stat_hot_json(&json, hot);
	if (r == 0 && hot->lines)
		r = syc_stat_lines_json(&json, hot);
	if (r == 0 && hot->view->n_marks > 0)
		r = syc_stat_slowest_json(&json, hot);
	syc_json_end_object(&json);
	syc_json_end_line(&json);
	return r;
}
