/* SPDX-License-Identifier: BSD-2-Clause */
/* losses.c - the losses page: intervals with losses, and their extent. */
#include "view/page_context.h"
#include "view/table.h"

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

static int renew(void *state, struct syc_page_context *context)
{
	(void)state;
	(void)context;
	return 0;
}

static void draw_row(const struct lost *lost, struct syc_page_context *context,
                     size_t row, int y)
{
	const struct syc_columns *at = &lost->columns;
	const struct syc_style style =
		syc_cells_begin(context, y, row == lost->list.chosen);
	const struct syscap_profile_loss *loss;
	struct syscap_profile_span span;
	char text[128];
	int64_t duration;
	size_t n;

	loss = &syscap_profile_losses(context->source->profile,
	                              &n)[context->view->losses[row]];
	syscap_profile_span(context->source->profile, &span);
	syc_figures_moment(text, loss->begin, span.begin, context->is_exact);
	syc_columns_put(at, context->grid, AT, y, text, style);
	if (__builtin_sub_overflow(loss->end, loss->begin, &duration))
		duration = INT64_MAX;
	syc_figures_time(text, duration, context->is_exact);
	syc_columns_put(at, context->grid, DURATION, y, text, style);
	syc_figures_count(text, loss->frames, context->is_exact);
	syc_columns_put(at, context->grid, FRAMES, y, text, style);
	syc_figures_count(text, loss->samples, context->is_exact);
	syc_columns_put(at, context->grid, SAMPLES, y, text, style);
	syc_figures_count(text, loss->bytes, context->is_exact);
	syc_columns_put(at, context->grid, BYTES, y, text, style);
	syc_page_context_thread_name(context, loss->thread, text, sizeof(text));
	syc_columns_put(at, context->grid, THREAD, y, text, style);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct lost *lost = state;
	struct syc_list *list = &lost->list;
	char unsampled[160];

	syc_page_context_unsampled(context, unsampled, sizeof(unsampled));
	if (context->view->n_losses == 0) {
		const char *const why =
			syscap_profile_incomplete(context->source->profile);

		syc_page_context_show_none(
			context, why != NULL         ? why
				 : unsampled[0] != 0 ? unsampled
						     : "nothing was lost");
		if (why == NULL && unsampled[0] != 0)
			syc_page_context_say(context, "no events were lost");
		return;
	}
	syc_columns_fit(&lost->columns, columns, N_COLUMNS, context);
	syc_columns_titles(&lost->columns, context->grid, context->top, -1,
	                   false);
	syc_list_fit(list, context->view->n_losses, context->top + 1,
	             context->bottom - context->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_row(lost, context, list->top + (size_t)i, list->y + i);
	syc_page_context_say(context, "%zu of %zu intervals%s%s",
	                     list->chosen + 1, list->n,
	                     unsampled[0] != 0 ? " · " : "", unsampled);
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct lost *lost = state;

	(void)context;
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
