/* SPDX-License-Identifier: BSD-2-Clause */
/* app.c - the viewer on a terminal, or one screen of the viewer as text. */
#define _GNU_SOURCE

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/now.h"
#include "view/app_state.h"
#include "view/grid.h"
#include "view/terminal.h"

#define MS INT64_C(1000000)

#define FIRST_READ (300 * MS) /* time to read before the first screen */
#define SLICE      (10 * MS)  /* time to read between checks of the keyboard */
#define SECOND     (1000 * MS)
#define PROGRESS   (500 * MS)
#define ESCAPE_MS  40 /* time for the rest of a key after an escape */
#define LOAD       50 /* updates of a growing file may take 1/50 of the time */

struct app {
	const struct syc_app_options *options;
	struct syc_source source;
	struct syc_app_state state;
	struct syc_paint paint;
	struct syc_input input;
	char progress[64];
	uint64_t asked; /* bytes read at the last query */
	int64_t next;   /* time of the next update of a growing file */
	int64_t took;   /* duration of the last update */
	int64_t shown;
	unsigned asks, shown_ask;
	bool is_growing;
	struct syscap_error error;
};

bool syc_app_has_page(const char *name)
{
	for (int i = 0; i < SYC_PAGES; i++)
		if (strcmp(syc_app_state_page(i)->name, name) == 0)
			return true;
	return false;
}

const char *syc_app_page_name(unsigned number)
{
	return number < SYC_PAGES ? syc_app_state_page((int)number)->name
	                          : NULL;
}

static int begin(struct app *app, const struct syc_app_options *options,
                 int width, int height)
{
	int r;

	memset(app, 0, sizeof(*app));
	app->options = options;
	r = syc_source_open(&app->source, options->file, options->reader,
	                    &options->profile);
	if (r == 0)
		r = syc_app_state_init(&app->state, &app->source, width,
		                       height);
	if (r < 0)
		return r;
	app->state.title =
		options->title != NULL ? options->title : options->file;
	app->state.grid.is_ascii = options->is_ascii;
	app->state.context.is_exact = options->is_exact;
	app->state.context.has_colours = options->colours != SYC_COLOURS_NONE;
	app->paint.colours = options->colours;
	app->is_growing = options->is_live;
	for (int i = 0; options->page != NULL && i < SYC_PAGES; i++)
		if (strcmp(syc_app_state_page(i)->name, options->page) == 0)
			app->state.page = i;
	return 0;
}

static void end(struct app *app)
{
	syc_paint_fini(&app->paint);
	syc_app_state_fini(&app->state);
	syc_source_close(&app->source);
}

static void tell_state(struct app *app)
{
	const struct syc_source *source = &app->source;

	app->progress[0] = 0;
	if (!source->is_read && source->size > 0)
		snprintf(app->progress, sizeof(app->progress), "reading, %u %%",
		         (unsigned)(source->position * 100 / source->size));
	else if (app->is_growing)
		snprintf(app->progress, sizeof(app->progress), "recording");
	else if (source->is_damaged)
		snprintf(app->progress, sizeof(app->progress), "damaged");
	app->state.progress = app->progress;
}

/* Make a view of the part read so far. */
static int ask(struct app *app)
{
	const struct syc_app_options *options = app->options;
	int r = syc_source_settle(&app->source);

	app->asked = app->source.position;
	app->asks++;
	if (r == 0 && app->state.context.lenses.n == 0)
		r = syc_app_state_begin(&app->state, options->filter,
		                        options->filter_text);
	if (r == 0)
		r = syc_app_state_ask(&app->state, &app->error);
	/* The marks that a filter names may still be missing. */
	if (r == -EINVAL && (!app->source.is_read || app->is_growing))
		r = 0;
	return r;
}

static int read_on(struct app *app, int64_t budget)
{
	const struct syc_source *source = &app->source;
	int r = syc_source_read(&app->source, budget);

	if (r == 0 && app->asked == 0)
		r = syc_source_read_names(&app->source);
	/* Query again when the read part has doubled.  Then each query costs as
	 * much as all earlier queries together. */
	if (r == 0 && (source->is_read || app->asked == 0 ||
	               source->position >= 2 * app->asked))
		r = ask(app);
	return r;
}

/* Wait a second, or longer if an update takes long. */
static int64_t usual_wait(int64_t took)
{
	return took * LOAD > SECOND ? took * LOAD : SECOND;
}

static int look_again(struct app *app)
{
	const struct syc_app_options *options = app->options;
	const int64_t now = syc_now();
	struct syscap_profile_span span;
	int64_t took;
	int r;

	if (options->goes_on != NULL)
		app->is_growing = options->goes_on(options->context);
	r = syc_source_grow(&app->source);
	if (r > 0)
		r = syc_source_read(&app->source, 0);
	if (r == 0)
		r = ask(app);
	syscap_profile_span(app->source.profile, &span);
	app->is_growing &= !span.is_finished;
	took = syc_now() - now;
	/*
	 * Use the shorter of the last two times, since names are looked up
	 * once.
	 */
	app->next = now + usual_wait(took < app->took ? took : app->took);
	app->took = took;
	return r;
}

static int paint(struct app *app)
{
	const int r = syc_paint_update(&app->paint, &app->state.grid);

	return r == 0 && app->paint.bytes.n > 0
	               ? syc_terminal_write(app->paint.bytes.items,
	                                    app->paint.bytes.n)
	               : r;
}

static int show(struct app *app)
{
	int r = 0;

	tell_state(app);
	app->shown = syc_now();
	app->shown_ask = app->asks;
	if (syc_app_state_is_late(&app->state)) {
		syc_app_state_draw_late(&app->state);
		r = paint(app);
	}
	if (r == 0)
		r = syc_app_state_draw(&app->state);
	return r == 0 ? paint(app) : r;
}

static int resize(struct app *app)
{
	int width, height;

	syc_terminal_size(&width, &height);
	syc_paint_forget(&app->paint);
	return syc_grid_resize(&app->state.grid, width, height);
}

static int take_keys(struct app *app, bool is_late)
{
	struct syc_input_event event;
	int r = 0;

	while (r == 0 && !app->state.quits &&
	       syc_input_next(&app->input, is_late, &event))
		r = syc_app_state_take(&app->state, &event);
	if (app->state.repaints)
		syc_paint_forget(&app->paint);
	app->state.repaints = false;
	if (app->state.stops)
		syc_terminal_stop();
	app->state.stops = false;
	return r;
}

static int read_keys(struct app *app)
{
	unsigned char *bytes;
	size_t size;
	long n;

	bytes = syc_input_room(&app->input, &size);
	n = syc_terminal_read(bytes, size);
	if (n > 0)
		app->input.n += (size_t)n;
	return take_keys(app, false);
}

/* The time to wait for a key before other work, in ms; -1: no limit. */
static int choose_wait(const struct app *app)
{
	int64_t left;

	if (!app->source.is_read)
		return 0;
	if (app->input.n > 0)
		return ESCAPE_MS;
	if (!app->is_growing)
		return -1;
	left = (app->next - syc_now()) / MS + 1;
	return left > 0 ? (int)left : 0;
}

static int step(struct app *app)
{
	const bool is_late = app->input.n > 0;
	const unsigned found = syc_terminal_wait(choose_wait(app));
	int r = 0;

	if ((found & SYC_TERMINAL_GONE) != 0)
		app->state.quits = true;
	if ((found & SYC_TERMINAL_RESIZED) != 0)
		r = resize(app);
	if (r == 0 && (found & SYC_TERMINAL_INPUT) != 0)
		r = read_keys(app);
	else if (r == 0 && is_late)
		r = take_keys(app, true);
	if (r == 0 && !app->source.is_read && !app->state.quits)
		r = read_on(app, SLICE);
	else if (r == 0 && app->is_growing && syc_now() >= app->next)
		r = look_again(app);
	/* Do not draw the progress after each piece of the file. */
	if (r < 0 || app->state.quits ||
	    (found == 0 && !is_late && app->asks == app->shown_ask &&
	     syc_now() - app->shown < PROGRESS))
		return r;
	return show(app);
}

int syc_app_run(const struct syc_app_options *options)
{
	struct app app;
	int width = 80, height = 24, r;

	r = begin(&app, options, width, height);
	if (r == 0)
		r = syc_terminal_open();
	if (r == 0)
		r = resize(&app);
	if (r == 0)
		r = read_on(&app, FIRST_READ);
	if (r == 0)
		r = show(&app);
	while (r == 0 && !app.state.quits)
		r = step(&app);
	syc_terminal_close();
	if (r == -EINVAL)
		fprintf(stderr, "%s: %s: %s\n", options->command, options->file,
		        app.error.message);
	end(&app);
	return r;
}

int syc_app_snapshot(const struct syc_app_options *options, const char *keys,
                     int width, int height, FILE *out,
                     struct syscap_error *error, bool *ret_is_damaged)
{
	struct app app;
	int r = begin(&app, options, width, height);

	app.is_growing = false;
	if (r == 0)
		r = read_on(&app, 0);
	if (options->judge != NULL && (r == 0 || r == -EINVAL))
		options->judge(options->context, app.source.profile, r,
		               &app.error);
	for (size_t n = strlen(keys), at = 0; r == 0 && at < n;) {
		size_t room;
		unsigned char *bytes = syc_input_room(&app.input, &room);

		if (room > n - at)
			room = n - at;
		memcpy(bytes, keys + at, room);
		app.input.n += room;
		at += room;
		r = take_keys(&app, at == n);
	}
	tell_state(&app);
	if (r == 0)
		r = syc_app_state_draw(&app.state);
	if (r == 0 && options->colours != SYC_COLOURS_NONE)
		r = syc_paint_print(&app.state.grid, options->colours, out);
	else if (r == 0)
		syc_grid_print(&app.state.grid, out);
	*error = app.source.is_damaged ? app.source.error : app.error;
	*ret_is_damaged = app.source.is_damaged;
	end(&app);
	return r;
}
