/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * by_thread.h - the samples of a view, thread by thread, in order of time.
 *
 * A capture has them in order of time, of all threads mixed.  They are
 * picked out piece by piece: the numbers of all samples together would be a
 * fifth of what the profile itself has of them.
 */
#ifndef SYC_EXPORT_BY_THREAD_H
#define SYC_EXPORT_BY_THREAD_H

#include <stdbool.h>

#include <syscap/profile.h>

struct syc_by_thread {
	size_t n_threads;
	/* Thread t has begins[t + 1] - begins[t] samples. */
	size_t *begins;

	/* What follows is of by_thread.c. */
	const struct syscap_view *view;
	struct syscap_profile_samples samples;
	bool *is_mixed; /* by thread: not in order in the file */
	size_t piece;   /* so many samples are picked out at a time */
	/* The piece: samples of threads first to end - 1; of a thread that has
	 * more of them than a piece, those from its @skipped-th on. */
	size_t first, end, skipped;
	uint32_t *rows;
	size_t n;
	size_t next;  /* samples from here on were not looked at */
	size_t *ends; /* by thread: where its next one goes */
};

/** 0 or -ENOMEM.  To be ended in any case; the profile and the view have to
 * stay as long. */
int syc_by_thread_init(struct syc_by_thread *by,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);
void syc_by_thread_fini(struct syc_by_thread *by);

/**
 * The numbers of the samples of @thread from its @at-th on, not all of them;
 * NULL at the end.  They are good until the next call.  It is cheap to ask for
 * threads one after another, and for what follows the piece before.
 *
 *	for (size_t at = 0; (rows = syc_by_thread_get(by, t, at, &n)) != NULL;
 *	     at += n)
 */
const uint32_t *syc_by_thread_get(struct syc_by_thread *by, uint32_t thread,
                                  size_t at, size_t *ret_n);

#endif
