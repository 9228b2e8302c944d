/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stage.h - the viewer without its terminal: events in, a grid of cells out.
 */
#ifndef SYC_VIEW_STAGE_H
#define SYC_VIEW_STAGE_H

#include "view/desk.h"
#include "view/page.h"

struct syc_stage {
	struct syc_desk desk;
	struct syc_source *source;
	struct syc_grid grid;
	struct syscap_view *view;
	/* The one through a lens less, that going back needs no walk over all
	 * samples for; or NULL. */
	struct syscap_view *kept;
	size_t n_lenses, n_kept; /* of the view, of the kept one */
	void *states[SYC_PAGES];
	unsigned seen[SYC_PAGES]; /* which view each has */
	int page;
	int tabs[SYC_PAGES + 1]; /* where their names begin */
	char note[256];          /* instead of what is said, till a key */
	const char *title;
	const char *state; /* "reading 40 %", "live", or "" */
	bool shows_help, quits, stops, repaints;
	bool is_drawn; /* as it is */
};

/** 0 or -ENOMEM. */
int syc_stage_init(struct syc_stage *stage, struct syc_source *source,
                   int width, int height);
void syc_stage_fini(struct syc_stage *stage);

/** The first lens; times of @filter are after the beginning.  0 or -ENOMEM. */
int syc_stage_begin(struct syc_stage *stage, const struct syscap_filter *filter,
                    const char *text);

/**
 * Look at the source, which was settled, through the lenses.  0, -ENOMEM, or
 * -EINVAL where the first lens can't be; what a later one can't is told and
 * taken back.
 */
int syc_stage_ask(struct syc_stage *stage, struct syscap_error *error);

/** What was asked for through the lenses meanwhile.  0 or -ENOMEM. */
int syc_stage_look(struct syc_stage *stage);

/** The page knows of the view that there is.  0 or -ENOMEM. */
int syc_stage_renew(struct syc_stage *stage);

const struct syc_view_page *syc_stage_page(int number);

#endif
