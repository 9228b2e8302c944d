/* SPDX-License-Identifier: BSD-2-Clause */
/* stage.c - the viewer without its terminal: its pages, and the view that they
 * show. */
#define _GNU_SOURCE
#include "view/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

static const struct syc_view_page *const pages[SYC_PAGES] = {
	[SYC_PAGE_FLAME] = &syc_flame_page,
	[SYC_PAGE_CHART] = &syc_chart_page,
	[SYC_PAGE_FUNCTIONS] = &syc_functions_page,
	[SYC_PAGE_MARKS] = &syc_marks_page,
	[SYC_PAGE_COMPARE] = &syc_compare_page,
	[SYC_PAGE_COUNTERS] = &syc_counters_page,
	[SYC_PAGE_LOGS] = &syc_logs_page,
	[SYC_PAGE_LOST] = &syc_lost_page,
};

const struct syc_view_page *syc_stage_page(int number)
{
	return number >= 0 && number < SYC_PAGES ? pages[number] : NULL;
}

int syc_stage_init(struct syc_stage *stage, struct syc_source *source,
                   int width, int height)
{
	memset(stage, 0, sizeof(*stage));
	stage->source = source;
	stage->desk.source = source;
	stage->desk.grid = &stage->grid;
	stage->desk.wants_page = -1;
	stage->desk.about_mark = stage->desk.about_name = NONE;
	stage->state = "";
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		stage->states[i] = calloc(1, pages[i]->size);
		if (stage->states[i] == NULL)
			return -ENOMEM;
	}
	return syc_grid_resize(&stage->grid, width, height);
}

void syc_stage_fini(struct syc_stage *stage)
{
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		if (stage->states[i] != NULL)
			pages[i]->fini(stage->states[i]);
		free(stage->states[i]);
	}
	syc_desk_fini(&stage->desk);
	syc_grid_fini(&stage->grid);
	syscap_view_free(stage->view);
	syscap_view_free(stage->kept);
}

static int64_t after(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

int syc_stage_begin(struct syc_stage *stage, const struct syscap_filter *filter,
                    const char *text)
{
	struct syscap_profile_span span;
	struct syc_lens lens = {
		.filter = *filter,
		.label = strdup(text[0] != 0 ? text : "everything"),
	};

	syscap_profile_span(stage->source->profile, &span);
	lens.filter.from = after(span.begin, filter->from);
	lens.filter.to = after(span.begin, filter->to);
	if (lens.label == NULL ||
	    syc_array_push(&stage->desk.lenses, lens) < 0) {
		free(lens.label);
		return -ENOMEM;
	}
	return 0;
}

static int put_view(struct syc_stage *stage, struct syscap_view *view)
{
	stage->view = view;
	stage->n_lenses = stage->desk.lenses.n;
	stage->desk.view = view;
	stage->desk.view_number++;
	return syc_desk_match(&stage->desk);
}

int syc_stage_ask(struct syc_stage *stage, struct syscap_error *error)
{
	struct syc_desk *desk = &stage->desk;
	struct syscap_view *view;
	int r;

	stage->is_drawn = false;
	desk->wants_view = false;
	while ((r = syscap_view_new(stage->source->profile,
	                            syc_desk_filter(desk), &view, error)) ==
	       -EINVAL) {
		if (!syc_desk_look_back(desk))
			return r;
		snprintf(stage->note, sizeof(stage->note), "%s",
		         error->message);
	}
	desk->wants_view = false;
	if (r < 0)
		return r;
	syscap_view_free(stage->kept);
	stage->kept = NULL;
	syscap_view_free(stage->view);
	return put_view(stage, view);
}

/* More was read since it was asked: of all that, where it is asked again. */
static int catch_up(struct syc_stage *stage)
{
	struct syscap_error error;
	int r = 0;

	if (!stage->source->is_settled) {
		r = syc_source_settle(stage->source);
		if (r == 0)
			r = syc_stage_ask(stage, &error);
	}
	return r == -EINVAL ? 0 : r;
}

int syc_stage_look(struct syc_stage *stage)
{
	struct syc_desk *desk = &stage->desk;
	struct syscap_view *before = stage->view, *kept = stage->kept;
	const size_t n_before = stage->n_lenses;
	struct syscap_error error;
	int r;

	if (!stage->source->is_settled)
		return catch_up(stage);
	/* It is what it was when it was asked last. */
	desk->wants_view = false;
	if (kept != NULL && stage->n_kept == desk->lenses.n) {
		stage->kept = NULL;
		syscap_view_free(before);
		return put_view(stage, kept);
	}
	stage->view = NULL;
	r = syc_stage_ask(stage, &error);
	if (stage->view == NULL) {
		stage->view = before;
		return r;
	}
	if (n_before < desk->lenses.n) {
		stage->kept = before;
		stage->n_kept = n_before;
	} else {
		syscap_view_free(before);
	}
	return r;
}

int syc_stage_renew(struct syc_stage *stage)
{
	const int page = stage->page;
	int r = 0;

	if (stage->seen[page] != stage->desk.view_number)
		r = catch_up(stage);
	if (r == 0 && stage->seen[page] != stage->desk.view_number)
		r = pages[page]->renew(stage->states[page], &stage->desk);
	if (r == 0)
		stage->seen[page] = stage->desk.view_number;
	if (r == 0 && stage->desk.wants_order)
		pages[page]->order(stage->states[page], &stage->desk);
	stage->desk.wants_order = false;
	return r;
}
