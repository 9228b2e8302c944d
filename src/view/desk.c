/* SPDX-License-Identifier: BSD-2-Clause */
/* desk.c - what all pages of the viewer share. */
#define _GNU_SOURCE
#include "view/desk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

const struct syscap_profile_function *
syc_desk_function(const struct syc_desk *desk, uint32_t node)
{
	return syscap_profile_function(desk->source->profile,
	                               desk->view->functions[node]);
}

const struct syscap_profile_mark_name *
syc_desk_mark_name(const struct syc_desk *desk, uint32_t name)
{
	size_t n;

	return &syscap_profile_mark_names(desk->source->profile, &n)[name];
}

const struct syscap_filter *syc_desk_filter(const struct syc_desk *desk)
{
	return &desk->lenses.items[desk->lenses.n - 1].filter;
}

/* "^name$", whatever the name is. */
static char *make_regex(const char *name)
{
	char *regex = malloc(2 * strlen(name) + 3);
	size_t n = 0;

	if (regex == NULL)
		return NULL;
	regex[n++] = '^';
	for (; *name != 0; name++) {
		if (strchr(".[]()*+?{}|^$\\", *name) != NULL)
			regex[n++] = '\\';
		regex[n++] = *name;
	}
	regex[n++] = '$';
	regex[n] = 0;
	return regex;
}

static void free_lens(struct syc_lens *lens)
{
	free(lens->text);
	free(lens->more);
	free(lens->label);
}

/* A copy of the last one, without texts of its own. */
static struct syc_lens next_lens(const struct syc_desk *desk)
{
	return (struct syc_lens){ .filter = *syc_desk_filter(desk) };
}

static int push(struct syc_desk *desk, struct syc_lens *lens)
{
	if (lens->label == NULL || syc_array_push(&desk->lenses, *lens) < 0) {
		free_lens(lens);
		return -ENOMEM;
	}
	desk->wants_view = true;
	return 0;
}

__attribute__((format(printf, 2, 3))) static void
name_lens(struct syc_lens *lens, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(&lens->label, format, args) < 0)
		lens->label = NULL;
	va_end(args);
}

int syc_desk_look(struct syc_desk *desk, enum syc_lens_by by, uint32_t function)
{
	const struct syscap_profile_function *about =
		syscap_profile_function(desk->source->profile, function);
	struct syc_lens lens = next_lens(desk);
	struct syscap_filter *filter = &lens.filter;

	if (by <= SYC_LENS_FOCUS) {
		lens.text = make_regex(about->name);
		if (lens.text == NULL)
			return -ENOMEM;
	}
	switch (by) {
	case SYC_LENS_WITH:
		filter->function = lens.text;
		name_lens(&lens, "with %s", about->name);
		break;
	case SYC_LENS_WITHOUT:
		filter->drop = lens.text;
		name_lens(&lens, "without %s", about->name);
		break;
	case SYC_LENS_FOCUS:
		filter->focus = lens.text;
		name_lens(&lens, "below %s", about->name);
		break;
	case SYC_LENS_REVERSE:
		filter->reverse = !filter->reverse;
		name_lens(&lens,
		          filter->reverse ? "callees first" : "callers first");
		break;
	case SYC_LENS_SYSTEM:
		filter->hide_system = !filter->hide_system;
		name_lens(&lens, filter->hide_system
		                         ? "without system libraries"
		                         : "with system libraries");
		break;
	}
	return push(desk, &lens);
}

int syc_desk_look_inside(struct syc_desk *desk, uint32_t name,
                         double slowest_percent)
{
	const struct syscap_profile_mark_name *about;
	struct syc_lens lens = next_lens(desk);
	size_t n;

	about = &syscap_profile_mark_names(desk->source->profile, &n)[name];
	lens.text = strdup(about->group);
	lens.more = strdup(about->name);
	if (lens.text == NULL || lens.more == NULL) {
		free_lens(&lens);
		return -ENOMEM;
	}
	lens.filter.mark_group = lens.text;
	lens.filter.mark_name = lens.more;
	lens.filter.longer_than = 0;
	lens.filter.slowest = 0;
	lens.filter.slowest_percent = slowest_percent;
	if (slowest_percent > 0)
		name_lens(&lens, "inside the slowest %g %% of %s/%s",
		          slowest_percent, lens.text, lens.more);
	else
		name_lens(&lens, "inside %s/%s", lens.text, lens.more);
	return push(desk, &lens);
}

int syc_desk_look_between(struct syc_desk *desk, int64_t from, int64_t to)
{
	struct syc_lens lens = next_lens(desk);
	struct syscap_profile_span span;
	char begin[SYC_FIGURE], end[SYC_FIGURE];

	syscap_profile_span(desk->source->profile, &span);
	lens.filter.has_from = lens.filter.has_to = true;
	lens.filter.from = from;
	lens.filter.to = to;
	syc_figures_moment(begin, from, span.begin, false);
	syc_figures_moment(end, to, span.begin, false);
	name_lens(&lens, "%s to %s", begin, end);
	return push(desk, &lens);
}

int syc_desk_look_at_thread(struct syc_desk *desk, uint32_t thread)
{
	struct syc_lens lens = next_lens(desk);
	char name[128];

	lens.filter.threads = NULL;
	lens.filter.n_threads = 0;
	if (thread == NONE) {
		name_lens(&lens, "all threads");
		return push(desk, &lens);
	}
	lens.text = malloc(sizeof(thread));
	if (lens.text == NULL)
		return -ENOMEM;
	memcpy(lens.text, &thread, sizeof(thread));
	lens.filter.threads = (const uint32_t *)(const void *)lens.text;
	lens.filter.n_threads = 1;
	syc_desk_thread_name(desk, thread, name, sizeof(name));
	name_lens(&lens, "thread %s", name);
	return push(desk, &lens);
}

bool syc_desk_look_back(struct syc_desk *desk)
{
	if (desk->lenses.n <= 1)
		return false;
	free_lens(&desk->lenses.items[--desk->lenses.n]);
	desk->wants_view = true;
	return true;
}

void syc_desk_fini(struct syc_desk *desk)
{
	for (size_t i = 0; i < desk->lenses.n; i++)
		free_lens(&desk->lenses.items[i]);
	free(desk->lenses.items);
	free(desk->lines);
	free(desk->matches);
}

int syc_desk_match(struct syc_desk *desk)
{
	const struct syscap_profile_function *functions;
	size_t n;

	desk->match_number++;
	free(desk->matches);
	desk->matches = NULL;
	desk->n_matches = 0;
	if (desk->search.pattern[0] == 0)
		return 0;
	functions = syscap_profile_functions(desk->source->profile, &n);
	desk->matches = calloc(n + 1, 1);
	if (desk->matches == NULL)
		return -ENOMEM;
	desk->n_matches = n;
	for (size_t i = 1; i < n; i++)
		desk->matches[i] = syc_search_matches(desk->search.pattern,
		                                      functions[i].name);
	return 0;
}

void syc_desk_say(struct syc_desk *desk, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(desk->said, sizeof(desk->said), format, args);
	va_end(args);
}

/* Asked for when it is shown: it takes another view. */
static void find_lines(struct syc_desk *desk)
{
	const struct syscap_profile *profile = desk->source->profile;
	struct syscap_filter filter = *syc_desk_filter(desk);
	struct syscap_profile_span span;
	struct syscap_view *view;
	size_t n;

	if (desk->lines_of == desk->view_number)
		return;
	desk->lines_of = desk->view_number;
	free(desk->lines);
	desk->lines = NULL;
	if (syc_source_settle(desk->source) < 0)
		return;
	syscap_profile_span(profile, &span);
	filter.by_line = true;
	if (!span.has_lines ||
	    syscap_view_new(profile, &filter, &view, NULL) != 0)
		return;
	syscap_profile_functions(profile, &n);
	desk->lines = malloc((n + 1) * sizeof(*desk->lines));
	if (desk->lines != NULL &&
	    syscap_view_hottest_lines(profile, view, desk->lines) < 0) {
		free(desk->lines);
		desk->lines = NULL;
	}
	syscap_view_free(view);
}

void syc_desk_source(struct syc_desk *desk, uint32_t function, char *text,
                     size_t size)
{
	const struct syscap_profile *profile = desk->source->profile;
	const struct syscap_profile_line *lines;
	int n = 0;
	size_t ignored;

	text[0] = 0;
	if (syscap_profile_function(profile, function)->is_inlined)
		n = snprintf(text, size, " · inlined");
	find_lines(desk);
	if (desk->lines == NULL || desk->lines[function] == NONE)
		return;
	lines = &syscap_profile_lines(profile, &ignored)[desk->lines[function]];
	snprintf(text + n, size - (size_t)n, " · mostly %s:%" PRIu32,
	         lines->file, lines->line);
}

void syc_desk_show_none(struct syc_desk *desk, const char *text)
{
	const int x = (desk->grid->width - syc_grid_columns(text)) / 2;

	syc_grid_put(desk->grid, x > 0 ? x : 0,
	             desk->top + (desk->bottom - desk->top) / 2,
	             desk->grid->width, text, SYC_STYLE_QUIET);
	desk->said[0] = 0;
}

void syc_desk_put_function(struct syc_desk *desk, int x, int y, int width,
                           uint32_t function, struct syc_style style)
{
	const struct syscap_profile_function *about =
		syscap_profile_function(desk->source->profile, function);
	struct syc_style quiet = style;
	int used;

	if (syc_desk_is_match(desk, function))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	used = syc_grid_put(desk->grid, x, y, width, about->name, style);
	if ((quiet.attributes & SYC_REVERSE) == 0)
		quiet.attributes |= SYC_DIM;
	if (about->is_inlined && used + 4 < width)
		used += 2 + syc_grid_put(desk->grid, x + used + 2, y,
		                         width - used - 2, "(inlined)", quiet);
	if (about->binary[0] != 0 && used + 4 < width)
		syc_grid_put(desk->grid, x + used + 2, y, width - used - 2,
		             about->binary, quiet);
}

void syc_desk_thread_name(const struct syc_desk *desk, uint32_t number,
                          char *text, size_t size)
{
	const struct syscap_profile_thread *thread;
	size_t n;

	thread = &syscap_profile_threads(desk->source->profile, &n)[number];
	if (thread->tid < 0)
		snprintf(text, size, "%s", "–");
	else if (thread->name[0] == 0)
		snprintf(text, size, "%" PRId32, thread->tid);
	else
		snprintf(text, size, "%s (%" PRId32 ")", thread->name,
		         thread->tid);
}
