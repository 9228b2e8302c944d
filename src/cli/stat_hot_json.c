/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_hot_json.c - hot functions, threads and the tree, as JSON. */
#include <errno.h>
#include <stdlib.h>

#include "cli/stat_hot.h"

/* Threads whose functions are told: each takes a walk over all samples. */
#define MOST_VIEWED 256

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

static const char *category_key(enum syscap_profile_category category)
{
	static const char *const keys[] = {
		[SYSCAP_CATEGORY_APPLICATION] = "application",
		[SYSCAP_CATEGORY_SYSTEM] = "system",
		[SYSCAP_CATEGORY_JIT] = "jit",
		[SYSCAP_CATEGORY_KERNEL] = "kernel",
		[SYSCAP_CATEGORY_NOTE] = "note",
	};

	return keys[category];
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
	                     category_key(function->category));
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

/* What only a view of the thread can say. */
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

/* Parents come before their children. */
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

int syc_stat_hot_json(struct syc_json *json, const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	int r;

	syc_json_key(json, "hot");
	syc_json_begin_object(json);
	syc_json_member_text(json, "unit", syc_stat_hot_unit_key(view->unit));
	syc_json_member_unsigned(json, "total", view->total);
	syc_json_member_unsigned(json, "ticks", view->ticks);
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
