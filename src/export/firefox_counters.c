/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_counters.c - the counters of a Firefox profile.
 *
 * What is stored of one is how much it changed: the viewer adds that up.  Its
 * sums are those of doubles, so each change is taken from such a sum, and no
 * error grows.  What is no number has no place, and is left out.
 */
#include "export/firefox_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox_markers.h"

static double read_value(uint64_t bits, bool is_double)
{
	double value;

	if (!is_double)
		return (double)(int64_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double value_of(const struct syc_firefox_counters *counters,
                       uint32_t row)
{
	const struct syscap_profile_counter *items;
	size_t n;

	items = syscap_profile_counters(counters->export->profile, &n);
	return read_value(counters->values.bits[row],
	                  items[counters->values.counters[row]].is_double);
}

static bool has_passed(const struct syc_firefox_counters *counters,
                       uint32_t row)
{
	return syscap_view_has(counters->export->view,
	                       counters->values.threads[row],
	                       counters->values.times[row]);
}

static uint32_t group_of(const void *data, uint32_t row)
{
	const struct syc_firefox_counters *counters = data;
	const struct syscap_profile_values *values = &counters->values;

	return has_passed(counters, row) && isfinite(value_of(counters, row))
	               ? values->counters[row]
	               : SYSCAP_PROFILE_NONE;
}

static int64_t time_of(const void *data, uint32_t row)
{
	return ((const struct syc_firefox_counters *)data)->values.times[row];
}

int syc_firefox_counters_init(struct syc_firefox_counters *counters,
                              const struct syc_export *export)
{
	struct syc_group_rows rows = { .group_of = group_of,
		                       .time_of = time_of,
		                       .data = counters };
	size_t n_threads;
	int r;

	*counters = (struct syc_firefox_counters){ .export = export };
	syscap_profile_values(export->profile, &counters->values);
	syscap_profile_counters(export->profile, &rows.n_groups);
	syscap_profile_threads(export->profile, &n_threads);
	rows.n = counters->values.n;
	counters->threads = calloc(n_threads + 1, sizeof(*counters->threads));
	if (counters->threads == NULL)
		return -ENOMEM;
	r = syc_group_init(&counters->by_counter, &rows);
	for (size_t i = 0;
	     r == 0 && i < counters->by_counter.begins[rows.n_groups]; i++)
		counters->threads[counters->values.threads[counters->by_counter
		                                                   .rows[i]]] =
			true;
	for (uint32_t i = 0; r == 0 && i < rows.n; i++)
		if (has_passed(counters, i) && !isfinite(value_of(counters, i)))
			counters->n_no_numbers++;
	return r;
}

void syc_firefox_counters_fini(struct syc_firefox_counters *counters)
{
	syc_group_fini(&counters->by_counter);
	free(counters->threads);
}

bool syc_firefox_counters_has(const struct syc_firefox_counters *counters,
                              size_t counter)
{
	return counters->by_counter.begins[counter] <
	       counters->by_counter.begins[counter + 1];
}

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

/* What @sum becomes @value by: of doubles that do, one that is short where
 * there is one. */
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

/* A counter's values are far apart: each would be waited for. */
#define AHEAD 16u

static void write_samples(const struct syc_firefox_counters *counters,
                          struct syc_json *json, uint32_t counter,
                          bool is_double)
{
	const struct syscap_profile_values *values = &counters->values;
	const struct syc_group *group = &counters->by_counter;
	const size_t from = group->begins[counter];
	const size_t end = group->begins[counter + 1];
	struct syscap_profile_span span;
	double sum = 0;

	syscap_profile_span(counters->export->profile, &span);
	syc_json_key(json, "samples");
	syc_json_begin_object(json);
	syc_json_key(json, "time");
	syc_json_begin_array(json);
	for (size_t i = from; i < end; i++) {
		if (end - i > AHEAD)
			__builtin_prefetch(
				&values->times[group->rows[i + AHEAD]]);
		syc_firefox_time(json, span.begin,
		                 values->times[group->rows[i]]);
	}
	syc_json_end_array(json);
	syc_json_key(json, "count");
	syc_json_begin_array(json);
	for (size_t i = from; i < end; i++) {
		const double change =
			change_to(sum, read_value(values->bits[group->rows[i]],
		                                  is_double));

		if (end - i > AHEAD)
			__builtin_prefetch(
				&values->bits[group->rows[i + AHEAD]]);
		syc_json_double(json, change);
		sum += change;
	}
	syc_json_end_array(json);
	syc_json_member_unsigned(json, "length", end - from);
	syc_json_end_object(json);
}

void syc_firefox_counters_write(const struct syc_firefox_counters *counters,
                                struct syc_json *json, uint32_t counter)
{
	const struct syscap_profile_counter *item;
	char number[32];
	size_t n;

	item = &syscap_profile_counters(counters->export->profile, &n)[counter];
	snprintf(number, sizeof(number), "counter %" PRIu32, item->id);
	const char *name = item->name[0] != 0 ? item->name : number;
	syc_json_member_text(json, "name", name);
	syc_json_member_text(json, "category", item->category);
	syc_json_member_text(json, "description", item->description);
	write_display(json, name);
	write_samples(counters, json, counter, item->is_double);
}
