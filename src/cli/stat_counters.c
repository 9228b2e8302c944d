/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_counters.c - definitions and values of counters, for `stat` and `dump`.
 *
 * A counter may be defined after its first values.  So values are collected by
 * (pid, id), as integers and as doubles, and the type of the values is decided
 * at the end.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include <syscap/format.h>

#include "cli/stat_summary.h"
#include "common/containers.h"

struct counter_key {
	int32_t pid;
	uint32_t id;
};

void syc_counter_stats_fini(struct syc_counter_stats *counters)
{
	syc_map_fini(&counters->by_pid_id);
	syc_map_fini(&counters->by_id);
	syc_map_fini(&counters->values_by_pid_id);
	free(counters->definitions.items);
	free(counters->last_of_id.items);
	free(counters->values.items);
	free(counters->result.items);
}

static int define_counter(struct syc_counter_stats *counters, int32_t pid,
                          const struct syscap_counter_info *info)
{
	const struct counter_key key = { pid, info->id };
	const struct syc_counter_definition definition = { pid, *info };
	size_t number, id_number;
	int r;

	r = syc_map_put(&counters->by_pid_id, &key, sizeof(key), &number);
	if (r < 0)
		return r;
	if (r == 0)
		counters->definitions.items[number] = definition;
	else if (syc_array_push(&counters->definitions, definition) < 0)
		return -ENOMEM;

	r = syc_map_put(&counters->by_id, &info->id, sizeof(info->id),
	                &id_number);
	if (r < 0)
		return r;
	if (r == 0)
		counters->last_of_id.items[id_number] = number;
	else if (syc_array_push(&counters->last_of_id, number) < 0)
		return -ENOMEM;
	return 0;
}

int syc_counter_stats_define(struct syc_counter_stats *counters,
                             const struct syscap_reader *reader,
                             const struct syscap_frame *frame)
{
	struct syscap_counter_info info;

	for (unsigned i = 0; syscap_frame_counter(reader, frame, i, &info);
	     i++) {
		const int r = define_counter(counters, frame->pid, &info);

		if (r < 0)
			return r;
	}
	return 0;
}

static bool find_number(const struct syc_counter_stats *counters, int32_t pid,
                        uint32_t id, size_t *ret_number)
{
	const struct counter_key key = { pid, id };
	size_t id_number;

	if (syc_map_get(&counters->by_pid_id, &key, sizeof(key), ret_number))
		return true;
	if (!syc_map_get(&counters->by_id, &id, sizeof(id), &id_number))
		return false;
	*ret_number = counters->last_of_id.items[id_number];
	return true;
}

bool syc_counter_stats_is_double(const struct syc_counter_stats *counters,
                                 int32_t pid, uint32_t id)
{
	size_t number;

	return find_number(counters, pid, id, &number) &&
	       counters->definitions.items[number].info.is_double;
}

static struct syc_counter_values no_values(int32_t pid, uint32_t id)
{
	return (struct syc_counter_values){
		.pid = pid,
		.id = id,
		.first_time = INT64_MAX,
		.last_time = INT64_MIN,
		.min_i64 = INT64_MAX,
		.max_i64 = INT64_MIN,
		.min_f64 = INFINITY,
		.max_f64 = -INFINITY,
	};
}

static void merge(struct syc_counter_values *to,
                  const struct syc_counter_values *from)
{
	/*
	 * The recorder drains rings in any order, so the latest value need not
	 * be the last.
	 */
	to->has_fallen |= from->has_fallen;
	if (from->count > 0 && to->count > 0)
		to->has_fallen |=
			from->first_time >= to->last_time
				? (int64_t)from->first < (int64_t)to->last
				: (int64_t)from->last > (int64_t)to->last;
	if (from->count && from->first_time < to->first_time) {
		to->first_time = from->first_time;
		to->first = from->first;
	}
	if (from->count && from->last_time >= to->last_time) {
		to->last_time = from->last_time;
		to->last = from->last;
	}
	to->count += from->count;
	if (from->min_i64 < to->min_i64)
		to->min_i64 = from->min_i64;
	if (from->max_i64 > to->max_i64)
		to->max_i64 = from->max_i64;
	if (from->min_f64 < to->min_f64)
		to->min_f64 = from->min_f64;
	if (from->max_f64 > to->max_f64)
		to->max_f64 = from->max_f64;
}

static int find_values(struct syc_counter_stats *counters, int32_t pid,
                       uint32_t id, size_t *ret_number)
{
	const struct counter_key key = { pid, id };
	struct syc_counter_memo *const memo = &counters->memo[id & 0xFF];
	int r;

	if (memo->number != 0 && memo->pid == pid && memo->id == id) {
		*ret_number = memo->number - 1;
		return 0;
	}
	if (syc_array_room(&counters->values) < 0)
		return -ENOMEM;
	r = syc_map_put(&counters->values_by_pid_id, &key, sizeof(key),
	                ret_number);
	if (r < 0)
		return r;
	if (r > 0)
		counters->values.items[counters->values.n++] =
			no_values(pid, id);
	*memo = (struct syc_counter_memo){ pid, id, *ret_number + 1 };
	return 0;
}

static int add_value(struct syc_counter_stats *counters, int32_t pid,
                     uint32_t id, int64_t time, uint64_t bits)
{
	struct syc_counter_values one = {
		.count = 1,
		.first_time = time,
		.last_time = time,
		.first = bits,
		.last = bits,
		.min_i64 = (int64_t)bits,
		.max_i64 = (int64_t)bits,
	};
	size_t number;
	int r;

	memcpy(&one.min_f64, &bits, sizeof(bits));
	one.max_f64 = one.min_f64;
	r = find_values(counters, pid, id, &number);
	if (r == 0)
		merge(&counters->values.items[number], &one);
	return r;
}

int syc_counter_stats_set(struct syc_counter_stats *counters,
                          const struct syscap_reader *reader,
                          const struct syscap_frame *frame)
{
	uint64_t bits;
	uint32_t id;

	for (unsigned i = 0; syscap_frame_slot(reader, frame, i, &id, &bits);
	     i++) {
		if (id == 0)
			continue;
		const int r =
			add_value(counters, frame->pid, id, frame->time, bits);
		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_counters(const void *left, const void *right)
{
	const struct syc_counter *a = left, *b = right;
	int order = !a->definition - !b->definition;

	if (order == 0 && a->definition) {
		order = strcmp(a->definition->info.category,
		               b->definition->info.category);
		if (order == 0)
			order = strcmp(a->definition->info.name,
			               b->definition->info.name);
	}
	if (order == 0)
		order = (a->values.pid > b->values.pid) -
		        (a->values.pid < b->values.pid);
	if (order == 0)
		order = (a->values.id > b->values.id) -
		        (a->values.id < b->values.id);
	return order;
}

/* Add values without a definition: each id becomes one counter. */
static int add_undefined(struct syc_counter_stats *counters,
                         struct syc_map *ids,
                         const struct syc_counter_values *values)
{
	struct syc_counter counter = { .definition = NULL, .values = *values };
	size_t number;

	const int r =
		syc_map_put(ids, &values->id, sizeof(values->id), &number);
	if (r < 0)
		return r;
	if (r > 0)
		return syc_array_push(&counters->result, counter);

	struct syc_counter *known =
		&counters->result.items[counters->definitions.n + number];
	if (known->values.pid != values->pid)
		known->values.pid = -1;
	merge(&known->values, values);
	return 0;
}

int syc_counter_stats_finish(struct syc_counter_stats *counters)
{
	struct syc_map undefined_ids = { 0 };
	size_t number;
	int r = 0;

	for (size_t i = 0; i < counters->definitions.n; i++) {
		const struct syc_counter_definition *definition =
			&counters->definitions.items[i];
		const struct syc_counter counter = {
			.definition = definition,
			.values =
				no_values(definition->pid, definition->info.id),
		};

		if (syc_array_push(&counters->result, counter) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < counters->values.n && r >= 0; i++) {
		const struct syc_counter_values *values =
			&counters->values.items[i];

		if (find_number(counters, values->pid, values->id, &number))
			merge(&counters->result.items[number].values, values);
		else
			r = add_undefined(counters, &undefined_ids, values);
	}
	syc_map_fini(&undefined_ids);
	if (r < 0)
		return r;
	if (counters->result.n)
		qsort(counters->result.items, counters->result.n,
		      sizeof(*counters->result.items), compare_counters);
	return 0;
}

static bool is_of(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, names[i]) == 0)
			return true;
	return false;
}

double syc_counter_rate(const struct syc_counter *counter)
{
	static const char *const level_groups[] = { "Memory", "CPU Percent",
		                                    "CPU Frequency",
		                                    "Pressure" };
	static const char *const levels[] = { "Resident", "Threads",
		                              "Descriptors" };
	const struct syc_counter_values *values = &counter->values;
	const struct syscap_counter_info *info =
		counter->definition != NULL ? &counter->definition->info : NULL;

	if (info == NULL || info->is_double || values->count < 3 ||
	    values->has_fallen || values->last == values->first ||
	    values->last_time <= values->first_time ||
	    is_of(info->category, level_groups, 4) ||
	    is_of(info->name, levels, 3))
		return NAN;
	return ((double)(int64_t)values->last -
	        (double)(int64_t)values->first) /
	       ((double)values->last_time - (double)values->first_time) * 1e9;
}
