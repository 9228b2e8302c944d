/* SPDX-License-Identifier: BSD-2-Clause */
/* timeline.h - samples that pass a view, thread by thread, by time. */
#ifndef SYC_VIEW_TIMELINE_H
#define SYC_VIEW_TIMELINE_H

#include <syscap/profile.h>

struct syc_timeline {
	uint32_t *samples; /* numbers */
	size_t *begins;    /* thread t's: begins[t] to begins[t + 1] - 1 */
	size_t n_threads;
	uint32_t *marks; /* numbers, of one thread, by time */
	size_t n_marks;
};

/** 0 or -ENOMEM; what was there is freed. */
int syc_timeline_renew(struct syc_timeline *timeline,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);
/** Find the marks of @thread, those of lanes.  0 or -ENOMEM. */
int syc_timeline_find_marks(struct syc_timeline *timeline,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t thread);
void syc_timeline_fini(struct syc_timeline *timeline);

/**
 * The thread that has most.  Of wall time who sleeps has as much as who works:
 * there it is of the program, before what that started.
 */
uint32_t syc_timeline_foremost(const struct syc_timeline *timeline,
                               const struct syscap_profile *profile,
                               const struct syscap_view *view);

/** The first of the thread's samples at @time or later; its number in
 * samples[]. */
size_t syc_timeline_seek(const struct syc_timeline *timeline,
                         const struct syscap_profile_samples *samples,
                         uint32_t thread, double time);

#endif
