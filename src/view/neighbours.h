/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * neighbours.h - one function between those that call it and those that it
 * calls, with the way on which one came to it.
 */
#ifndef SYC_VIEW_NEIGHBOURS_H
#define SYC_VIEW_NEIGHBOURS_H

#include "view/around.h"
#include "view/columns.h"
#include "view/desk.h"
#include "view/list.h"

/** All zero: there is no such function. */
struct syc_neighbours {
	SYC_ARRAY(uint32_t) path; /* the function, behind those before it */
	struct syc_around around;
	struct syc_list list;
	struct syc_columns columns;
};

void syc_neighbours_fini(struct syc_neighbours *neighbours);

/** The view is another one.  0 or -ENOMEM. */
int syc_neighbours_renew(struct syc_neighbours *neighbours,
                         struct syc_desk *desk);

/** Go on to @function, which is not the one that there is. */
void syc_neighbours_enter(struct syc_neighbours *neighbours,
                          struct syc_desk *desk, uint32_t function);

/** Back to the one before, or to none.  False: there was none. */
bool syc_neighbours_back(struct syc_neighbours *neighbours,
                         struct syc_desk *desk);

/** The function that is chosen; ROOT: that it is outermost. */
uint32_t syc_neighbours_chosen(const struct syc_neighbours *neighbours);

void syc_neighbours_draw(struct syc_neighbours *neighbours,
                         struct syc_desk *desk);

#endif
