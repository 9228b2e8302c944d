/* SPDX-License-Identifier: BSD-2-Clause */
/* page.h - what a page of the viewer is. */
#ifndef SYC_VIEW_PAGE_H
#define SYC_VIEW_PAGE_H

#include "view/desk.h"

struct syc_view_page {
	const char *name;
	const char *hints; /* "KEY what  KEY what", the most useful first */
	size_t size;       /* of its state, which is all zero at first */
	/* The view is another one.  0 or -ENOMEM. */
	int (*renew)(void *state, struct syc_desk *desk);
	/* Put what is listed into the order that was asked for; NULL: there is
	 * none to ask for. */
	void (*order)(void *state, struct syc_desk *desk);
	void (*draw)(void *state, struct syc_desk *desk);
	/* Whether the key meant something. */
	bool (*take)(void *state, struct syc_desk *desk,
	             const struct syc_input_event *event);
	/* Go to the next (1) or the previous (-1) that the search finds; NULL:
	 * there is nothing to find. */
	void (*find)(void *state, struct syc_desk *desk, int direction);
	void (*fini)(void *state);
};

extern const struct syc_view_page syc_flame_page, syc_chart_page,
	syc_functions_page, syc_marks_page, syc_compare_page, syc_counters_page,
	syc_logs_page, syc_lost_page;

#endif
