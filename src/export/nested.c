/* SPDX-License-Identifier: BSD-2-Clause */
/* nested.c - the marks of a view, lane by lane, as what begins and ends. */
#include "export/nested.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/order.h"

#define AHEAD 16u

int64_t syc_nested_end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

/* By time; of those that begin together, the longest first. */
static int compare(const void *one, const void *other, void *data)
{
	const struct syscap_profile_mark *marks = data;
	const struct syscap_profile_mark *a = &marks[*(const uint32_t *)one];
	const struct syscap_profile_mark *b = &marks[*(const uint32_t *)other];

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return (a > b) - (a < b);
}

static bool is_of_operation(const struct syscap_profile_part *parts,
                            const struct syscap_profile_mark *mark)
{
	return mark->part != SYSCAP_PROFILE_NONE &&
	       parts[mark->part].operation != SYSCAP_PROFILE_NONE;
}

static bool has_mark(const struct syc_nested *nested,
                     const struct syscap_profile *profile,
                     const struct syscap_view *view, size_t i)
{
	const struct syscap_profile_mark *mark = &nested->marks[i];
	const struct syscap_profile_part *parts;
	size_t ignored;

	parts = syscap_profile_parts(profile, &ignored);
	return !is_of_operation(parts, mark) &&
	       syscap_view_has(view, mark->thread, mark->time);
}

/* Those of each thread; @ends has a place more than there are threads, and
 * becomes where they end. */
static void sort_by_thread(struct syc_nested *nested,
                           const struct syscap_profile *profile,
                           const struct syscap_view *view, size_t *ends)
{
	size_t n, n_threads;

	syscap_profile_marks(profile, &n);
	syscap_profile_threads(profile, &n_threads);
	for (size_t i = 0; i < n; i++)
		if (has_mark(nested, profile, view, i))
			ends[nested->marks[i].thread + 1]++;
	for (size_t i = 0; i < n_threads; i++)
		ends[i + 1] += ends[i];
	nested->n = ends[n_threads];
	for (size_t i = 0; i < n; i++)
		if (has_mark(nested, profile, view, i))
			nested->order[ends[nested->marks[i].thread]++] =
				(uint32_t)i;
}

/* The marks of one thread, which are sorted by time: lane by lane. */
static int sort_by_lane(const struct syc_nested *nested, uint32_t *order,
                        size_t n)
{
	uint32_t *by_time, n_lanes = 0;
	size_t *ends;

	for (size_t i = 0; i < n; i++)
		if (nested->marks[order[i]].lane >= n_lanes)
			n_lanes = nested->marks[order[i]].lane + 1;
	if (n_lanes < 2)
		return 0;
	ends = calloc((size_t)n_lanes + 1, sizeof(*ends));
	by_time = malloc(n * sizeof(*by_time));
	if (ends == NULL || by_time == NULL) {
		free(ends);
		free(by_time);
		return -ENOMEM;
	}
	memcpy(by_time, order, n * sizeof(*by_time));
	for (size_t i = 0; i < n; i++)
		ends[nested->marks[by_time[i]].lane + 1]++;
	for (size_t i = 0; i < n_lanes; i++)
		ends[i + 1] += ends[i];
	for (size_t i = 0; i < n; i++)
		order[ends[nested->marks[by_time[i]].lane]++] = by_time[i];
	free(ends);
	free(by_time);
	return 0;
}

/* Thread by thread, so that what sorting needs besides is of one thread. */
static int sort(struct syc_nested *nested, const struct syscap_profile *profile,
                const struct syscap_view *view)
{
	size_t n_threads, begin = 0, *ends;
	int r = 0;

	syscap_profile_threads(profile, &n_threads);
	ends = calloc(n_threads + 1, sizeof(*ends));
	if (ends == NULL)
		return -ENOMEM;
	sort_by_thread(nested, profile, view, ends);
	for (size_t i = 0; r == 0 && i < n_threads; i++) {
		syc_order(nested->order + begin, ends[i] - begin, compare,
		          (void *)nested->marks);
		r = sort_by_lane(nested, nested->order + begin,
		                 ends[i] - begin);
		begin = ends[i];
	}
	free(ends);
	return r;
}

int syc_nested_init(struct syc_nested *nested,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view)
{
	uint32_t deepest = 0;
	size_t n;
	int r;

	*nested = (struct syc_nested){ 0 };
	nested->marks = syscap_profile_marks(profile, &n);
	nested->order = malloc((n + 1) * sizeof(*nested->order));
	if (nested->order == NULL)
		return -ENOMEM;
	r = sort(nested, profile, view);
	for (size_t i = 0; r == 0 && i < nested->n; i++)
		if (nested->marks[nested->order[i]].depth > deepest)
			deepest = nested->marks[nested->order[i]].depth;
	nested->open = calloc((size_t)deepest + 1, sizeof(*nested->open));
	if (r < 0 || nested->open == NULL) {
		syc_nested_fini(nested);
		return -ENOMEM;
	}
	return 0;
}

void syc_nested_fini(struct syc_nested *nested)
{
	free(nested->order);
	free(nested->open);
	*nested = (struct syc_nested){ 0 };
}

static bool is_same_lane(const struct syc_nested *nested, uint32_t one,
                         uint32_t other)
{
	const struct syscap_profile_mark *a = &nested->marks[one];
	const struct syscap_profile_mark *b = &nested->marks[other];

	return a->thread == b->thread && a->lane == b->lane;
}

/* Whether the innermost that is open ends before @next, if there is one. */
static bool is_over(const struct syc_nested *nested, uint32_t open)
{
	uint32_t next;

	if (nested->at == nested->n)
		return true;
	next = nested->order[nested->at];
	return !is_same_lane(nested, open, next) ||
	       syc_nested_end_of(&nested->marks[open]) <=
	               nested->marks[next].time;
}

bool syc_nested_next(struct syc_nested *nested,
                     struct syc_nested_event *ret_event)
{
	uint32_t mark;

	/* Lanes are far apart: each mark would be waited for. */
	if (nested->n - nested->at > AHEAD)
		__builtin_prefetch(
			&nested->marks[nested->order[nested->at + AHEAD]]);
	if (nested->n_open > 0) {
		mark = nested->open[nested->n_open - 1];
		if (is_over(nested, mark)) {
			nested->n_open--;
			*ret_event = (struct syc_nested_event){
				.kind = SYC_NESTED_END,
				.mark = mark,
				.time = syc_nested_end_of(&nested->marks[mark]),
			};
			return true;
		}
	}
	if (nested->at == nested->n)
		return false;
	mark = nested->order[nested->at];
	*ret_event = (struct syc_nested_event){
		.kind = nested->marks[mark].duration > 0 ? SYC_NESTED_BEGIN
		                                         : SYC_NESTED_INSTANT,
		.mark = mark,
		.time = nested->marks[mark].time,
		.is_first = nested->at == 0 ||
		            !is_same_lane(nested, mark,
		                          nested->order[nested->at - 1]),
	};
	nested->at++;
	if (ret_event->kind == SYC_NESTED_BEGIN)
		nested->open[nested->n_open++] = mark;
	return true;
}
