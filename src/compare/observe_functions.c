/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * observe_functions.c - time of functions in one unit, under names that all
 * builds share.
 *
 * One source function may be several functions of the profile, because
 * compilers split and copy functions, and the parts call each other. Sums
 * include all parts, and a stack with two parts counts once.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/unconst.h"
#include "compare/comparison.h"
#include "profile/tree.h"

#define DIGITS "0123456789"
#define HEX    "0123456789abcdef"

#define HASH 16 /* number of digits in a hash of Rust */

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
	/* Names, with name from malloc(). */
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
	/* Such a name is an address, which differs in another build. */
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
