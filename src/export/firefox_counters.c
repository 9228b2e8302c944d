/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_counters.c - the counters of a Firefox profile.
 *
 * What is stored of one is how much it changed: the viewer adds that up.  Its
 * sums are those of doubles, so each change is taken from such a sum, and no
 * error grows.  What is no number has no place, and is left out.
 *
 * All values of a counter stand together, in the file those of one time do.  So
 * it is walked through as often as it takes to have all of some counters in
 * memory at a time.
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

static int begin_walk(const struct syc_firefox_counters *counters,
                      struct syscap_profile_walk **ret_walk)
{
	return syscap_profile_walk_new(counters->export->profile,
	                               counters->export->reader, ret_walk);
}

/* The next value that passes the filter.  1, 0 or -ENOMEM. */
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

/* Of 16 bytes each: 244 MiB. */
#define MOST_VALUES 16000000u

static int by_time(const void *one, const void *other)
{
	const struct syc_firefox_value *a = one, *b = other;

	return (a->time > b->time) - (a->time < b->time);
}

/* Rings are drained in any order.  Equal times stay in the order of the file:
 * merging does not change it, and there is the memory for that. */
static void sort(struct syc_firefox_value *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i].time < values[i - 1].time) {
			qsort(values, n, sizeof(*values), by_time);
			return;
		}
}

/* @places: where the next value of each goes. */
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

/* Values of @counter, and of as many behind it as there is room for. */
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
