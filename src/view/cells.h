/* SPDX-License-Identifier: BSD-2-Clause */
/* cells.h - what the rows of all tables are made of. */
#ifndef SYC_VIEW_CELLS_H
#define SYC_VIEW_CELLS_H

#include "view/columns.h"
#include "view/desk.h"

/** Line @y is a row from here on.  The style of what is in it. */
struct syc_style syc_cells_begin(struct syc_desk *desk, int y, bool is_chosen);

/** @amount into @column, and into the next one how much of @of that is. */
void syc_cells_put_amount(const struct syc_columns *columns,
                          struct syc_desk *desk, int y, unsigned column,
                          uint64_t amount, uint64_t of, struct syc_style style);

#endif
