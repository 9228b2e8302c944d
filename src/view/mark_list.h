/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_list.h - the marks of one name, one by one, and how long they took as
 * bars over time. */
#ifndef SYC_VIEW_MARK_LIST_H
#define SYC_VIEW_MARK_LIST_H

#include "view/columns.h"
#include "view/desk.h"
#include "view/list.h"
#include "view/mark_table.h"

#define SYC_MARK_LIST_BARS 1000

/** By what they may be sorted: the first columns, and at first by time. */
#define SYC_MARK_LIST_ORDERS 3
#define SYC_MARK_LIST_TIME   0

/** All zero is good. */
struct syc_mark_list {
	size_t row; /* of the name, in the table */
	struct syc_list list;
	struct syc_columns columns;
	int sorted; /* a column */
	bool is_up;
	int n_bars; /* 0: not made yet */
	double bars[SYC_MARK_LIST_BARS];
};

/** Begin with those of row @row. */
void syc_mark_list_begin(struct syc_mark_list *marks, size_t row);

/** Put them into order. */
void syc_mark_list_sort(const struct syc_mark_list *marks,
                        struct syc_mark_table *table,
                        const struct syc_desk *desk);

void syc_mark_list_draw(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        struct syc_desk *desk);

/** Choose the next, or by @direction the previous, whose message the search
 * finds. */
void syc_mark_list_find(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        const struct syc_desk *desk, size_t direction);

#endif
