/* SPDX-License-Identifier: BSD-2-Clause */
/* nested.c - the marks of a view, lane by lane, as what begins and ends. */
#include "export/nested.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/array.h"

int64_t syc_nested_end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

#define AHEAD 16u

/* Where those of each lane begin. */
struct lanes {
	size_t *items;
	size_t n, capacity;
};

static struct syscap_profile_mark mark_of(const struct syc_nested *nested,
                                          uint32_t number)
{
	return syscap_profile_mark(nested->profile, number);
}

static bool is_of_operation(const struct syscap_profile_part *parts,
                            const struct syscap_profile_mark *mark)
{
	return mark->part != SYSCAP_PROFILE_NONE &&
	       parts[mark->part].operation != SYSCAP_PROFILE_NONE;
}

static bool has_mark(const struct syscap_profile *profile,
                     const struct syscap_view *view,
                     const struct syscap_profile_mark *mark)
{
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
	const size_t n = syscap_profile_n_marks(profile);
	size_t n_threads;

	syscap_profile_threads(profile, &n_threads);
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (has_mark(profile, view, &mark))
			ends[mark.thread + 1]++;
	}
	for (size_t i = 0; i < n_threads; i++)
		ends[i + 1] += ends[i];
	nested->n = ends[n_threads];
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (has_mark(profile, view, &mark))
			nested->order[ends[mark.thread]++] = (uint32_t)i;
	}
}

/* How many of @order each lane has, behind a place that has none, and how deep
 * they are. */
static int count_lanes(struct syc_nested *nested, const uint32_t *order,
                       size_t n, struct lanes *lanes)
{
	lanes->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			mark_of(nested, order[i]);

		while (lanes->n < (size_t)mark.lane + 2)
			if (syc_array_push(lanes, 0) < 0)
				return -ENOMEM;
		lanes->items[mark.lane + 1]++;
		if (mark.depth >= nested->n_depths)
			nested->n_depths = (size_t)mark.depth + 1;
	}
	return 0;
}

/* The marks of one thread, which are sorted by time: lane by lane. */
static int sort_by_lane(struct syc_nested *nested, uint32_t *order, size_t n,
                        struct lanes *lanes)
{
	uint32_t *by_time;

	if (count_lanes(nested, order, n, lanes) < 0)
		return -ENOMEM;
	if (lanes->n <= 2)
		return 0;
	by_time = malloc(n * sizeof(*by_time));
	if (by_time == NULL)
		return -ENOMEM;
	memcpy(by_time, order, n * sizeof(*by_time));
	for (size_t i = 1; i < lanes->n; i++)
		lanes->items[i] += lanes->items[i - 1];
	for (size_t i = 0; i < n; i++)
		order[lanes->items[mark_of(nested, by_time[i]).lane]++] =
			by_time[i];
	free(by_time);
	return 0;
}

/* Thread by thread, so that what sorting needs besides is of one thread. */
static int sort(struct syc_nested *nested, const struct syscap_profile *profile,
                const struct syscap_view *view)
{
	size_t n_threads, begin = 0, *ends;
	struct lanes lanes = { 0 };
	int r = 0;

	syscap_profile_threads(profile, &n_threads);
	ends = calloc(n_threads + 1, sizeof(*ends));
	if (ends == NULL)
		return -ENOMEM;
	sort_by_thread(nested, profile, view, ends);
	for (size_t i = 0; r == 0 && i < n_threads; i++) {
		syscap_profile_order_marks(profile, nested->order + begin,
		                           ends[i] - begin);
		r = sort_by_lane(nested, nested->order + begin, ends[i] - begin,
		                 &lanes);
		begin = ends[i];
	}
	free(lanes.items);
	free(ends);
	return r;
}

/* The one at @at, if there is one: whether it begins a lane, too. */
static void look_at_next(struct syc_nested *nested)
{
	const uint32_t thread = nested->next.thread, lane = nested->next.lane;

	if (nested->at == nested->n)
		return;
	/* Lanes are far apart: each mark would be waited for. */
	if (nested->n - nested->at > AHEAD)
		syscap_profile_mark_soon(nested->profile,
		                         nested->order[nested->at + AHEAD]);
	nested->next = mark_of(nested, nested->order[nested->at]);
	nested->is_first = nested->at == 0 || nested->next.thread != thread ||
	                   nested->next.lane != lane;
}

int syc_nested_init(struct syc_nested *nested,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view)
{
	const size_t n = syscap_profile_n_marks(profile);
	int r;

	*nested = (struct syc_nested){ 0 };
	nested->profile = profile;
	nested->order = malloc((n + 1) * sizeof(*nested->order));
	if (nested->order == NULL)
		return -ENOMEM;
	r = sort(nested, profile, view);
	nested->open = calloc(nested->n_depths + 1, sizeof(*nested->open));
	if (r < 0 || nested->open == NULL) {
		syc_nested_fini(nested);
		return -ENOMEM;
	}
	look_at_next(nested);
	return 0;
}

void syc_nested_fini(struct syc_nested *nested)
{
	free(nested->order);
	free(nested->open);
	*nested = (struct syc_nested){ 0 };
}

/* Whether the innermost that is open ends before the next one, if there is
 * one. */
static bool is_over(const struct syc_nested *nested)
{
	return nested->at == nested->n || nested->is_first ||
	       nested->open[nested->n_open - 1].end <= nested->next.time;
}

bool syc_nested_next(struct syc_nested *nested,
                     struct syc_nested_event *ret_event)
{
	const struct syscap_profile_mark *next = &nested->next;

	if (nested->n_open > 0 && is_over(nested)) {
		const struct syc_nested_open *open =
			&nested->open[--nested->n_open];

		*ret_event = (struct syc_nested_event){
			.kind = SYC_NESTED_END,
			.number = open->number,
			.time = open->end,
		};
		return true;
	}
	if (nested->at == nested->n)
		return false;
	*ret_event = (struct syc_nested_event){
		.kind = next->duration > 0 ? SYC_NESTED_BEGIN
		                           : SYC_NESTED_INSTANT,
		.number = nested->order[nested->at],
		.mark = *next,
		.time = next->time,
		.is_first = nested->is_first,
	};
	if (ret_event->kind == SYC_NESTED_BEGIN)
		nested->open[nested->n_open++] = (struct syc_nested_open){
			.number = ret_event->number,
			.end = syc_nested_end_of(next),
		};
	nested->at++;
	look_at_next(nested);
	return true;
}
