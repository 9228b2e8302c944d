/* SPDX-License-Identifier: BSD-2-Clause */
/* view_sums.h - what each function took, and stacks the other way round. */
#ifndef SC_PROFILE_VIEW_SUMS_H
#define SC_PROFILE_VIEW_SUMS_H

#include "profile/functions.h"
#include "profile/view_tree.h"

/** Sums by function, from a tree with selfs and totals.  0 or -ENOMEM. */
int sc_view_sum_up(struct sc_view *view, const struct sc_functions *functions);
/** Turn every stack of the tree round.  0 or -ENOMEM. */
int sc_view_reverse(struct sc_view *view, size_t n_stacks);

#endif
