/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chart.c - the flame chart: what one thread did when.  Time goes to the
 * right; its marks on top, where something was lost below them, then the stack
 * that most samples of a column's time have, of up to 32 that are looked at.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/page.h"
#include "view/palette.h"
#include "view/timeline.h"

#define NONE SYSCAP_PROFILE_NONE

#define WIDTH_MOST  1000
#define LOOKED_MOST 32
#define MARK_ROWS   3
#define LOST        0x2592u
#define BAR         0x2502u
#define NAME_LEAST  4

struct chart {
	struct syc_timeline timeline;
	uint32_t thread;
	bool has_thread, has_range;
	double begin, end; /* of what is shown */
	int cursor, scrolled;
	uint32_t nodes[WIDTH_MOST]; /* of columns; NONE */
	int depths[WIDTH_MOST];
	int width;
};

static const struct syscap_profile_thread *
thread_of(const struct syc_desk *desk, uint32_t thread)
{
	size_t n;

	return &syscap_profile_threads(desk->source->profile, &n)[thread];
}

static size_t count_samples(const struct chart *chart, uint32_t thread)
{
	return chart->timeline.begins[thread + 1] -
	       chart->timeline.begins[thread];
}

/* All that there is of what is looked at. */
static void show_all(struct chart *chart, const struct syc_desk *desk)
{
	const struct syscap_filter *filter = syc_desk_filter(desk);
	struct syscap_profile_span span;

	syscap_profile_span(desk->source->profile, &span);
	chart->begin = (double)(filter->has_from ? filter->from : span.begin);
	chart->end = (double)(filter->has_to ? filter->to : span.end);
	if (chart->end < chart->begin + 1)
		chart->end = chart->begin + 1;
	chart->has_range = false;
}

static void find_busiest(struct chart *chart)
{
	size_t most = 0;

	chart->thread = 0;
	for (uint32_t i = 0; i < chart->timeline.n_threads; i++)
		if (count_samples(chart, i) > most) {
			most = count_samples(chart, i);
			chart->thread = i;
		}
}

static int choose_thread(struct chart *chart, const struct syc_desk *desk,
                         uint32_t thread)
{
	chart->thread = thread;
	chart->scrolled = 0;
	return syc_timeline_find_marks(&chart->timeline, desk->source->profile,
	                               desk->view, thread);
}

static int renew(void *state, struct syc_desk *desk)
{
	struct chart *chart = state;
	const int r = syc_timeline_renew(&chart->timeline,
	                                 desk->source->profile, desk->view);

	if (r < 0 || chart->timeline.n_threads == 0)
		return r;
	if (!chart->has_thread)
		find_busiest(chart);
	if (!chart->has_range)
		show_all(chart, desk);
	return choose_thread(chart, desk, chart->thread);
}

/* To the mark that another page is about. */
static void go_to_mark(struct chart *chart, struct syc_desk *desk)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(desk->source->profile, desk->about_mark);
	const double begin = (double)mark.time;
	const double duration = (double)mark.duration;
	double room;

	desk->about_mark = NONE;
	room = duration > 0 ? duration / 5 : 1e6;
	chart->begin = begin - room;
	chart->end = begin + duration + room;
	chart->has_range = true;
	chart->has_thread = true;
	chart->cursor = 0;
	choose_thread(chart, desk, mark.thread);
}

static double time_at(const struct chart *chart, int x)
{
	return chart->begin + (chart->end - chart->begin) * x /
	                              (chart->width > 0 ? chart->width : 1);
}

static int column_at(const struct chart *chart, double time)
{
	const double x = (time - chart->begin) / (chart->end - chart->begin) *
	                 chart->width;

	return x < 0 ? 0 : x > chart->width ? chart->width : (int)x;
}

/* The node that most of them have, of some that are looked at. */
static uint32_t most_frequent(const struct chart *chart,
                              const struct syc_desk *desk,
                              const struct syscap_profile_samples *samples,
                              size_t first, size_t end)
{
	const size_t n = end - first;
	const size_t looked = n < LOOKED_MOST ? n : LOOKED_MOST;
	uint32_t nodes[LOOKED_MOST], best = NONE;
	unsigned most = 0;

	for (size_t i = 0; i < looked; i++) {
		const size_t at = first + i * n / looked;

		nodes[i] =
			desk->view->nodes
				[samples->stacks[chart->timeline.samples[at]]];
	}
	for (size_t i = 0; i < looked; i++) {
		unsigned same = 0;

		for (size_t k = 0; k < looked; k++)
			same += nodes[k] == nodes[i];
		if (same > most && nodes[i] != NONE) {
			most = same;
			best = nodes[i];
		}
	}
	return best;
}

static void find_columns(struct chart *chart, const struct syc_desk *desk)
{
	struct syscap_profile_samples samples;
	const uint64_t tick =
		syscap_profile_tick(desk->source->profile, chart->thread);
	const size_t last = chart->timeline.begins[chart->thread + 1];

	syscap_profile_samples(desk->source->profile, &samples);
	for (int x = 0; x < chart->width; x++) {
		const size_t first =
			syc_timeline_seek(&chart->timeline, &samples,
		                          chart->thread, time_at(chart, x));
		const size_t end =
			syc_timeline_seek(&chart->timeline, &samples,
		                          chart->thread, time_at(chart, x + 1));
		uint32_t node = NONE;

		if (end > first) {
			node = most_frequent(chart, desk, &samples, first, end);
		} else if (first < last) {
			/* A sample is of the time before it. */
			const uint32_t number = chart->timeline.samples[first];
			const double begun =
				(double)samples.times[number] -
				(double)tick * samples.ticks[number];

			if (begun < time_at(chart, x + 1))
				node = desk->view
				               ->nodes[samples.stacks[number]];
		}
		chart->nodes[x] = node;
		chart->depths[x] = 0;
		for (; node != NONE && node != 0;
		     node = desk->view->parents[node])
			chart->depths[x]++;
	}
}

/* Who is at @depth, 1 the outermost, of the column. */
static uint32_t node_at(const struct chart *chart, const struct syc_desk *desk,
                        int x, int depth)
{
	uint32_t node = chart->nodes[x];

	if (depth > chart->depths[x])
		return NONE;
	for (int i = chart->depths[x]; i > depth; i--)
		node = desk->view->parents[node];
	return node;
}

static void draw_frame(const struct chart *chart, struct syc_desk *desk, int x,
                       int y, int width, uint32_t node)
{
	const struct syscap_profile_function *function =
		syc_desk_function(desk, node);
	const uint32_t number = desk->view->functions[node];
	struct syc_style style = SYC_STYLE_PLAIN;

	if (desk->has_colours)
		style = syc_palette_frame(function->category, number);
	if (syc_desk_is_match(desk, number))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	else if (desk->has_colours && desk->search.pattern[0] != 0)
		style.ground = 0xD8D8D8;
	syc_grid_fill(desk->grid, x, y, width, ' ', style);
	if (!desk->has_colours) {
		syc_grid_fill(desk->grid, x++, y, 1, BAR, style);
		width--;
	}
	if (width >= NAME_LEAST || syc_grid_columns(function->name) <= width)
		syc_grid_put(desk->grid, x, y, width, function->name, style);
	(void)chart;
}

static void draw_stacks(struct chart *chart, struct syc_desk *desk, int top)
{
	for (int y = top; y < desk->bottom; y++) {
		const int depth = y - top + 1 + chart->scrolled;
		int begin = 0;

		for (int x = 1; x <= chart->width; x++) {
			const uint32_t node =
				node_at(chart, desk, begin, depth);

			if (x < chart->width &&
			    node_at(chart, desk, x, depth) == node)
				continue;
			if (node != NONE)
				draw_frame(chart, desk, begin, y, x - begin,
				           node);
			begin = x;
		}
	}
}

static double end_of(const struct syscap_profile_mark *mark)
{
	return (double)mark->time + (double)mark->duration;
}

static void draw_marks(const struct chart *chart, struct syc_desk *desk)
{
	const struct syscap_profile_mark_name *names;
	size_t n;

	names = syscap_profile_mark_names(desk->source->profile, &n);
	for (size_t i = 0; i < chart->timeline.n_marks; i++) {
		const struct syscap_profile_mark mark = syscap_profile_mark(
			desk->source->profile, chart->timeline.marks[i]);
		const int row = (int)(mark.depth < MARK_ROWS ? mark.depth
		                                             : MARK_ROWS - 1);
		int x, end;

		if ((double)mark.time >= chart->end)
			break;
		if (mark.lane != 0 || mark.depth >= MARK_ROWS ||
		    end_of(&mark) < chart->begin)
			continue;
		x = column_at(chart, (double)mark.time);
		end = column_at(chart, end_of(&mark));
		if (end <= x)
			end = x + 1;
		syc_grid_fill(desk->grid, x, desk->top + row, end - x, ' ',
		              SYC_STYLE_TITLE);
		syc_grid_fill(desk->grid, x, desk->top + row, 1, BAR,
		              SYC_STYLE_LINK);
		if (end - x > NAME_LEAST)
			syc_grid_put(desk->grid, x + 1, desk->top + row,
			             end - x - 1, names[mark.name].name,
			             SYC_STYLE_TITLE);
	}
}

/* Of the thread, or of its process. */
static void draw_losses(const struct chart *chart, struct syc_desk *desk, int y)
{
	const struct syscap_profile_loss *losses;
	const uint32_t process = thread_of(desk, chart->thread)->process;
	size_t n;

	losses = syscap_profile_losses(desk->source->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_thread *thread =
			thread_of(desk, losses[i].thread);
		int x, end;

		if (losses[i].thread != chart->thread &&
		    (thread->tid >= 0 || thread->process != process))
			continue;
		if ((double)losses[i].begin >= chart->end ||
		    (double)losses[i].end < chart->begin)
			continue;
		x = column_at(chart, (double)losses[i].begin);
		end = column_at(chart, (double)losses[i].end);
		syc_grid_fill(desk->grid, x, y, end > x ? end - x : 1, LOST,
		              SYC_STYLE_BAD);
	}
}

/* As many digits as the last one has room for. */
static int count_digits(double begin, double end, int room)
{
	const double most = fmax(fabs(begin), fabs(end)) / 1e9;
	int digits = 6;

	while (digits > 1 && snprintf(NULL, 0, "%+.*f s", digits, most) > room)
		digits--;
	return digits;
}

static void draw_axis(const struct chart *chart, struct syc_desk *desk, int y)
{
	struct syscap_profile_span span;
	char text[SYC_FIGURE];
	const int step = 16;
	int digits;

	syscap_profile_span(desk->source->profile, &span);
	digits = count_digits(chart->begin - (double)span.begin,
	                      chart->end - (double)span.begin, step - 2);
	for (int x = 0; x + step <= chart->width; x += step) {
		snprintf(text, sizeof(text), "%+.*f s", digits,
		         (time_at(chart, x) - (double)span.begin) / 1e9);
		syc_grid_fill(desk->grid, x, y, 1, BAR, SYC_STYLE_QUIET);
		syc_grid_put(desk->grid, x + 1, y, step - 2, text,
		             SYC_STYLE_QUIET);
	}
}

static void say(const struct chart *chart, struct syc_desk *desk)
{
	const uint32_t node = chart->nodes[chart->cursor];
	const double time = time_at(chart, chart->cursor);
	char name[128], width[SYC_FIGURE];
	struct syscap_profile_span span;

	syscap_profile_span(desk->source->profile, &span);
	syc_desk_thread_name(desk, chart->thread, name, sizeof(name));
	syc_figures_time(width, (int64_t)fmin(chart->end - chart->begin, 9e18),
	                 false);
	syc_desk_say(desk, "thread %s · %s · %+.6f s · %s", name, width,
	             (time - (double)span.begin) / 1e9,
	             node == NONE || node == 0
	                     ? "–"
	                     : syc_desk_function(desk, node)->name);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct chart *chart = state;
	const bool is_roomy = desk->bottom - desk->top > 2 * MARK_ROWS + 2;
	int y = desk->top;

	if (chart->timeline.n_threads == 0 ||
	    desk->view->unit == SYSCAP_UNIT_BYTES) {
		syc_desk_show_none(desk, "no samples");
		return;
	}
	if (desk->about_mark != NONE)
		go_to_mark(chart, desk);
	chart->width =
		desk->grid->width < WIDTH_MOST ? desk->grid->width : WIDTH_MOST;
	if (chart->cursor >= chart->width)
		chart->cursor = chart->width - 1;
	find_columns(chart, desk);
	if (is_roomy) {
		draw_marks(chart, desk);
		y += MARK_ROWS;
	}
	draw_axis(chart, desk, y);
	draw_losses(chart, desk, y++);
	draw_stacks(chart, desk, y);
	for (; y < desk->bottom; y++)
		syc_grid_at(desk->grid, chart->cursor, y)->style.attributes ^=
			SYC_REVERSE;
	say(chart, desk);
}

static int64_t clamp(double time)
{
	return (int64_t)fmin(fmax(time, -9.2e18), 9.2e18);
}

/* @factor of what is shown, with the cursor where it is. */
static void zoom(struct chart *chart, struct syc_desk *desk, double factor)
{
	const double at = time_at(chart, chart->cursor);

	if ((chart->end - chart->begin) * factor < 100)
		return;
	chart->begin = at - (at - chart->begin) * factor;
	chart->end = at + (chart->end - at) * factor;
	chart->has_range = true;
	(void)desk;
}

static void move(struct chart *chart, int by)
{
	const double step = time_at(chart, 1) - time_at(chart, 0);

	chart->cursor += by;
	while (chart->cursor < 0 || chart->cursor >= chart->width) {
		const int pan = chart->cursor < 0 ? -chart->width / 4 - 1
		                                  : chart->width / 4 + 1;

		chart->cursor -= pan;
		chart->begin += step * pan;
		chart->end += step * pan;
		chart->has_range = true;
	}
}

/* The next thread that has samples or marks. */
static void step_thread(struct chart *chart, struct syc_desk *desk, int by)
{
	const size_t n = chart->timeline.n_threads;
	uint32_t thread = chart->thread;

	for (size_t i = 0; i < n; i++) {
		thread = (uint32_t)((thread + n + (size_t)by) % n);
		if (count_samples(chart, thread) > 0 ||
		    thread_of(desk, thread)->n_marks > 0)
			break;
	}
	chart->has_thread = true;
	choose_thread(chart, desk, thread);
}

static bool take_letter(struct chart *chart, struct syc_desk *desk,
                        uint32_t letter)
{
	if (letter == '+' || letter == '=')
		zoom(chart, desk, 0.5);
	else if (letter == '-')
		zoom(chart, desk, 2);
	else if (letter == 't' || letter == 'T')
		step_thread(chart, desk, letter == 't' ? 1 : -1);
	else if (letter == 'h' || letter == 'l')
		move(chart, letter == 'h' ? -1 : 1);
	else if (letter == 'j')
		chart->scrolled++;
	else if (letter == 'k')
		chart->scrolled -= chart->scrolled > 0;
	else if (letter == 'f')
		syc_desk_look_at_thread(desk, chart->thread);
	else
		return false;
	return true;
}

static bool take(void *state, struct syc_desk *desk,
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
		                    (chart->width / 2));
		return true;
	case SYC_KEY_UP:
	case SYC_KEY_DOWN:
		return take_letter(chart, desk,
		                   event->key == SYC_KEY_UP ? 'k' : 'j');
	case SYC_KEY_WHEEL_UP:
	case SYC_KEY_WHEEL_DOWN:
		zoom(chart, desk, event->key == SYC_KEY_WHEEL_UP ? 0.8 : 1.25);
		return true;
	case SYC_KEY_CLICK:
		if (event->y < desk->top || event->x >= chart->width)
			return false;
		chart->cursor = event->x;
		return true;
	case SYC_KEY_HOME:
		show_all(chart, desk);
		return true;
	case SYC_KEY_ENTER:
		if (syc_desk_look_between(desk, clamp(chart->begin),
		                          clamp(chart->end)) == 0)
			desk->wants_page = SYC_PAGE_FLAME;
		return true;
	case SYC_KEY_BACKSPACE:
		if (!chart->has_range)
			return false;
		show_all(chart, desk);
		return true;
	case SYC_KEY_CHARACTER:
		return take_letter(chart, desk, event->point);
	default:
		return false;
	}
}

/* The next column that has what is searched for. */
static void find(void *state, struct syc_desk *desk, int direction)
{
	struct chart *chart = state;

	for (int i = 1; i < chart->width; i++) {
		const int x = (chart->cursor + chart->width + i * direction) %
		              chart->width;
		uint32_t node = chart->nodes[x];

		for (; node != NONE && node != 0;
		     node = desk->view->parents[node])
			if (syc_desk_is_match(desk,
			                      desk->view->functions[node])) {
				chart->cursor = x;
				return;
			}
	}
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
