/* SPDX-License-Identifier: BSD-2-Clause */
/* by_thread.h - the samples of a view, thread by thread, in order of time. */
#ifndef SC_EXPORT_BY_THREAD_H
#define SC_EXPORT_BY_THREAD_H

#include <syscap/profile.h>

struct sc_by_thread {
	size_t n_threads;
	/* Thread t's samples are numbers[begins[t]] to
	 * numbers[begins[t + 1]] - 1. */
	size_t *begins;
	uint32_t *numbers;
};

/** 0 or -ENOMEM. */
int sc_by_thread_init(struct sc_by_thread *by,
                      const struct syscap_profile *profile,
                      const struct syscap_view *view);
void sc_by_thread_fini(struct sc_by_thread *by);

#endif
