/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_names.h - marks by group and name, with statistics. */
#ifndef SYC_VIEW_MARK_NAMES_H
#define SYC_VIEW_MARK_NAMES_H

#include "view/columns.h"
#include "view/desk.h"
#include "view/list.h"
#include "view/mark_table.h"

/** By what they may be sorted: so many columns, and the total's at first. */
#define SYC_MARK_NAMES_ORDERS 8
#define SYC_MARK_NAMES_TOTAL  1

/** All zero is good. */
struct syc_mark_names {
	struct syc_list list;
	struct syc_columns columns;
	int sorted; /* a column */
	bool is_up;
};

/** Put the rows of @table into order. */
void syc_mark_names_sort(const struct syc_mark_names *names,
                         struct syc_mark_table *table,
                         const struct syc_desk *desk);

void syc_mark_names_draw(struct syc_mark_names *names,
                         const struct syc_mark_table *table,
                         struct syc_desk *desk);

/** Choose the next, or by @direction the previous, that the search finds. */
void syc_mark_names_find(struct syc_mark_names *names,
                         const struct syc_mark_table *table,
                         const struct syc_desk *desk, size_t direction);

#endif
