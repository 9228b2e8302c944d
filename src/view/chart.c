/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chart.c - the flame chart page: the activity of one thread over time.
 *
 * Time goes to the right.  Marks are on top, intervals with losses below the
 * marks, then stacks.
 */
#include <math.h>
#include <stdio.h>

#include "view/page_context.h"
#include "view/table.h"
#include "view/timeline.h"

#define NONE SYSCAP_PROFILE_NONE

#define MARK_ROWS 3
#define LOST      0x2592u
#define LEAST_NS  100

struct chart {
	struct syc_timeline timeline;
	uint32_t thread;
	bool has_thread, has_range;
	struct syc_axis axis; /* time range that the page shows */
	struct syc_column_stacks stacks;
	int cursor, scrolled;
};

/* The column of @time; the first column, or the width, if @time is outside. */
static int column_at(const struct syc_axis *axis, double time)
{
	const double x =
		(time - axis->begin) / (axis->end - axis->begin) * axis->width;

	return x < 0 ? 0 : x > axis->width ? axis->width : (int)x;
}

/*
 * Zoom to @factor of the time; column @x stays in place.  Returns false if the
 * time is too short to distinguish columns.
 */
static bool zoom_axis(struct syc_axis *axis, int x, double factor)
{
	const double at = syc_axis_time(axis, x);

	if ((axis->end - axis->begin) * factor < LEAST_NS)
		return false;
	axis->begin = at - (at - axis->begin) * factor;
	axis->end = at + (axis->end - at) * factor;
	return true;
}

static void move_axis(struct syc_axis *axis, int columns)
{
	const double by =
		(syc_axis_time(axis, 1) - syc_axis_time(axis, 0)) * columns;

	axis->begin += by;
	axis->end += by;
}

/* Number of digits that fit for the last time. */
static int count_digits(double begin, double end, int room)
{
	const double most = fmax(fabs(begin), fabs(end)) / 1e9;
	int digits = 6;

	while (digits > 1 && snprintf(NULL, 0, "%+.*f s", digits, most) > room)
		digits--;
	return digits;
}

/* Draw a line with times, relative to the start of the capture. */
static void draw_axis(const struct syc_axis *axis,
                      struct syc_page_context *context, int y)
{
	struct syscap_profile_span span;
	char text[SYC_FIGURE];
	const int step = 16;
	int digits;

	syscap_profile_span(context->source->profile, &span);
	digits = count_digits(axis->begin - (double)span.begin,
	                      axis->end - (double)span.begin, step - 2);
	for (int x = 0; x + step <= axis->width; x += step) {
		snprintf(text, sizeof(text), "%+.*f s", digits,
		         (syc_axis_time(axis, x) - (double)span.begin) / 1e9);
		syc_grid_fill(context->grid, x, y, 1, SYC_BOX_BAR,
		              SYC_STYLE_QUIET);
		syc_grid_put(context->grid, x + 1, y, step - 2, text,
		             SYC_STYLE_QUIET);
	}
}

static const struct syscap_profile_thread *
thread_of(const struct syc_page_context *context, uint32_t thread)
{
	size_t n;

	return &syscap_profile_threads(context->source->profile, &n)[thread];
}

static size_t count_samples(const struct chart *chart, uint32_t thread)
{
	return chart->timeline.samples.begins[thread + 1] -
	       chart->timeline.samples.begins[thread];
}

/* Show the whole time of the view. */
static void show_all(struct chart *chart,
                     const struct syc_page_context *context)
{
	const struct syscap_filter *filter = syc_page_context_filter(context);
	struct syscap_profile_span span;

	syscap_profile_span(context->source->profile, &span);
	chart->axis.begin =
		(double)(filter->has_from ? filter->from : span.begin);
	chart->axis.end = (double)(filter->has_to ? filter->to : span.end);
	if (chart->axis.end < chart->axis.begin + 1)
		chart->axis.end = chart->axis.begin + 1;
	chart->has_range = false;
}

static int choose_thread(struct chart *chart,
                         const struct syc_page_context *context,
                         uint32_t thread)
{
	chart->thread = thread;
	chart->scrolled = 0;
	return syc_timeline_find_marks(&chart->timeline,
	                               context->source->profile, context->view,
	                               thread);
}

static int renew(void *state, struct syc_page_context *context)
{
	struct chart *chart = state;
	const int r = syc_timeline_renew(
		&chart->timeline, context->source->profile, context->view);

	if (r < 0 || chart->timeline.n_threads == 0)
		return r;
	if (!chart->has_thread)
		chart->thread = syc_timeline_foremost(&chart->timeline,
		                                      context->source->profile,
		                                      context->view);
	if (!chart->has_range)
		show_all(chart, context);
	return choose_thread(chart, context, chart->thread);
}

/* Go to the mark that another page selected. */
static void go_to_mark(struct chart *chart, struct syc_page_context *context)
{
	const struct syscap_profile_mark mark = syscap_profile_mark(
		context->source->profile, context->about_mark);
	const double begin = (double)mark.time;
	const double duration = (double)mark.duration;
	double room;

	context->about_mark = NONE;
	room = duration > 0 ? duration / 5 : 1e6;
	chart->axis.begin = begin - room;
	chart->axis.end = begin + duration + room;
	chart->has_range = true;
	chart->has_thread = true;
	chart->cursor = 0;
	choose_thread(chart, context, mark.thread);
}

static double end_of(const struct syscap_profile_mark *mark)
{
	return (double)mark->time + (double)mark->duration;
}

static void draw_marks(const struct chart *chart,
                       struct syc_page_context *context)
{
	const struct syscap_profile_mark_name *names;
	size_t n;

	names = syscap_profile_mark_names(context->source->profile, &n);
	for (size_t i = 0; i < chart->timeline.n_marks; i++) {
		const struct syscap_profile_mark mark = syscap_profile_mark(
			context->source->profile, chart->timeline.marks[i]);
		const int row = (int)(mark.depth < MARK_ROWS ? mark.depth
		                                             : MARK_ROWS - 1);
		int x, end;

		if ((double)mark.time >= chart->axis.end)
			break;
		if (mark.lane != 0 || mark.depth >= MARK_ROWS ||
		    end_of(&mark) < chart->axis.begin)
			continue;
		x = column_at(&chart->axis, (double)mark.time);
		end = column_at(&chart->axis, end_of(&mark));
		if (end <= x)
			end = x + 1;
		syc_grid_fill(context->grid, x, context->top + row, end - x,
		              ' ', SYC_STYLE_TITLE);
		syc_grid_fill(context->grid, x, context->top + row, 1,
		              SYC_BOX_BAR, SYC_STYLE_LINK);
		if (end - x > SYC_BOX_NAME_LEAST)
			syc_grid_put(context->grid, x + 1, context->top + row,
			             end - x - 1, names[mark.name].name,
			             SYC_STYLE_TITLE);
	}
}

/* Draw losses of the thread, or of its process. */
static void draw_losses(const struct chart *chart,
                        struct syc_page_context *context, int y)
{
	const struct syscap_profile_loss *losses;
	const uint32_t process = thread_of(context, chart->thread)->process;
	size_t n;

	losses = syscap_profile_losses(context->source->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_thread *thread =
			thread_of(context, losses[i].thread);
		int x, end;

		if (losses[i].thread != chart->thread &&
		    (thread->tid >= 0 || thread->process != process))
			continue;
		if ((double)losses[i].begin >= chart->axis.end ||
		    (double)losses[i].end < chart->axis.begin)
			continue;
		x = column_at(&chart->axis, (double)losses[i].begin);
		end = column_at(&chart->axis, (double)losses[i].end);
		syc_grid_fill(context->grid, x, y, end > x ? end - x : 1, LOST,
		              SYC_STYLE_BAD);
	}
}

static void say(const struct chart *chart, struct syc_page_context *context)
{
	const uint32_t node = chart->stacks.nodes[chart->cursor];
	const double time = syc_axis_time(&chart->axis, chart->cursor);
	char name[128], width[SYC_FIGURE];
	struct syscap_profile_span span;

	syscap_profile_span(context->source->profile, &span);
	syc_page_context_thread_name(context, chart->thread, name,
	                             sizeof(name));
	syc_figures_time(
		width, (int64_t)fmin(chart->axis.end - chart->axis.begin, 9e18),
		false);
	syc_page_context_say(
		context, "thread %s · %s · %+.6f s · %s", name, width,
		(time - (double)span.begin) / 1e9,
		node == NONE || node == 0
			? "–"
			: syc_page_context_function(context, node)->name);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct chart *chart = state;
	const bool is_roomy =
		context->bottom - context->top > 2 * MARK_ROWS + 2;
	int y = context->top;

	if (chart->timeline.n_threads == 0 ||
	    context->view->unit == SYSCAP_UNIT_BYTES) {
		syc_page_context_show_no_samples(context);
		return;
	}
	if (context->about_mark != NONE)
		go_to_mark(chart, context);
	chart->axis.width = context->grid->width < SYC_COLUMN_STACKS_MOST
	                            ? context->grid->width
	                            : SYC_COLUMN_STACKS_MOST;
	if (chart->cursor >= chart->axis.width)
		chart->cursor = chart->axis.width - 1;
	syc_column_stacks_find(&chart->stacks, context, &chart->timeline,
	                       chart->thread, &chart->axis);
	if (is_roomy) {
		draw_marks(chart, context);
		y += MARK_ROWS;
	}
	draw_axis(&chart->axis, context, y);
	draw_losses(chart, context, y++);
	syc_column_stacks_draw(&chart->stacks, context, y, chart->scrolled);
	for (; y < context->bottom; y++)
		syc_grid_at(context->grid, chart->cursor, y)
			->style.attributes ^= SYC_REVERSE;
	say(chart, context);
}

static int64_t clamp(double time)
{
	return (int64_t)fmin(fmax(time, -9.2e18), 9.2e18);
}

/* Zoom to @factor of the time; the cursor stays in place. */
static void zoom(struct chart *chart, double factor)
{
	if (zoom_axis(&chart->axis, chart->cursor, factor))
		chart->has_range = true;
}

static void move(struct chart *chart, int by)
{
	const int width = chart->axis.width;

	chart->cursor += by;
	while (chart->cursor < 0 || chart->cursor >= width) {
		const int pan =
			chart->cursor < 0 ? -width / 4 - 1 : width / 4 + 1;

		chart->cursor -= pan;
		move_axis(&chart->axis, pan);
		chart->has_range = true;
	}
}

/* Go to the next thread that has samples or marks. */
static void step_thread(struct chart *chart, struct syc_page_context *context,
                        int by)
{
	const size_t n = chart->timeline.n_threads;
	uint32_t thread = chart->thread;

	for (size_t i = 0; i < n; i++) {
		thread = (uint32_t)((thread + n + (size_t)by) % n);
		if (count_samples(chart, thread) > 0 ||
		    thread_of(context, thread)->n_marks > 0)
			break;
	}
	chart->has_thread = true;
	choose_thread(chart, context, thread);
}

static bool take_letter(struct chart *chart, struct syc_page_context *context,
                        uint32_t letter)
{
	if (letter == '+' || letter == '=')
		zoom(chart, 0.5);
	else if (letter == '-')
		zoom(chart, 2);
	else if (letter == 't' || letter == 'T')
		step_thread(chart, context, letter == 't' ? 1 : -1);
	else if (letter == 'h' || letter == 'l')
		move(chart, letter == 'h' ? -1 : 1);
	else if (letter == 'j')
		chart->scrolled++;
	else if (letter == 'k')
		chart->scrolled -= chart->scrolled > 0;
	else if (letter == 'f')
		syc_page_context_look_at_thread(context, chart->thread);
	else
		return false;
	return true;
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct chart *chart = state;

	if (chart->timeline.n_threads == 0)
		return false;
	switch (event->key) {
	case SYC_KEY_LEFT:
	case SYC_KEY_RIGHT:
		move(chart, event->key == SYC_KEY_LEFT ? -1 : 1);
		return true;
	case SYC_KEY_PAGE_UP:
	case SYC_KEY_PAGE_DOWN:
		move(chart, (event->key == SYC_KEY_PAGE_UP ? -1 : 1) *
		                    (chart->axis.width / 2));
		return true;
	case SYC_KEY_UP:
	case SYC_KEY_DOWN:
		return take_letter(chart, context,
		                   event->key == SYC_KEY_UP ? 'k' : 'j');
	case SYC_KEY_WHEEL_UP:
	case SYC_KEY_WHEEL_DOWN:
		zoom(chart, event->key == SYC_KEY_WHEEL_UP ? 0.8 : 1.25);
		return true;
	case SYC_KEY_CLICK:
		if (event->y < context->top || event->x >= chart->axis.width)
			return false;
		chart->cursor = event->x;
		return true;
	case SYC_KEY_HOME:
		show_all(chart, context);
		return true;
	case SYC_KEY_ENTER:
		if (syc_page_context_look_between(context,
		                                  clamp(chart->axis.begin),
		                                  clamp(chart->axis.end)) == 0)
			context->wants_page = SYC_PAGE_FLAME;
		return true;
	case SYC_KEY_BACKSPACE:
		if (!chart->has_range)
			return false;
		show_all(chart, context);
		return true;
	case SYC_KEY_CHARACTER:
		return take_letter(chart, context, event->point);
	default:
		return false;
	}
}

/* Go to the next column with a match of the search. */
static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct chart *chart = state;

	for (int i = 1; i < chart->axis.width; i++) {
		const int x =
			(chart->cursor + chart->axis.width + i * direction) %
			chart->axis.width;
		uint32_t node = chart->stacks.nodes[x];

		for (; node != NONE && node != 0;
		     node = context->view->parents[node])
			if (syc_page_context_is_match(
				    context, context->view->functions[node])) {
				chart->cursor = x;
				return context->match;
			}
	}
	return SYC_SEARCH_NONE;
}

static void fini(void *state)
{
	struct chart *chart = state;

	syc_timeline_fini(&chart->timeline);
}

const struct syc_view_page syc_chart_page = {
	.name = "chart",
	.hints = "←→ move  + - zoom  t T thread  Enter only this time  f only "
		 "this thread  Backspace back  / search",
	.size = sizeof(struct chart),
	.renew = renew,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
