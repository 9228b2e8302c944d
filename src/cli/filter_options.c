/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_options.c - the options that say what of a capture is looked at. */
#include "cli/filter_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/quantity.h"
#include "profile/pattern.h"

const struct syc_option syc_filter_table[] = {
	{ "from", SYC_FILTER_FROM, "TIME", "from TIME after the beginning on",
	  NULL },
	{ "to", SYC_FILTER_TO, "TIME", "up to TIME after the beginning", NULL },
	{ "pid", SYC_FILTER_PID, "PID", "of this process", NULL },
	{ "thread", SYC_FILTER_THREAD, "THREAD", "of this thread: name or tid",
	  NULL },
	{ "function", SYC_FILTER_FUNCTION, "RE", "stacks with such a function",
	  NULL },
	{ "mark", SYC_FILTER_MARK, "GROUP/NAME", "inside of such marks", NULL },
	{ "longer-than", SYC_FILTER_LONGER_THAN, "TIME",
	  "of these, the ones no shorter", NULL },
	{ "slowest", SYC_FILTER_SLOWEST, "N|P%", "of these, the slowest",
	  NULL },
	{ "no-inlines", SYC_FILTER_NO_INLINES, NULL,
	  "no frames of inlined functions", NULL },
	{ "drop", SYC_FILTER_DROP, "RE",
	  "leave out stacks with such a function", NULL },
	{ "focus", SYC_FILTER_FOCUS, "RE", "stacks begin at such a function",
	  NULL },
	{ "hide-system", SYC_FILTER_HIDE_SYSTEM, NULL,
	  "leave out system libraries", NULL },
	{ "collapse-library", SYC_FILTER_COLLAPSE_LIBRARY, "GLOB",
	  "one frame for each such library", NULL },
	{ "collapse-recursion", SYC_FILTER_COLLAPSE_RECURSION, NULL,
	  "one frame for recursion", NULL },
	{ "reverse", SYC_FILTER_REVERSE, NULL, "callees first", NULL },
	{ "of", SYC_FILTER_OF, "WHAT", "bytes of memory, or waits, not samples",
	  "samples allocated leaked temporary peak blocked stalled" },
	{ 0 },
};

bool syc_filter_options_is(int c)
{
	return c >= SYC_FILTER_FROM && c < SYC_FILTER_END;
}

/* A group and perhaps a name; "*" is any. */
static const char *take_mark(struct syc_filter_options *options,
                             const char *value)
{
	const size_t len = strcspn(value, "/");

	if (len == 0 || len >= sizeof(options->mark_group))
		return "GROUP or GROUP/NAME";
	memcpy(options->mark_group, value, len);
	options->mark_group[len] = 0;
	options->filter.mark_group = options->mark_group;
	options->filter.mark_name = NULL;
	if (value[len] != 0 && strcmp(value + len, "/*") != 0)
		options->filter.mark_name = value + len + 1;
	return NULL;
}

static const char *take_slowest(struct syscap_filter *filter, const char *value)
{
	filter->slowest = 0;
	filter->slowest_percent = 0;
	if (syc_quantity_count(value, &filter->slowest) ||
	    (syc_quantity_percent(value, &filter->slowest_percent) &&
	     filter->slowest_percent > 0))
		return NULL;
	return "a number such as 20, or a share such as 1%";
}

static const char *take_duration(const char *value, int64_t *ret_ns)
{
	return syc_quantity_duration(value, ret_ns)
	               ? NULL
	               : "a time such as 1.5s, 20ms or 300us";
}

static const char *take_regex(const char *value, const char **ret_regex)
{
	char why[100];
	regex_t regex;

	if (syc_pattern_compile(&regex, value, why, sizeof(why)) != 0)
		return "an extended regular expression of up to 4096 bytes";
	regfree(&regex);
	*ret_regex = value;
	return NULL;
}

static const char *take_of(const char *value, enum syscap_view_of *ret_of)
{
	static const char *const names[] = {
		[SYSCAP_VIEW_SAMPLES] = "samples",
		[SYSCAP_VIEW_ALLOCATED] = "allocated",
		[SYSCAP_VIEW_LEAKED] = "leaked",
		[SYSCAP_VIEW_TEMPORARY] = "temporary",
		[SYSCAP_VIEW_BLOCKED] = "blocked",
		[SYSCAP_VIEW_STALLED] = "stalled",
		[SYSCAP_VIEW_PEAK] = "peak",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			*ret_of = (enum syscap_view_of)i;
			return NULL;
		}
	return "samples, allocated, leaked, temporary, peak, blocked or "
	       "stalled";
}

static const char *take_pid(const char *value, int32_t *ret_pid)
{
	uint64_t pid;

	if (!syc_quantity_count(value, &pid) || pid > INT32_MAX)
		return "the number of a process";
	*ret_pid = (int32_t)pid;
	return NULL;
}

/* What was expected instead of @value; NULL: it is right. */
static const char *take(struct syc_filter_options *options, int c,
                        const char *value)
{
	struct syscap_filter *filter = &options->filter;

	switch (c) {
	case SYC_FILTER_FROM:
		filter->has_from = true;
		return take_duration(value, &filter->from);
	case SYC_FILTER_TO:
		filter->has_to = true;
		return take_duration(value, &filter->to);
	case SYC_FILTER_PID:
		return take_pid(value, &filter->pid);
	case SYC_FILTER_THREAD:
		filter->thread = value;
		return value[0] != 0 ? NULL : "a thread's name or id";
	case SYC_FILTER_FUNCTION:
		return take_regex(value, &filter->function);
	case SYC_FILTER_MARK:
		return take_mark(options, value);
	case SYC_FILTER_LONGER_THAN:
		return take_duration(value, &filter->longer_than);
	case SYC_FILTER_SLOWEST:
		return take_slowest(filter, value);
	case SYC_FILTER_NO_INLINES:
		filter->no_inlines = true;
		return NULL;
	case SYC_FILTER_DROP:
		return take_regex(value, &filter->drop);
	case SYC_FILTER_FOCUS:
		return take_regex(value, &filter->focus);
	case SYC_FILTER_HIDE_SYSTEM:
		filter->hide_system = true;
		return NULL;
	case SYC_FILTER_COLLAPSE_LIBRARY:
		filter->collapse_library = value;
		return NULL;
	case SYC_FILTER_COLLAPSE_RECURSION:
		filter->collapse_recursion = true;
		return NULL;
	case SYC_FILTER_REVERSE:
		filter->reverse = true;
		return NULL;
	default:
		return take_of(value, &filter->of);
	}
}

bool syc_filter_options_take(struct syc_filter_options *options,
                             const char *command, int c, const char *value)
{
	const char *name = syc_filter_table[c - SYC_FILTER_FROM].name;
	const char *expected = take(options, c, value);
	const size_t used = strlen(options->text);

	options->is_any = true;
	if (expected != NULL)
		fprintf(stderr, "%s: --%s: expected %s\n", command, name,
		        expected);
	snprintf(options->text + used, sizeof(options->text) - used,
	         "%s--%s%s%s", used > 0 ? " " : "", name, value ? "=" : "",
	         value ? value : "");
	return expected == NULL;
}

bool syc_filter_options_has_marks(const struct syc_filter_options *options)
{
	const struct syscap_filter *filter = &options->filter;

	return filter->mark_group != NULL || filter->longer_than > 0 ||
	       filter->slowest > 0 || filter->slowest_percent > 0;
}

unsigned syc_filter_options_stacks(const struct syc_filter_options *options)
{
	switch (options->filter.of) {
	case SYSCAP_VIEW_ALLOCATED:
	case SYSCAP_VIEW_LEAKED:
	case SYSCAP_VIEW_TEMPORARY:
	case SYSCAP_VIEW_PEAK:
		return SYSCAP_PROFILE_ALLOCATIONS;
	default:
		return SYSCAP_PROFILE_SAMPLES;
	}
}

const char *syc_filter_options_of(enum syscap_view_of of)
{
	static const char *const names[] = {
		[SYSCAP_VIEW_SAMPLES] = "samples",
		[SYSCAP_VIEW_ALLOCATED] = "allocations",
		[SYSCAP_VIEW_LEAKED] = "allocations",
		[SYSCAP_VIEW_TEMPORARY] = "allocations",
		[SYSCAP_VIEW_BLOCKED] = "calls that blocked",
		[SYSCAP_VIEW_STALLED] = "stacks of stalls",
		[SYSCAP_VIEW_PEAK] = "allocations",
	};

	return names[of];
}

unsigned syc_filter_options_parts(const struct syc_filter_options *options)
{
	return (syc_filter_options_has_marks(options) ? SYSCAP_PROFILE_MARKS
	                                              : 0u) |
	       (options->filter.thread != NULL ? SYSCAP_PROFILE_THREADS : 0u);
}

void syc_filter_options_settle(struct syc_filter_options *options,
                               int64_t begin)
{
	struct syscap_filter *filter = &options->filter;

	if (filter->has_from &&
	    __builtin_add_overflow(begin, filter->from, &filter->from))
		filter->from = INT64_MAX;
	if (filter->has_to &&
	    __builtin_add_overflow(begin, filter->to, &filter->to))
		filter->to = INT64_MAX;
}
