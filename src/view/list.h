/* SPDX-License-Identifier: BSD-2-Clause */
/* list.h - rows of which one is chosen and some are on the screen. */
#ifndef SYC_VIEW_LIST_H
#define SYC_VIEW_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "view/input.h"

struct syc_list {
	size_t n, chosen, top;
	int y, height; /* where it was drawn */
};

/** What an event was to a list. */
enum syc_list_took {
	SYC_LIST_NOTHING,
	SYC_LIST_MOVED,
	SYC_LIST_ENTERED /* a click on what was chosen */
};

/** @n rows in @height lines from @y on; what is chosen is among them. */
void syc_list_fit(struct syc_list *list, size_t n, int y, int height);
/** So many lines of it are used. */
int syc_list_lines(const struct syc_list *list);

enum syc_list_took syc_list_take(struct syc_list *list,
                                 const struct syc_input_event *event);

#endif
