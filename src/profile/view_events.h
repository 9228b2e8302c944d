/* SPDX-License-Identifier: BSD-2-Clause */
/* view_events.h - what of a profile that has no stack is in a view. */
#ifndef SYC_PROFILE_VIEW_EVENTS_H
#define SYC_PROFILE_VIEW_EVENTS_H

#include "profile/filter.h"
#include "profile/view_tree.h"

/**
 * Times and threads of @filter, and the losses that touch them.  @view has
 * @filter's threads from here on.  0 or -ENOMEM.
 */
int syc_view_events(struct syc_view *view, struct syc_filter *filter,
                    const struct syscap_profile *profile);

#endif
