/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_counters.c - counters and allocations of a Firefox profile.
 *
 * The format stores the change of a counter, and the viewer adds the changes up
 * as doubles.  The writer computes each change from a rounded sum, so no error
 * accumulates.  The writer omits values that are not finite.
 *
 * The values of one counter are stored together, but a capture is ordered by
 * time.  So the writer walks the capture several times, for as many counters at
 * a time as fit in memory.
 *
 * All allocations of a process are below one of its threads, because another
 * thread may free them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox.h"

static double read_value(uint64_t bits, bool is_double)
{
	double value;

	if (!is_double)
		return (double)(int64_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int begin_walk(const struct syc_firefox_counters *counters,
                      struct syscap_profile_walk **ret_walk)
{
	return syscap_profile_walk_new(counters->export->profile,
	                               counters->export->reader, ret_walk);
}

/* Find the next value that passes the filter.  Returns 1, 0 or -ENOMEM. */
static int find_value(const struct syc_firefox_counters *counters,
                      struct syscap_profile_walk *walk,
                      struct syscap_profile_value *ret_value)
{
	int r;

	do
		r = syscap_profile_walk_value(walk, ret_value);
	while (r > 0 && !syscap_view_has(counters->export->view,
	                                 ret_value->thread, ret_value->time));
	return r;
}

static bool is_number(const struct syscap_profile_counter *counters,
                      const struct syscap_profile_value *value)
{
	return isfinite(
		read_value(value->bits, counters[value->counter].is_double));
}

static int count_values(struct syc_firefox_counters *counters)
{
	const struct syscap_profile_counter *items;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t n;
	int r;

	items = syscap_profile_counters(counters->export->profile, &n);
	if (n == 0)
		return 0;
	r = begin_walk(counters, &walk);
	if (r < 0)
		return r;
	while ((r = find_value(counters, walk, &value)) > 0) {
		if (!is_number(items, &value)) {
			counters->n_no_numbers++;
			continue;
		}
		counters->counts[value.counter]++;
		counters->threads[value.thread] = true;
	}
	syscap_profile_walk_free(walk);
	return r;
}

int syc_firefox_counters_init(struct syc_firefox_counters *counters,
                              const struct syc_export *export)
{
	size_t n_counters, n_threads;

	*counters = (struct syc_firefox_counters){ .export = export };
	syscap_profile_counters(export->profile, &n_counters);
	syscap_profile_threads(export->profile, &n_threads);
	counters->counts = calloc(n_counters + 1, sizeof(*counters->counts));
	counters->threads = calloc(n_threads + 1, sizeof(*counters->threads));
	if (counters->counts == NULL || counters->threads == NULL)
		return -ENOMEM;
	return count_values(counters);
}

void syc_firefox_counters_fini(struct syc_firefox_counters *counters)
{
	free(counters->counts);
	free(counters->threads);
	free(counters->values);
}

bool syc_firefox_counters_has(const struct syc_firefox_counters *counters,
                              size_t counter)
{
	return counters->counts[counter] > 0;
}

/* ------------------------------------------------- some counters at a time */

/* Values of 16 bytes each, 244 MiB in total. */
#define MOST_VALUES 16000000u

static int by_time(const void *one, const void *other)
{
	const struct syc_firefox_value *a = one, *b = other;

	return (a->time > b->time) - (a->time < b->time);
}

/*
 * Sort by time, since the recorder drains rings in any order.  Equal times stay
 * in the order of the file: qsort() merges, since memory suffices.
 */
static void sort(struct syc_firefox_value *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i].time < values[i - 1].time) {
			qsort(values, n, sizeof(*values), by_time);
			return;
		}
}

/* @places: the place of the next value of each counter. */
static int place_values(const struct syc_firefox_counters *counters,
                        size_t *places)
{
	const struct syscap_profile_counter *items;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t n;
	int r = begin_walk(counters, &walk);

	if (r < 0)
		return r;
	items = syscap_profile_counters(counters->export->profile, &n);
	while ((r = find_value(counters, walk, &value)) > 0)
		if (value.counter >= counters->first &&
		    value.counter < counters->end && is_number(items, &value))
			counters->values[places[value.counter -
			                        counters->first]++] =
				(struct syc_firefox_value){ value.time,
				                            value.bits };
	syscap_profile_walk_free(walk);
	return r;
}

/* Load values of @counter, and of as many later counters as fit. */
static int load(struct syc_firefox_counters *counters, size_t counter)
{
	size_t n_counters, n = 0, *places;
	int r;

	syscap_profile_counters(counters->export->profile, &n_counters);
	places = calloc(n_counters - counter + 1, sizeof(*places));
	if (places == NULL)
		return -ENOMEM;
	counters->first = counter;
	counters->end = counter;
	counters->at = 0;
	do {
		places[counters->end - counter] = n;
		n += counters->counts[counters->end++];
	} while (counters->end < n_counters &&
	         n + counters->counts[counters->end] <= MOST_VALUES);
	free(counters->values);
	counters->values = calloc(n + 1, sizeof(*counters->values));
	r = counters->values != NULL ? place_values(counters, places) : -ENOMEM;
	for (size_t i = counter; r == 0 && i < counters->end; i++)
		sort(counters->values + places[i - counter] -
		             counters->counts[i],
		     counters->counts[i]);
	free(places);
	return r;
}

/* ----------------------------------------------------------------- written */

static void write_row(struct syc_json *json, const char *source,
                      const char *label)
{
	syc_json_begin_object(json);
	syc_json_member_text(json, "type", "value");
	syc_json_member_text(json, "source", source);
	syc_json_key(json, "format");
	syc_json_begin_object(json);
	syc_json_member_text(json, "unit", "number");
	syc_json_end_object(json);
	syc_json_member_text(json, "label", label);
	syc_json_end_object(json);
}

static void write_display(struct syc_json *json, const char *label)
{
	syc_json_key(json, "display");
	syc_json_begin_object(json);
	syc_json_member_text(json, "graphType", "line-accumulated");
	syc_json_member_text(json, "unit", "");
	syc_json_member_text(json, "color", "blue");
	syc_json_key(json, "markerSchemaLocation");
	syc_json_null(json);
	syc_json_member_integer(json, "sortWeight", 50);
	syc_json_member_text(json, "label", label);
	syc_json_key(json, "tooltipRows");
	syc_json_begin_array(json);
	write_row(json, "accumulated", label);
	write_row(json, "count-range", "range in graph");
	syc_json_end_array(json);
	syc_json_end_object(json);
}

/*
 * The difference that turns @sum into @value: if possible, a double with few
 * digits.
 */
static double change_to(double sum, double value)
{
	const double change = value - sum;
	const double units = change * 1e6;
	double rounded;

	if (!(fabs(units) < 1e15))
		return change;
	rounded = (double)(int64_t)(units + (units < 0 ? -0.5 : 0.5)) / 1e6;
	return sum + rounded == value ? rounded : change;
}

static void write_changes(struct syc_json *json,
                          const struct syc_firefox_value *values, size_t n,
                          bool is_double)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double change =
			change_to(sum, read_value(values[i].bits, is_double));

		syc_json_double(json, change);
		sum += change;
	}
}

static void write_samples(const struct syc_firefox_counters *counters,
                          struct syc_json *json,
                          const struct syc_firefox_value *values, size_t n,
                          bool is_double)
{
	struct syscap_profile_span span;

	syscap_profile_span(counters->export->profile, &span);
	syc_json_key(json, "samples");
	syc_json_begin_object(json);
	syc_json_key(json, "time");
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++)
		syc_firefox_time(json, span.begin, values[i].time);
	syc_json_end_array(json);
	syc_json_key(json, "count");
	syc_json_begin_array(json);
	write_changes(json, values, n, is_double);
	syc_json_end_array(json);
	syc_json_member_unsigned(json, "length", n);
	syc_json_end_object(json);
}

int syc_firefox_counters_write(struct syc_firefox_counters *counters,
                               struct syc_json *json, uint32_t counter)
{
	const struct syscap_profile_counter *item;
	char number[32];
	size_t n;
	int r = 0;

	if (counter >= counters->end)
		r = load(counters, counter);
	if (r < 0)
		return r;
	item = &syscap_profile_counters(counters->export->profile, &n)[counter];
	snprintf(number, sizeof(number), "counter %" PRIu32, item->id);
	const char *name = item->name[0] != 0 ? item->name : number;
	syc_json_member_text(json, "name", name);
	syc_json_member_text(json, "category", item->category);
	syc_json_member_text(json, "description", item->description);
	write_display(json, name);
	write_samples(counters, json, counters->values + counters->at,
	              counters->counts[counter], item->is_double);
	counters->at += counters->counts[counter];
	return 0;
}

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

static int compare_allocations(const void *one, const void *other, void *data)
{
	const struct syc_firefox_allocations *allocations = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const int64_t time_a = allocations->items[a].time;
	const int64_t time_b = allocations->items[b].time;

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

/*
 * Compute the bytes of allocations and frees.  Views lack frees, and captures
 * lack freed bytes, so the function computes both from the allocations.
 */
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

/* Find the main thread of each process, or else its first thread. */
static void find_holders(struct syc_firefox_allocations *allocations,
                         size_t n_processes)
{
	const struct syscap_profile *profile = allocations->export->profile;
	const uint32_t *begins = allocations->by_process.begins;
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
		                       .compare = compare_allocations,
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
