/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_hot_json.c - hot functions, threads and the tree, as JSON. */
#include <stdlib.h>

#include "cli/stat_hot.h"

/* Threads whose functions are told: each takes a walk over all samples. */
#define MOST_VIEWED 256

static const char *unit_key(enum syscap_view_unit unit)
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

static void write_function(struct sc_json *json, const struct sc_stat_hot *hot,
                           uint32_t number)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(hot->profile, number);

	sc_json_member_text(json, "name", function->name);
	sc_json_member_text(json, "binary",
	                    function->binary[0] ? function->binary : NULL);
	sc_json_member_text(json, "category", category_key(function->category));
	sc_json_member_bool(json, "is_named", function->is_named);
}

static void write_sums(struct sc_json *json, const struct sc_stat_hot *hot,
                       const struct syscap_view *view)
{
	sc_json_key(json, "functions");
	sc_json_begin_array(json);
	for (size_t i = 0; i < view->n_sums && i < hot->n_functions; i++) {
		sc_json_begin_object(json);
		write_function(json, hot, view->sums[i].function);
		sc_json_member_unsigned(json, "self", view->sums[i].self);
		sc_json_member_unsigned(json, "total", view->sums[i].total);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

/* What only a view of the thread can say. */
static int write_view(struct sc_json *json, const struct sc_stat_hot *hot,
                      uint32_t number)
{
	struct syscap_view *view;
	int r = sc_stat_hot_of_thread(hot, number, &view);

	if (r < 0)
		return r;
	sc_json_member_unsigned(json, "samples", view->n_passed);
	sc_json_member_unsigned(json, "ticks", view->ticks);
	write_sums(json, hot, view);
	syscap_view_free(view);
	return 0;
}

static int write_thread(struct sc_json *json, const struct sc_stat_hot *hot,
                        uint32_t number, uint64_t amount, bool is_busy)
{
	const struct syscap_profile_process *process;
	const struct syscap_profile_thread *thread;
	size_t n;
	int r = 0;

	thread = &syscap_profile_threads(hot->profile, &n)[number];
	process = &syscap_profile_processes(hot->profile, &n)[thread->process];
	sc_json_begin_object(json);
	sc_json_member_integer(json, "pid", process->pid);
	sc_json_member_tid(json, thread->tid);
	sc_json_member_text(json, "name",
	                    thread->name[0] ? thread->name : NULL);
	sc_json_member_unsigned(json, "total", amount);
	if (is_busy)
		r = write_view(json, hot, number);
	sc_json_end_object(json);
	return r;
}

static int write_threads(struct sc_json *json, const struct sc_stat_hot *hot)
{
	uint32_t *threads;
	uint64_t *amounts;
	size_t n;
	int r = sc_stat_hot_rank(hot, &threads, &amounts, &n);

	if (r < 0)
		return r;
	sc_json_key(json, "threads");
	sc_json_begin_array(json);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = write_thread(json, hot, threads[i], amounts[i],
		                 i < MOST_VIEWED);
	sc_json_end_array(json);
	free(threads);
	free(amounts);
	return r;
}

/* Parents come before their children. */
static void write_tree(struct sc_json *json, const struct sc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;

	sc_json_key(json, "tree");
	sc_json_begin_array(json);
	for (size_t i = 1; i < view->n_nodes; i++) {
		sc_json_begin_object(json);
		sc_json_member_unsigned(json, "id", i);
		sc_json_member_unsigned(json, "parent", view->parents[i]);
		write_function(json, hot, view->functions[i]);
		sc_json_member_unsigned(json, "self", view->selfs[i]);
		sc_json_member_unsigned(json, "total", view->totals[i]);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

int sc_stat_hot_json(struct sc_json *json, const struct sc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	int r = 0;

	sc_json_key(json, "hot");
	sc_json_begin_object(json);
	sc_json_member_text(json, "unit", unit_key(view->unit));
	sc_json_member_unsigned(json, "total", view->total);
	sc_json_member_unsigned(json, "ticks", view->ticks);
	sc_json_member_unsigned(json, "samples", view->n_passed);
	sc_json_member_unsigned(json, "samples_looked_at", view->n_looked);
	sc_json_member_unsigned(json, "marks", view->n_marks);
	sc_json_member_unsigned(json, "threadless_marks",
	                        view->n_threadless_marks);
	write_sums(json, hot, view);
	if (hot->threads)
		r = write_threads(json, hot);
	if (hot->tree)
		write_tree(json, hot);
	sc_json_end_object(json);
	return r;
}
