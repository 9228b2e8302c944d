/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * by_thread.c - the samples of a view, thread by thread, in order of time.
 *
 * A piece has the samples of several threads, or some of one thread that has
 * many; then the next piece goes on where the walk over all samples was.  So
 * as many walks are needed as there are pieces of threads with few samples,
 * at most about sixteen.
 */
#include "export/by_thread.h"

#include <errno.h>
#include <stdlib.h>

#include "data/order.h"

#define LEAST_PIECE 65536u
#define MOST_PIECES 8u

static size_t count_of(const struct syc_by_thread *by, size_t thread)
{
	return by->begins[thread + 1] - by->begins[thread];
}

static uint32_t thread_of(const struct syc_by_thread *by, size_t i)
{
	return (by->view->passed[i / 64] >> (i % 64) & 1) != 0
	               ? by->samples.threads[i]
	               : SYSCAP_PROFILE_NONE;
}

/* Which threads have how many samples, and whether in order.  0 or -ENOMEM. */
static int count_samples(struct syc_by_thread *by)
{
	int64_t *last = calloc(by->n_threads + 1, sizeof(*last));

	if (last == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < by->samples.n; i++) {
		const uint32_t thread = thread_of(by, i);

		if (thread == SYSCAP_PROFILE_NONE)
			continue;
		if (by->begins[thread + 1]++ > 0 &&
		    by->samples.times[i] < last[thread])
			by->is_mixed[thread] = true;
		last[thread] = by->samples.times[i];
	}
	free(last);
	for (size_t t = 0; t < by->n_threads; t++)
		by->begins[t + 1] += by->begins[t];
	return 0;
}

/* What has to be sorted is there at once. */
static bool is_in_pieces(const struct syc_by_thread *by, size_t thread)
{
	return !by->is_mixed[thread] && count_of(by, thread) > by->piece;
}

int syc_by_thread_init(struct syc_by_thread *by,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	size_t room;

	*by = (struct syc_by_thread){ .view = view };
	syscap_profile_samples(profile, &by->samples);
	syscap_profile_threads(profile, &by->n_threads);
	by->piece = by->samples.n / MOST_PIECES;
	if (by->piece < LEAST_PIECE)
		by->piece = LEAST_PIECE;
	by->begins = calloc(by->n_threads + 1, sizeof(*by->begins));
	by->ends = calloc(by->n_threads + 1, sizeof(*by->ends));
	by->is_mixed = calloc(by->n_threads + 1, sizeof(*by->is_mixed));
	if (by->begins == NULL || by->ends == NULL || by->is_mixed == NULL ||
	    by->samples.n > UINT32_MAX || count_samples(by) < 0)
		return -ENOMEM;
	room = by->piece;
	for (size_t t = 0; t < by->n_threads; t++)
		if (by->is_mixed[t] && count_of(by, t) > room)
			room = count_of(by, t);
	if (room > by->begins[by->n_threads])
		room = by->begins[by->n_threads];
	by->rows = malloc((room + 1) * sizeof(*by->rows));
	return by->rows == NULL ? -ENOMEM : 0;
}

void syc_by_thread_fini(struct syc_by_thread *by)
{
	free(by->begins);
	free(by->ends);
	free(by->is_mixed);
	free(by->rows);
	*by = (struct syc_by_thread){ 0 };
}

/* Some more of a thread that has many. */
static void pick_some(struct syc_by_thread *by, size_t thread, size_t at)
{
	const bool goes_on = by->first == thread && by->skipped + by->n == at;
	size_t to_skip = goes_on ? 0 : at;

	if (!goes_on)
		by->next = 0;
	by->first = thread;
	by->end = thread + 1;
	by->skipped = at;
	by->n = 0;
	for (; by->n < by->piece && by->next < by->samples.n; by->next++) {
		if (thread_of(by, by->next) != thread)
			continue;
		if (to_skip > 0)
			to_skip--;
		else
			by->rows[by->n++] = (uint32_t)by->next;
	}
}

/* All of @thread, and of as many behind it as fit. */
static void pick_threads(struct syc_by_thread *by, size_t thread)
{
	const size_t base = by->begins[thread];

	by->first = thread;
	by->skipped = 0;
	for (by->end = thread + 1; by->end < by->n_threads &&
	                           by->begins[by->end + 1] - base <= by->piece;)
		by->end++;
	by->n = by->begins[by->end] - base;
	for (size_t t = by->first; t < by->end; t++)
		by->ends[t] = by->begins[t] - base;
	for (size_t i = 0; i < by->samples.n; i++) {
		const uint32_t of = thread_of(by, i);

		if (of >= by->first && of < by->end)
			by->rows[by->ends[of]++] = (uint32_t)i;
	}
	for (size_t t = by->first; t < by->end; t++)
		if (by->is_mixed[t])
			syc_order_by_time(by->rows + (by->begins[t] - base),
			                  count_of(by, t), by->samples.times);
}

static bool has_piece(const struct syc_by_thread *by, size_t thread, size_t at)
{
	return thread >= by->first && thread < by->end && at >= by->skipped &&
	       (!is_in_pieces(by, thread) || at - by->skipped < by->n);
}

const uint32_t *syc_by_thread_get(struct syc_by_thread *by, uint32_t thread,
                                  size_t at, size_t *ret_n)
{
	const bool in_pieces = is_in_pieces(by, thread);

	if (at >= count_of(by, thread))
		return NULL;
	if (!has_piece(by, thread, at)) {
		if (in_pieces)
			pick_some(by, thread, at);
		else
			pick_threads(by, thread);
	}
	if (in_pieces) {
		*ret_n = by->n - (at - by->skipped);
		return by->rows + (at - by->skipped);
	}
	*ret_n = count_of(by, thread) - at;
	return by->rows + (by->begins[thread] - by->begins[by->first]) + at;
}
