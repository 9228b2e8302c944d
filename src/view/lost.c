/* SPDX-License-Identifier: BSD-2-Clause */
/* lost.c - when something was lost, and how much. */
#include <inttypes.h>
#include <stdio.h>

#include "view/cells.h"
#include "view/list.h"
#include "view/page.h"

enum {
	AT,
	DURATION,
	FRAMES,
	SAMPLES,
	BYTES,
	THREAD,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[AT] = { "at", 16, true, 1 },
	[DURATION] = { "for", 12, true, 0 },
	[FRAMES] = { "frames", 10, true, 2 },
	[SAMPLES] = { "samples", 10, true, 3 },
	[BYTES] = { "bytes", 12, true, 4 },
	[THREAD] = { "thread", 0, false, 0 },
};

struct lost {
	struct syc_list list;
	struct syc_columns columns;
};

static int renew(void *state, struct syc_desk *desk)
{
	(void)state;
	(void)desk;
	return 0;
}

static void draw_row(const struct lost *lost, struct syc_desk *desk, size_t row,
                     int y)
{
	const struct syc_columns *at = &lost->columns;
	const struct syc_style style =
		syc_cells_begin(desk, y, row == lost->list.chosen);
	const struct syscap_profile_loss *loss;
	struct syscap_profile_span span;
	char text[128];
	int64_t duration;
	size_t n;

	loss = &syscap_profile_losses(desk->source->profile,
	                              &n)[desk->view->losses[row]];
	syscap_profile_span(desk->source->profile, &span);
	syc_figures_moment(text, loss->begin, span.begin, desk->is_exact);
	syc_columns_put(at, desk->grid, AT, y, text, style);
	if (__builtin_sub_overflow(loss->end, loss->begin, &duration))
		duration = INT64_MAX;
	syc_figures_time(text, duration, desk->is_exact);
	syc_columns_put(at, desk->grid, DURATION, y, text, style);
	syc_figures_count(text, loss->frames, desk->is_exact);
	syc_columns_put(at, desk->grid, FRAMES, y, text, style);
	syc_figures_count(text, loss->samples, desk->is_exact);
	syc_columns_put(at, desk->grid, SAMPLES, y, text, style);
	syc_figures_count(text, loss->bytes, desk->is_exact);
	syc_columns_put(at, desk->grid, BYTES, y, text, style);
	syc_desk_thread_name(desk, loss->thread, text, sizeof(text));
	syc_columns_put(at, desk->grid, THREAD, y, text, style);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct lost *lost = state;
	struct syc_list *list = &lost->list;

	if (desk->view->n_losses == 0) {
		syc_desk_show_none(desk, "nothing was lost");
		return;
	}
	syc_columns_fit(&lost->columns, columns, N_COLUMNS, desk->grid->width);
	syc_columns_titles(&lost->columns, desk->grid, desk->top, -1, false);
	syc_list_fit(list, desk->view->n_losses, desk->top + 1,
	             desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_row(lost, desk, list->top + (size_t)i, list->y + i);
	syc_desk_say(desk, "%zu of %zu intervals", list->chosen + 1, list->n);
}

static bool take(void *state, struct syc_desk *desk,
                 const struct syc_input_event *event)
{
	struct lost *lost = state;

	(void)desk;
	return syc_list_take(&lost->list, event) != SYC_LIST_NOTHING;
}

static void fini(void *state)
{
	(void)state;
}

const struct syc_view_page syc_lost_page = {
	.name = "lost",
	.hints = "↑↓ move",
	.size = sizeof(struct lost),
	.renew = renew,
	.draw = draw,
	.take = take,
	.fini = fini,
};
