/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page_context.c - state shared by all pages: capture, filters, search,
 * drawing.
 */
#define _GNU_SOURCE
#include "view/page_context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/now.h"
#include "common/strings.h"
#include "view/grid.h"
#include "view/table.h"

/* Bytes between checks of the clock: about a millisecond. */
#define PIECE 262144u
/* Bytes at the end of a large capture that have its symbol table. */
#define NAMES (64u << 20)

static void learn_size(struct syc_source *source)
{
	struct syscap_file_info info;

	syscap_reader_info(source->reader, &info);
	source->size = info.size;
}

int syc_source_open(struct syc_source *source, const char *file,
                    struct syscap_reader *reader,
                    const struct syscap_profile_options *options)
{
	memset(source, 0, sizeof(*source));
	source->file = file;
	source->reader = reader;
	learn_size(source);
	return syscap_profile_new(options, &source->profile);
}

void syc_source_close(struct syc_source *source)
{
	syscap_profile_free(source->profile);
	syscap_reader_close(source->reader);
}

int syc_source_read(struct syc_source *source, int64_t budget_ns)
{
	const int64_t end = budget_ns > 0 ? syc_now() + budget_ns : 0;
	int r;

	source->is_settled = false;
	do {
		r = syscap_profile_read_on(source->profile, source->reader,
		                           PIECE, &source->error);
		source->position = syscap_reader_tell(source->reader);
	} while (r > 0 && (end == 0 || syc_now() < end));
	source->is_read = r <= 0;
	if (r == -EBADMSG) {
		source->is_damaged = true;
		r = 0;
	}
	return r < 0 ? r : 0;
}

int syc_source_read_names(struct syc_source *source)
{
	return source->is_read || source->is_damaged
	               ? 0
	               : syscap_profile_read_names(source->profile,
	                                           source->reader, NAMES);
}

int syc_source_grow(struct syc_source *source)
{
	const uint64_t before = source->size;
	struct syscap_reader *reader;
	int r = syscap_reader_open(source->file, &reader, &source->error);

	if (r < 0)
		return r;
	syscap_reader_close(source->reader);
	source->reader = reader;
	learn_size(source);
	if (source->size == before)
		return 0;
	source->is_damaged = false;
	source->is_read = false;
	return 1;
}

int syc_source_settle(struct syc_source *source)
{
	const int r =
		source->is_settled ? 0 : syscap_profile_settle(source->profile);

	source->is_settled = r == 0;
	return r;
}

#define NONE SYSCAP_PROFILE_NONE

const struct syscap_profile_function *
syc_page_context_function(const struct syc_page_context *context, uint32_t node)
{
	return syscap_profile_function(context->source->profile,
	                               context->view->functions[node]);
}

const struct syscap_profile_mark_name *
syc_page_context_mark_name(const struct syc_page_context *context,
                           uint32_t name)
{
	size_t n;

	return &syscap_profile_mark_names(context->source->profile, &n)[name];
}

const struct syscap_filter *
syc_page_context_filter(const struct syc_page_context *context)
{
	return &context->lenses.items[context->lenses.n - 1].filter;
}

/* Make "^name$", with special characters of the name escaped. */
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

/* A copy of the last lens, which owns no texts. */
static struct syc_lens next_lens(const struct syc_page_context *context)
{
	return (struct syc_lens){ .filter = *syc_page_context_filter(context) };
}

static int push(struct syc_page_context *context, struct syc_lens *lens)
{
	if (lens->label == NULL ||
	    syc_array_push(&context->lenses, *lens) < 0) {
		free_lens(lens);
		return -ENOMEM;
	}
	context->wants_view = true;
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

int syc_page_context_look(struct syc_page_context *context, enum syc_lens_by by,
                          uint32_t function)
{
	const struct syscap_profile_function *about =
		syscap_profile_function(context->source->profile, function);
	struct syc_lens lens = next_lens(context);
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
	case SYC_LENS_RECORDING:
		filter->with_recording = !filter->with_recording;
		name_lens(&lens, filter->with_recording
		                         ? "with syscap itself"
		                         : "without syscap itself");
		break;
	}
	return push(context, &lens);
}

int syc_page_context_look_inside(struct syc_page_context *context,
                                 uint32_t name, double slowest_percent)
{
	const struct syscap_profile_mark_name *about;
	struct syc_lens lens = next_lens(context);
	size_t n;

	about = &syscap_profile_mark_names(context->source->profile, &n)[name];
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
	return push(context, &lens);
}

int syc_page_context_look_between(struct syc_page_context *context,
                                  int64_t from, int64_t to)
{
	struct syc_lens lens = next_lens(context);
	struct syscap_profile_span span;
	char begin[SYC_FIGURE], end[SYC_FIGURE];

	syscap_profile_span(context->source->profile, &span);
	lens.filter.has_from = lens.filter.has_to = true;
	lens.filter.from = from;
	lens.filter.to = to;
	syc_figures_moment(begin, from, span.begin, false);
	syc_figures_moment(end, to, span.begin, false);
	name_lens(&lens, "%s to %s", begin, end);
	return push(context, &lens);
}

int syc_page_context_look_at_thread(struct syc_page_context *context,
                                    uint32_t thread)
{
	struct syc_lens lens = next_lens(context);
	char name[128];

	lens.filter.threads = NULL;
	lens.filter.n_threads = 0;
	if (thread == NONE) {
		name_lens(&lens, "all threads");
		return push(context, &lens);
	}
	lens.text = malloc(sizeof(thread));
	if (lens.text == NULL)
		return -ENOMEM;
	memcpy(lens.text, &thread, sizeof(thread));
	lens.filter.threads = (const uint32_t *)(const void *)lens.text;
	lens.filter.n_threads = 1;
	syc_page_context_thread_name(context, thread, name, sizeof(name));
	name_lens(&lens, "thread %s", name);
	return push(context, &lens);
}

bool syc_page_context_look_back(struct syc_page_context *context)
{
	if (context->lenses.n <= 1)
		return false;
	free_lens(&context->lenses.items[--context->lenses.n]);
	context->wants_view = true;
	return true;
}

void syc_page_context_fini(struct syc_page_context *context)
{
	for (size_t i = 0; i < context->lenses.n; i++)
		free_lens(&context->lenses.items[i]);
	free(context->lenses.items);
	free(context->lines);
	free(context->matches);
	syc_search_fini(&context->search);
}

int syc_page_context_match(struct syc_page_context *context)
{
	const struct syscap_profile_function *functions;
	size_t n;

	context->match_number++;
	free(context->matches);
	context->matches = NULL;
	context->n_matches = 0;
	if (context->search.pattern[0] == 0)
		return 0;
	functions = syscap_profile_functions(context->source->profile, &n);
	context->matches = calloc(n + 1, 1);
	if (context->matches == NULL)
		return -ENOMEM;
	context->n_matches = n;
	context->match = SYC_SEARCH_NONE;
	for (size_t i = 1; i < n; i++) {
		const enum syc_search_match match =
			syc_search_match(&context->search, functions[i].name);

		if (match > context->match)
			context->match = match;
		context->matches[i] = (unsigned char)match;
	}
	for (size_t i = 1; i < n; i++)
		context->matches[i] = context->match != SYC_SEARCH_NONE &&
		                      context->matches[i] == context->match;
	return 0;
}

void syc_page_context_say(struct syc_page_context *context, const char *format,
                          ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(context->said, sizeof(context->said), format, args);
	va_end(args);
}

/*
 * Compute the hottest lines only when a page shows lines, since the computation
 * needs another view.
 */
static void find_lines(struct syc_page_context *context)
{
	const struct syscap_profile *profile = context->source->profile;
	struct syscap_filter filter = *syc_page_context_filter(context);
	struct syscap_profile_span span;
	struct syscap_view *view;
	size_t n;

	if (context->lines_of == context->view_number)
		return;
	context->lines_of = context->view_number;
	free(context->lines);
	context->lines = NULL;
	if (syc_source_settle(context->source) < 0)
		return;
	syscap_profile_span(profile, &span);
	filter.by_line = true;
	if (!span.has_lines ||
	    syscap_view_new(profile, &filter, &view, NULL) != 0)
		return;
	syscap_profile_functions(profile, &n);
	context->lines = malloc((n + 1) * sizeof(*context->lines));
	if (context->lines != NULL &&
	    syscap_view_hottest_lines(profile, view, context->lines) < 0) {
		free(context->lines);
		context->lines = NULL;
	}
	syscap_view_free(view);
}

void syc_page_context_source(struct syc_page_context *context,
                             uint32_t function, char *text, size_t size)
{
	const struct syscap_profile *profile = context->source->profile;
	const struct syscap_profile_line *lines;
	int n = 0;
	size_t ignored;

	text[0] = 0;
	if (syscap_profile_function(profile, function)->is_inlined)
		n = snprintf(text, size, " · inlined");
	find_lines(context);
	if (context->lines == NULL || context->lines[function] == NONE)
		return;
	lines = &syscap_profile_lines(profile,
	                              &ignored)[context->lines[function]];
	snprintf(text + n, size - (size_t)n, " · mostly %s:%" PRIu32,
	         lines->file, lines->line);
}

void syc_page_context_show_none(struct syc_page_context *context,
                                const char *text)
{
	const int x = (context->grid->width - syc_grid_columns(text)) / 2;

	syc_grid_put(context->grid, x > 0 ? x : 0,
	             context->top + (context->bottom - context->top) / 2,
	             context->grid->width, text, SYC_STYLE_QUIET);
	context->said[0] = 0;
}

const char *syc_page_context_counted(const struct syc_page_context *context,
                                     size_t n)
{
	const enum syscap_view_of of = syc_page_context_filter(context)->of;
	struct syscap_profile_heap heap;

	syscap_profile_heap(context->source->profile, &heap);
	/*
	 * With --memory=BYTES, each recorded allocation also represents other
	 * allocations.
	 */
	if (heap.sample_bytes > 0 && of != SYSCAP_VIEW_SAMPLES &&
	    of != SYSCAP_VIEW_BLOCKED && of != SYSCAP_VIEW_STALLED)
		return n != 1 ? "sampled allocations" : "sampled allocation";
	return syscap_view_of_name(of, n);
}

void syc_page_context_unsampled(const struct syc_page_context *context,
                                char *text, size_t size)
{
	struct syscap_profile_unsampled unsampled;

	syscap_profile_unsampled(context->source->profile, &unsampled);
	syscap_profile_describe_unsampled(&unsampled, text, size);
}

void syc_page_context_show_no_samples(struct syc_page_context *context)
{
	size_t n = context->view->n_looked;
	char text[SYC_FIGURE], line[SYC_FIGURE + 80];

	if (n == 0) {
		snprintf(line, sizeof(line), "no %s",
		         syc_page_context_counted(context, 0));
		syc_page_context_show_none(context, line);
		return;
	}
	syc_figures_count(text, n, context->is_exact);
	snprintf(line, sizeof(line), "of %s %s, none passes the filter%s", text,
	         syc_page_context_counted(context, n),
	         context->lenses.n > 1 ? "; Backspace removes it" : "");
	syc_page_context_show_none(context, line);
}

void syc_page_context_put_function(struct syc_page_context *context, int x,
                                   int y, int width, uint32_t function,
                                   struct syc_style style)
{
	const struct syscap_profile_function *about =
		syscap_profile_function(context->source->profile, function);
	struct syc_style quiet = style;
	int used;

	if (syc_page_context_is_match(context, function))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	used = syc_grid_put(context->grid, x, y, width, about->name, style);
	if ((quiet.attributes & SYC_REVERSE) == 0)
		quiet.attributes |= SYC_DIM;
	if (about->is_inlined && used + 4 < width)
		used += 2 + syc_grid_put(context->grid, x + used + 2, y,
		                         width - used - 2, "(inlined)", quiet);
	if (about->binary[0] != 0 && used + 4 < width)
		syc_grid_put(context->grid, x + used + 2, y, width - used - 2,
		             about->binary, quiet);
}

void syc_page_context_thread_name(const struct syc_page_context *context,
                                  uint32_t number, char *text, size_t size)
{
	const struct syscap_profile_thread *thread;
	size_t n;

	thread = &syscap_profile_threads(context->source->profile, &n)[number];
	if (thread->tid < 0)
		snprintf(text, size, "%s", "–");
	else if (thread->name[0] == 0)
		snprintf(text, size, "%" PRId32, thread->tid);
	else
		snprintf(text, size, "%s (%" PRId32 ")", thread->name,
		         thread->tid);
}

static struct syc_style choose_style(const struct syc_page_context *context,
                                     uint32_t node)
{
	const uint32_t function = context->view->functions[node];
	struct syc_style style = SYC_STYLE_PLAIN;

	if (context->has_colours && node == 0)
		style = syc_palette_frame(SYSCAP_CATEGORY_NOTE, 0);
	else if (context->has_colours)
		style = syc_palette_frame(
			syc_page_context_function(context, node)->category,
			function);
	if (syc_page_context_is_match(context, function))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	else if (context->has_colours && context->search.pattern[0] != 0)
		style.ground = 0xD8D8D8;
	return style;
}

void syc_box_draw(struct syc_page_context *context, int x, int y, int width,
                  uint32_t node, bool is_chosen)
{
	const char *name =
		node == 0 ? "all"
			  : syc_page_context_function(context, node)->name;
	struct syc_style style = choose_style(context, node);

	if (is_chosen)
		style.attributes |= SYC_REVERSE;
	syc_grid_fill(context->grid, x, y, width, ' ', style);
	/* Without colours, bars separate the boxes. */
	if (!context->has_colours && node != 0) {
		syc_grid_fill(context->grid, x, y, 1, SYC_BOX_BAR, style);
		x++;
		width--;
	}
	if (width >= SYC_BOX_NAME_LEAST || syc_grid_columns(name) <= width)
		syc_grid_put(context->grid, x, y, width, name, style);
}
