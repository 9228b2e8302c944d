/* SPDX-License-Identifier: BSD-2-Clause */
/* by_thread.h - the samples of a view, thread by thread, in order of time. */
#ifndef SYC_EXPORT_BY_THREAD_H
#define SYC_EXPORT_BY_THREAD_H

#include <syscap/profile.h>

struct syc_by_thread {
	size_t n_threads;
	/* Thread t's samples are numbers[begins[t]] to
	 * numbers[begins[t + 1]] - 1. */
	size_t *begins;
	uint32_t *numbers;
};

/** 0 or -ENOMEM. */
int syc_by_thread_init(struct syc_by_thread *by,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);
void syc_by_thread_fini(struct syc_by_thread *by);

#endif
