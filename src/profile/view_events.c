/* SPDX-License-Identifier: BSD-2-Clause */
/* view_events.c - what of a profile that has no stack is in a view. */
#include "profile/view_events.h"

#include <errno.h>

/* Where the thread is not known, it may have been any of its process's. */
static bool is_of_threads(const struct syc_filter *filter,
                          const struct syscap_profile *profile, uint32_t number)
{
	const struct syscap_profile_thread *thread =
		&profile->who.threads.items[number];

	return filter->threads[number] ||
	       (thread->tid < 0 && filter->processes[thread->process]);
}

int syc_view_events(struct syc_view *view, struct syc_filter *filter,
                    const struct syscap_profile *profile)
{
	const struct syscap_filter *asked = filter->asked;

	view->from = asked->has_from ? asked->from : INT64_MIN;
	view->last = INT64_MAX;
	if (asked->has_to) {
		/* No time is below the least one. */
		view->last = asked->to - (asked->to > INT64_MIN);
		if (asked->to == INT64_MIN)
			view->from = INT64_MAX;
	}
	for (size_t i = 0; i < profile->losses.n; i++) {
		const struct syscap_profile_loss *loss =
			&profile->losses.items[i];

		if (loss->end >= view->from && loss->begin <= view->last &&
		    is_of_threads(filter, profile, loss->thread) &&
		    syc_array_push(&view->losses, (uint32_t)i) < 0)
			return -ENOMEM;
	}
	view->threads = filter->threads;
	filter->threads = NULL;
	return 0;
}

bool syscap_view_has(const struct syscap_view *public, uint32_t thread,
                     int64_t time)
{
	const struct syc_view *view = (const struct syc_view *)public;

	return view->threads[thread] && time >= view->from &&
	       time <= view->last;
}
