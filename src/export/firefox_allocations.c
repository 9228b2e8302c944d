/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_allocations.c - allocations and frees of a Firefox profile. */
#include "export/firefox_allocations.h"

#include <errno.h>
#include <stdlib.h>

#include "export/firefox_markers.h"

static bool passes(const struct syscap_view *heap, size_t i)
{
	return (heap->passed[i / 64] >> (i % 64) & 1) != 0;
}

static uint32_t process_of(const void *data, uint32_t i)
{
	const struct syc_firefox_allocations *allocations = data;
	size_t n;

	if (allocations->bytes[i] == 0)
		return SYSCAP_PROFILE_NONE;
	return syscap_profile_threads(allocations->export->profile,
	                              &n)[allocations->items[i].thread]
	        .process;
}

static int64_t time_of(const void *data, uint32_t i)
{
	return ((const struct syc_firefox_allocations *)data)->items[i].time;
}

/* A view has no frees: those of its allocations come with them, and weigh what
 * they end, as the capture does not say it. */
static void weigh(struct syc_firefox_allocations *allocations, size_t n)
{
	const struct syscap_profile_allocation *items = allocations->items;

	for (size_t i = 0; i < n; i++) {
		const uint32_t end = items[i].ended_by;

		if (!passes(allocations->export->heap, i))
			continue;
		allocations->bytes[i] = items[i].size;
		if (end != SYSCAP_PROFILE_NONE && items[end].size <= 0)
			allocations->bytes[end] = -items[i].size;
	}
}

/* The main thread, or else the first. */
static void find_holders(struct syc_firefox_allocations *allocations,
                         size_t n_processes)
{
	const struct syscap_profile *profile = allocations->export->profile;
	const size_t *begins = allocations->by_process.begins;
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	size_t n;

	for (size_t i = 0; i < n_processes; i++)
		allocations->holders[i] = SYSCAP_PROFILE_NONE;
	processes = syscap_profile_processes(profile, &n);
	threads = syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++) {
		const uint32_t process = threads[i].process;

		if (begins[process] < begins[process + 1] &&
		    (allocations->holders[process] == SYSCAP_PROFILE_NONE ||
		     threads[i].tid == processes[process].pid))
			allocations->holders[process] = (uint32_t)i;
	}
}

int syc_firefox_allocations_init(struct syc_firefox_allocations *allocations,
                                 const struct syc_export *export,
                                 size_t heap_stacks)
{
	struct syc_group_rows rows = { .group_of = process_of,
		                       .time_of = time_of,
		                       .data = allocations };
	int r;

	*allocations = (struct syc_firefox_allocations){
		.export = export,
		.heap_stacks = heap_stacks,
	};
	if (export->heap == NULL)
		return 0;
	allocations->items =
		syscap_profile_allocations(export->profile, &rows.n);
	syscap_profile_processes(export->profile, &rows.n_groups);
	allocations->bytes = calloc(rows.n + 1, sizeof(*allocations->bytes));
	allocations->holders =
		calloc(rows.n_groups + 1, sizeof(*allocations->holders));
	if (allocations->bytes == NULL || allocations->holders == NULL)
		return -ENOMEM;
	weigh(allocations, rows.n);
	r = syc_group_init(&allocations->by_process, &rows);
	if (r == 0)
		find_holders(allocations, rows.n_groups);
	return r;
}

void syc_firefox_allocations_fini(struct syc_firefox_allocations *allocations)
{
	syc_group_fini(&allocations->by_process);
	free(allocations->bytes);
	free(allocations->holders);
}

static uint32_t process_below(const struct syc_firefox_allocations *allocations,
                              uint32_t thread)
{
	size_t n;

	return syscap_profile_threads(allocations->export->profile, &n)[thread]
	        .process;
}

bool syc_firefox_allocations_has(
	const struct syc_firefox_allocations *allocations, uint32_t thread)
{
	return allocations->holders != NULL &&
	       allocations->holders[process_below(allocations, thread)] ==
	               thread;
}

static void write_stack(const struct syc_firefox_allocations *allocations,
                        struct syc_json *json, uint32_t stack)
{
	const uint32_t node = allocations->export->heap->nodes[stack];

	if (node == 0 || node == SYSCAP_PROFILE_NONE)
		syc_json_null(json);
	else
		syc_json_unsigned(json, allocations->heap_stacks + node - 1);
}

enum column {
	TIME,
	WEIGHT,
	STACK,
	ADDRESS,
	THREAD,
	COLUMNS
};

void syc_firefox_allocations_write(
	const struct syc_firefox_allocations *allocations,
	struct syc_json *json, uint32_t thread, int64_t begin)
{
	static const char *const keys[COLUMNS] = { "time", "weight", "stack",
		                                   "memoryAddress",
		                                   "threadId" };
	const uint32_t process = process_below(allocations, thread);
	const struct syc_group *by = &allocations->by_process;
	const struct syscap_profile_thread *threads;
	size_t n;

	if (!syc_firefox_allocations_has(allocations, thread))
		return;
	threads = syscap_profile_threads(allocations->export->profile, &n);
	syc_json_key(json, "nativeAllocations");
	syc_json_begin_object(json);
	for (enum column column = TIME; column < COLUMNS; column++) {
		syc_json_key(json, keys[column]);
		syc_json_begin_array(json);
		for (n = by->begins[process]; n < by->begins[process + 1];
		     n++) {
			const struct syscap_profile_allocation *item =
				&allocations->items[by->rows[n]];

			if (column == TIME)
				syc_firefox_time(json, begin, item->time);
			else if (column == WEIGHT)
				syc_json_integer(
					json, allocations->bytes[by->rows[n]]);
			else if (column == STACK)
				write_stack(allocations, json, item->stack);
			else if (column == ADDRESS)
				syc_json_unsigned(json, item->address);
			else
				syc_json_integer(json,
				                 threads[item->thread].tid);
		}
		syc_json_end_array(json);
	}
	syc_json_member_text(json, "weightType", "bytes");
	syc_json_member_unsigned(json, "length",
	                         by->begins[process + 1] - by->begins[process]);
	syc_json_end_object(json);
}
