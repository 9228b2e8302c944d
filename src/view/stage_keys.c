/* SPDX-License-Identifier: BSD-2-Clause */
/* stage_keys.c - what keys and clicks mean, before a page is asked. */
#include "view/stage_keys.h"

#include <stdio.h>

#include "view/stage_draw.h"

static void go_to(struct syc_stage *stage, int page)
{
	stage->page = page;
	stage->shows_help = false;
}

static int search_on(struct syc_stage *stage, int direction)
{
	const struct syc_view_page *page = syc_stage_page(stage->page);
	int r = syc_stage_renew(stage);

	if (r < 0)
		return r;
	if (stage->desk.search.pattern[0] == 0)
		snprintf(stage->note, sizeof(stage->note),
		         "nothing was searched for: /");
	else if (page->find == NULL)
		snprintf(stage->note, sizeof(stage->note),
		         "there is nothing to search for on this page");
	else
		page->find(stage->states[stage->page], &stage->desk, direction);
	return 0;
}

/* Keys while a search is typed. */
static int take_typed(struct syc_stage *stage,
                      const struct syc_input_event *event)
{
	struct syc_search *search = &stage->desk.search;
	int r;

	switch (event->key) {
	case SYC_KEY_CHARACTER:
	case SYC_KEY_PASTED:
		syc_search_type(search, event->point);
		break;
	case SYC_KEY_BACKSPACE:
		if (!syc_search_rub_out(search))
			search->is_open = false;
		break;
	case SYC_KEY_UP:
		syc_search_recall(search, 1);
		break;
	case SYC_KEY_DOWN:
		syc_search_recall(search, -1);
		break;
	case SYC_KEY_ENTER:
		syc_search_accept(search);
		r = syc_desk_match(&stage->desk);
		if (r == 0 && search->pattern[0] != 0)
			r = search_on(stage, 1);
		return r;
	case SYC_KEY_ESCAPE:
	case SYC_KEY_CONTROL:
		search->is_open = false;
		break;
	default:
		break;
	}
	return 0;
}

static void back(struct syc_stage *stage)
{
	const struct syc_input_event event = { .key = SYC_KEY_BACKSPACE };

	if (stage->shows_help)
		stage->shows_help = false;
	else if (!syc_stage_page(stage->page)
	                  ->take(stage->states[stage->page], &stage->desk,
	                         &event) &&
	         !syc_desk_look_back(&stage->desk))
		snprintf(stage->note, sizeof(stage->note),
		         "there is nothing to go back to; q quits");
}

static bool take_click(struct syc_stage *stage,
                       const struct syc_input_event *event)
{
	if (event->key != SYC_KEY_CLICK || event->y != 1)
		return false;
	for (int i = 0; i < SYC_PAGES; i++)
		if (event->x >= stage->tabs[i] && event->x < stage->tabs[i + 1])
			go_to(stage, i);
	return true;
}

static bool take_control(struct syc_stage *stage, uint32_t letter)
{
	if (letter == 'c')
		stage->quits = true;
	else if (letter == 'z')
		stage->stops = true;
	else if (letter == 'l')
		stage->repaints = true;
	else
		return false;
	return true;
}

/* Letters that mean the same on all pages. */
static int take_letter(struct syc_stage *stage, uint32_t letter)
{
	struct syc_desk *desk = &stage->desk;

	if (letter >= '1' && letter < '1' + SYC_PAGES)
		go_to(stage, (int)(letter - '1'));
	else if (letter == 'q')
		stage->quits = true;
	else if (letter == '?')
		stage->shows_help = !stage->shows_help;
	else if (letter == '/')
		syc_search_open(&desk->search);
	else if (letter == 'n' || letter == 'N')
		return search_on(stage, letter == 'n' ? 1 : -1);
	else if (letter == 'u')
		back(stage);
	else if (letter == 'e')
		desk->is_exact = !desk->is_exact;
	else if (letter == 'r')
		return syc_desk_look(desk, SYC_LENS_REVERSE, 0);
	else if (letter == 'y')
		return syc_desk_look(desk, SYC_LENS_SYSTEM, 0);
	return 0;
}

static int take_key(struct syc_stage *stage,
                    const struct syc_input_event *event)
{
	switch (event->key) {
	case SYC_KEY_CONTROL:
		take_control(stage, event->point);
		return 0;
	case SYC_KEY_TAB:
		go_to(stage, (stage->page + 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_BACK_TAB:
		go_to(stage, (stage->page + SYC_PAGES - 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_ESCAPE:
	case SYC_KEY_BACKSPACE:
	case SYC_KEY_BACK_CLICK:
		back(stage);
		return 0;
	case SYC_KEY_CHARACTER:
		if (!stage->shows_help &&
		    syc_stage_page(stage->page)
		            ->take(stage->states[stage->page], &stage->desk,
		                   event))
			return 0;
		return take_letter(stage, event->point);
	default:
		if (!take_click(stage, event) && !stage->shows_help)
			syc_stage_page(stage->page)
				->take(stage->states[stage->page], &stage->desk,
			               event);
		return 0;
	}
}

int syc_stage_take(struct syc_stage *stage, const struct syc_input_event *event)
{
	struct syc_desk *desk = &stage->desk;
	int r;

	stage->note[0] = 0;
	if (event->key == SYC_KEY_CONTROL && event->point == 'c') {
		stage->quits = true;
		return 0;
	}
	/* No page is there that keys would mean something on. */
	if (stage->view == NULL || syc_stage_is_too_small(stage)) {
		if (event->key == SYC_KEY_CONTROL)
			take_control(stage, event->point);
		else
			stage->quits = event->key == SYC_KEY_CHARACTER &&
			               event->point == 'q';
		return 0;
	}
	/* What a key is for depends on what is on the screen: of a burst of
	 * keys, too. */
	r = stage->is_drawn ? 0 : syc_stage_draw(stage);
	stage->is_drawn = false;
	if (r == 0)
		r = desk->search.is_open ? take_typed(stage, event)
		                         : take_key(stage, event);
	if (r == 0 && desk->wants_page >= 0)
		go_to(stage, desk->wants_page);
	desk->wants_page = -1;
	return r;
}
