/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.c - options that select a part of a capture, the same for all
 * commands.
 */
#include "cli/filter_options.h"

#include <stdio.h>
#include <string.h>

#include "profile/filter.h"

enum {
	SYC_FILTER_FROM = 1000,
	SYC_FILTER_TO,
	SYC_FILTER_PID,
	SYC_FILTER_THREAD,
	SYC_FILTER_FUNCTION,
	SYC_FILTER_MARK,
	SYC_FILTER_LONGER_THAN,
	SYC_FILTER_SLOWEST,
	SYC_FILTER_NO_INLINES,
	SYC_FILTER_DROP,
	SYC_FILTER_FOCUS,
	SYC_FILTER_HIDE_SYSTEM,
	SYC_FILTER_COLLAPSE_LIBRARY,
	SYC_FILTER_COLLAPSE_RECURSION,
	SYC_FILTER_REVERSE,
	SYC_FILTER_OF,
	SYC_FILTER_WITH_RECORDING,
	SYC_FILTER_END
};

const struct syc_option syc_filter_table[] = {
	{ "from", SYC_FILTER_FROM, "TIME", "from TIME after the start", NULL },
	{ "to", SYC_FILTER_TO, "TIME", "before TIME after the start", NULL },
	{ "pid", SYC_FILTER_PID, "PID", "of process PID", NULL },
	{ "thread", SYC_FILTER_THREAD, "THREAD", "of THREAD: name or tid",
	  NULL },
	{ "function", SYC_FILTER_FUNCTION, "RE",
	  "stacks with a function that matches RE", NULL },
	{ "mark", SYC_FILTER_MARK, "GROUP/NAME", "inside these marks", NULL },
	{ "longer-than", SYC_FILTER_LONGER_THAN, "TIME",
	  "only marks of TIME or longer", NULL },
	{ "slowest", SYC_FILTER_SLOWEST, "N|P%",
	  "only the slowest of these marks", NULL },
	{ "no-inlines", SYC_FILTER_NO_INLINES, NULL,
	  "omit frames of inlined functions", NULL },
	{ "drop", SYC_FILTER_DROP, "RE",
	  "omit stacks with a function that matches RE", NULL },
	{ "focus", SYC_FILTER_FOCUS, "RE",
	  "begin stacks at a function that matches RE", NULL },
	{ "hide-system", SYC_FILTER_HIDE_SYSTEM, NULL, "omit system libraries",
	  NULL },
	{ "collapse-library", SYC_FILTER_COLLAPSE_LIBRARY, "GLOB",
	  "one frame for each library that matches GLOB", NULL },
	{ "collapse-recursion", SYC_FILTER_COLLAPSE_RECURSION, NULL,
	  "one frame for recursion", NULL },
	{ "reverse", SYC_FILTER_REVERSE, NULL, "begin with callees", NULL },
	{ "of", SYC_FILTER_OF, "WHAT", "measure memory or waits, not samples",
	  "samples allocated leaked temporary peak blocked stalled" },
	{ "with-recording", SYC_FILTER_WITH_RECORDING, NULL,
	  "keep samples in syscap's own code", NULL },
	{ 0 },
};

bool syc_filter_options_is(int c)
{
	return c >= SYC_FILTER_FROM && c < SYC_FILTER_END;
}

/* Parse a group and perhaps a name; "*" is any group. */
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

/* Returns the expected form of --from or --to; NULL: valid. */
static const char *take_time(struct syscap_filter *filter, bool is_to,
                             const char *value)
{
	const char *expected =
		take_duration(value, is_to ? &filter->to : &filter->from);

	*(is_to ? &filter->has_to : &filter->has_from) = true;
	if (expected != NULL || !filter->has_from || !filter->has_to ||
	    filter->from <= filter->to)
		return expected;
	return is_to ? "a time after --from" : "a time before --to";
}

/* Handle an option.  Returns the expected form of @value; NULL: valid. */
static const char *take(struct syc_filter_options *options, int c,
                        const char *value)
{
	struct syscap_filter *filter = &options->filter;

	switch (c) {
	case SYC_FILTER_FROM:
		return take_time(filter, false, value);
	case SYC_FILTER_TO:
		return take_time(filter, true, value);
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
	case SYC_FILTER_WITH_RECORDING:
		filter->with_recording = true;
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

void syc_filter_options_recording(const struct syscap_view *view,
                                  const struct syscap_filter *filter,
                                  char *text, size_t size)
{
	size_t n;

	syscap_view_describe_recording(view, text, size);
	n = strlen(text);
	if (n > 0)
		snprintf(text + n, size - n, "%s",
		         filter->with_recording
		                 ? " (included)"
		                 : " (left out; --with-recording keeps it)");
}

void syc_filter_options_note_recording(const char *command, const char *file,
                                       const struct syscap_view *view,
                                       const struct syscap_filter *filter)
{
	char text[SYC_RECORDING_TEXT];

	syc_filter_options_recording(view, filter, text, sizeof(text));
	if (text[0] != 0)
		fprintf(stderr, "%s: %s: note: %s\n", command, file, text);
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

const char *syc_filter_options_record(enum syscap_view_of of)
{
	static const char *const options[] = {
		[SYSCAP_VIEW_SAMPLES] = "--sample",
		[SYSCAP_VIEW_ALLOCATED] = "--memory",
		[SYSCAP_VIEW_LEAKED] = "--memory",
		[SYSCAP_VIEW_TEMPORARY] = "--memory",
		[SYSCAP_VIEW_BLOCKED] = "--io",
		[SYSCAP_VIEW_STALLED] = "--stalls",
		[SYSCAP_VIEW_PEAK] = "--memory",
	};

	return options[of];
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
