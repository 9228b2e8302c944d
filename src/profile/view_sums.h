/* SPDX-License-Identifier: BSD-2-Clause */
/* view_sums.h - what each function took, and stacks the other way round. */
#ifndef SYC_PROFILE_VIEW_SUMS_H
#define SYC_PROFILE_VIEW_SUMS_H

#include "profile/functions.h"
#include "profile/view_tree.h"

/** Sums by function, from a tree with selfs and totals.  0 or -ENOMEM. */
int syc_view_sum_up(struct syc_view *view,
                    const struct syc_functions *functions);
/** Turn every stack of the tree round.  0 or -ENOMEM. */
int syc_view_reverse(struct syc_view *view, size_t n_stacks);

#endif
