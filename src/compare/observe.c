/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * observe.c - values of one unit: time of functions, number and duration of
 * marks, last and largest counter values.
 *
 * One source function may be several functions of the profile, because
 * compilers split and copy functions, and the parts call each other.  Sums
 * include all parts, and a stack with two parts counts once.
 *
 * Names of functions omit the differences between builds.  Percentiles are by
 * nearest rank, as in `stat`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/containers.h"
#include "compare/comparison.h"
#include "profile/filter.h"
#include "profile/tree.h"

#define DIGITS "0123456789"
#define HEX    "0123456789abcdef"

#define HASH 16 /* number of digits in a Rust hash */

/* Suffixes that gcc and clang append to copies and parts of functions. */
static const struct suffix {
	const char *text;
	bool has_number; /* a number always follows: ".isra.0" */
} suffixes[] = {
	{ ".isra", true },  { ".constprop", true }, { ".part", true },
	{ ".cold", false }, { ".lto_priv", true },  { ".llvm", true },
	{ ".clone", true }, { ".__uniq", true },    { ".localalias", false },
};

/* The length of the suffix at the end of @name; 0: @name has no suffix. */
static size_t suffix_length(const char *name, size_t len)
{
	size_t end = len;
	bool has_number;

	while (end > 0 && strchr(DIGITS, name[end - 1]) != NULL)
		end--;
	has_number = end < len && end > 0 && name[end - 1] == '.';
	end = has_number ? end - 1 : len;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const struct suffix *suffix = &suffixes[i];
		const size_t n = strlen(suffix->text);

		/* A name that is only a suffix is kept. */
		if (end > n && (has_number || !suffix->has_number) &&
		    memcmp(name + end - n, suffix->text, n) == 0)
			return len - (end - n);
	}
	return 0;
}

/* " [clone .isra.0]", the form of the C++ demangler. */
static size_t clone_length(const char *name, size_t len)
{
	static const char begin[] = " [clone .";
	size_t at = len;

	if (len == 0 || name[len - 1] != ']')
		return 0;
	while (at > 0 && name[at - 1] != '[')
		at--;
	at = at >= 2 ? at - 2 : len;
	return at > 0 && strncmp(name + at, begin, sizeof(begin) - 1) == 0
	               ? len - at
	               : 0;
}

/* "::h0123456789abcdef" of Rust's legacy mangling, or "17h…E" if not
 * demangled. */
static size_t hash_length(const char *name, size_t len)
{
	const bool is_mangled =
		len > 3 && strncmp(name, "_ZN", 3) == 0 && name[len - 1] == 'E';
	const char *begin = is_mangled ? "17h" : "::h";
	const size_t n = 3 + HASH + is_mangled;

	if (len <= n || memcmp(name + len - n, begin, 3) != 0 ||
	    strspn(name + len - n + 3, HEX) < HASH)
		return 0;
	return n;
}

/* "core[0123456789abcdef]::" of Rust's v0 mangling, if demangled with all
 * details. */
static void strip_crates(char *name)
{
	char *to = name;

	for (const char *from = name; *from != 0;) {
		const size_t digits = *from == '[' ? strspn(from + 1, HEX) : 0;

		if (digits >= HASH - 2 && digits <= HASH &&
		    from[digits + 1] == ']' && from > name)
			from += digits + 2;
		else
			*to++ = *from++;
	}
	*to = 0;
}

void syc_function_name_strip(char *name)
{
	size_t len, cut;

	strip_crates(name);
	len = strlen(name);
	do {
		cut = suffix_length(name, len);
		if (cut == 0)
			cut = clone_length(name, len);
		if (cut == 0)
			cut = hash_length(name, len);
		len -= cut;
		name[len] = 0;
	} while (cut > 0);
}

struct groups {
	uint32_t *of; /* group of each function of the profile */
	struct syc_map by_name;
	/* The names; each name is from malloc(). */
	SYC_ARRAY(struct syc_compared_name) names;
	double *amounts;
};

static void free_groups(struct groups *groups)
{
	for (size_t i = 0; i < groups->names.n; i++)
		free(syc_unconst(groups->names.items[i].name));
	free(groups->names.items);
	free(groups->of);
	free(groups->amounts);
	syc_map_fini(&groups->by_name);
}

static int put_group(struct groups *groups,
                     const struct syscap_profile_function *function, char *name,
                     size_t *ret_group)
{
	const struct syc_compared_name entry = { function->binary, name };
	char *key;
	int r, len;

	len = asprintf(&key, "%s/%s", function->binary, name);
	if (len < 0)
		return -ENOMEM;
	r = syc_map_put(&groups->by_name, key, (size_t)len, ret_group);
	free(key);
	if (r > 0)
		return syc_array_push(&groups->names, entry) < 0 ? -ENOMEM : 1;
	return r;
}

static int find_group(struct groups *groups,
                      const struct syscap_profile_function *function,
                      uint32_t *ret_group)
{
	/* The name of unnamed code is an address, which differs in another
	 * build. */
	const bool is_anonymous = !function->is_named &&
	                          function->category != SYSCAP_CATEGORY_NOTE;
	char *name = strdup(is_anonymous ? "[no name]" : function->name);
	size_t group = 0;
	int r;

	if (name == NULL)
		return -ENOMEM;
	syc_function_name_strip(name);
	r = put_group(groups, function, name, &group);
	if (r <= 0)
		free(name);
	*ret_group = (uint32_t)group;
	return r < 0 ? r : 0;
}

static int make_groups(struct groups *groups,
                       const struct syscap_profile *profile)
{
	const struct syscap_profile_function *functions;
	size_t n;
	int r = 0;

	functions = syscap_profile_functions(profile, &n);
	groups->of = malloc((n + 1) * sizeof(uint32_t));
	if (groups->of == NULL)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = find_group(groups, &functions[i], &groups->of[i]);
	groups->amounts = calloc(groups->names.n + 1, sizeof(double));
	return groups->amounts == NULL ? -ENOMEM : r;
}

static int add_totals(struct groups *groups, const struct syscap_view *view)
{
	/* The number of times that each group occurs on the path to a node. */
	uint32_t *on_way = calloc(groups->names.n + 1, sizeof(*on_way));
	struct syc_tree_walk walk;
	uint32_t node;
	bool is_leaving;
	int r = syc_tree_walk_init(&walk, view->parents, view->n_nodes);

	if (on_way == NULL)
		r = -ENOMEM;
	while (r == 0 && syc_tree_walk_next(&walk, &node, &is_leaving)) {
		const uint32_t group = groups->of[view->functions[node]];

		if (is_leaving)
			on_way[group]--;
		else if (on_way[group]++ == 0)
			groups->amounts[group] += (double)view->totals[node];
	}
	syc_tree_walk_fini(&walk);
	free(on_way);
	return r;
}

static int sum_up(struct groups *groups, const struct syscap_view *view,
                  bool total)
{
	if (total)
		return add_totals(groups, view);
	for (uint32_t i = 1; i < view->n_nodes; i++)
		groups->amounts[groups->of[view->functions[i]]] +=
			(double)view->selfs[i];
	return 0;
}

static int add_all(const struct syc_observed *observed,
                   const struct groups *groups, const struct syscap_view *view,
                   const struct syc_observe_functions *how)
{
	const enum syc_measure measure =
		how->by_share ? SYC_MEASURE_SHARE : SYC_MEASURE_AMOUNT;
	const double factor =
		observed->scale /
		(how->by_share && how->whole > 0 ? how->whole : 1);
	/* Weight of a sample, which may be several ticks. */
	const double step =
		view->n_passed > 0
			? (double)view->total / (double)view->n_passed * factor
			: 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < groups->names.n; i++)
		if (groups->amounts[i] > 0)
			r = syc_comparison_add(
				observed->comparison, measure,
				&groups->names.items[i], observed->unit,
				groups->amounts[i] * factor, step);
	return r;
}

int syc_observe_functions(const struct syc_observed *observed,
                          const struct syscap_view *view,
                          const struct syc_observe_functions *how)
{
	struct groups groups = { 0 };
	int r = make_groups(&groups, observed->profile);

	if (r == 0)
		r = sum_up(&groups, view, how->total);
	if (r == 0)
		r = add_all(observed, &groups, view, how);
	if (r == 0)
		r = syc_comparison_set_total(
			observed->comparison, observed->unit,
			(double)view->total * observed->scale);
	free_groups(&groups);
	return r;
}

/* Marks and counters */

/* The durations of each name, from one array. */
struct durations {
	size_t n_names;
	size_t *begins; /* beginning of each name's durations, and the end of
	                 * the last */
	int64_t *items;
};

/* Two passes over the marks: the first counts, the second stores. */
static int collect_durations(struct durations *durations,
                             const struct syscap_profile *profile,
                             const struct syc_filter *filter)
{
	const size_t n = syscap_profile_n_marks(profile);
	size_t *ends;

	durations->begins = calloc(durations->n_names + 2, sizeof(size_t));
	durations->items = malloc((n + 1) * sizeof(int64_t));
	if (durations->begins == NULL || durations->items == NULL)
		return -ENOMEM;
	ends = durations->begins + 1;
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (!mark.is_end &&
		    syc_filter_passes(filter, profile, mark.thread, mark.time))
			ends[mark.name + 1]++;
	}
	for (size_t i = 0; i < durations->n_names; i++)
		ends[i + 1] += ends[i];
	/* Each end is now the beginning of the next name. */
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (!mark.is_end &&
		    syc_filter_passes(filter, profile, mark.thread, mark.time))
			durations->items[ends[mark.name]++] = mark.duration;
	}
	return 0;
}

static int add_name(const struct syc_observed *observed,
                    const struct syscap_profile_mark_name *mark, int64_t *items,
                    size_t n)
{
	static const struct {
		enum syc_measure measure;
		unsigned percent;
	} percentiles[] = { { SYC_MEASURE_P50, 50 },
		            { SYC_MEASURE_P90, 90 },
		            { SYC_MEASURE_P99, 99 } };
	const struct syc_compared_name name = { mark->group, mark->name };
	int r = syc_comparison_add(
		observed->comparison, SYC_MEASURE_COUNT, &name, observed->unit,
		(double)n * observed->scale, observed->scale);

	for (unsigned i = 0; r == 0 && i < 3; i++)
		r = syc_comparison_add(
			observed->comparison, percentiles[i].measure, &name,
			observed->unit,
			(double)syc_rank_percentile(items, n,
		                                    percentiles[i].percent),
			1);
	return r;
}

int syc_observe_marks(const struct syc_observed *observed,
                      struct syscap_error *error)
{
	const struct syscap_profile *profile = observed->profile;
	const struct syscap_profile_mark_name *names;
	struct durations durations = { 0 };
	struct syc_filter filter;
	int r = syc_filter_init(&filter, profile, observed->filter, error);

	if (r < 0)
		return r;
	names = syscap_profile_mark_names(profile, &durations.n_names);
	r = collect_durations(&durations, profile, &filter);
	for (size_t i = 0; r == 0 && i < durations.n_names; i++) {
		const size_t begin = durations.begins[i];
		const size_t n = durations.begins[i + 1] - begin;

		if (n > 0)
			r = add_name(observed, &names[i],
			             durations.items + begin, n);
	}
	free(durations.begins);
	free(durations.items);
	syc_filter_fini(&filter);
	return r;
}

/* Values of one definition, which several ids of a process may have. */
struct values {
	bool has_any;
	int64_t last_time;
	double last, most;
};

static double to_double(const struct syscap_profile_counter *counter,
                        uint64_t bits)
{
	double value;

	if (!counter->is_double)
		return (double)(int64_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The recorder drains rings in any order, so the latest value need not be the
 * last in the file. */
static void take(struct values *values, int64_t time, double value)
{
	if (!values->has_any || time >= values->last_time) {
		values->last_time = time;
		values->last = value;
	}
	if (!values->has_any || !(value <= values->most))
		values->most = isnan(value) ? values->most : value;
	values->has_any = true;
}

static int collect_values(const struct syscap_profile *profile,
                          const struct syscap_view *view,
                          struct syscap_reader *reader,
                          struct values *of_counters)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t n;
	int r;

	counters = syscap_profile_counters(profile, &n);
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		of_counters[i].most = -INFINITY;
	r = syscap_profile_walk_new(profile, reader, &walk);
	if (r < 0)
		return r;
	while ((r = syscap_profile_walk_value(walk, &value)) > 0) {
		const uint32_t number = counters[value.counter].shown_as;

		if (syscap_view_has(view, value.thread, value.time))
			take(&of_counters[number], value.time,
			     to_double(&counters[number], value.bits));
	}
	syscap_profile_walk_free(walk);
	return r;
}

static int add_one(const struct syc_observed *observed,
                   const struct syscap_profile_counter *counter,
                   const struct values *values)
{
	const struct syc_compared_name name = { counter->category,
		                                counter->name };
	const double step = counter->is_double ? 0 : 1;
	int r;

	if (!isfinite(values->last) || !isfinite(values->most))
		return 0;
	r = syc_comparison_add(observed->comparison, SYC_MEASURE_LAST, &name,
	                       observed->unit, values->last, step);
	if (r == 0)
		r = syc_comparison_add(observed->comparison, SYC_MEASURE_MAX,
		                       &name, observed->unit, values->most,
		                       step);
	return r;
}

int syc_observe_counters(const struct syc_observed *observed,
                         const struct syscap_view *view,
                         struct syscap_reader *reader)
{
	const struct syscap_profile_counter *counters;
	struct values *values;
	size_t n;
	int r;

	counters = syscap_profile_counters(observed->profile, &n);
	values = calloc(n + 1, sizeof(*values));
	if (values == NULL)
		return -ENOMEM;
	r = collect_values(observed->profile, view, reader, values);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (counters[i].is_defined && values[i].has_any)
			r = add_one(observed, &counters[i], &values[i]);
	free(values);
	return r;
}
