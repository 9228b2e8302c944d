/* SPDX-License-Identifier: BSD-2-Clause */
/* nested.c - the marks of a view, lane by lane, as what begins and ends. */
#define _GNU_SOURCE
#include "export/nested.h"

#include <errno.h>
#include <stdlib.h>

int64_t syc_nested_end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

static int compare(const void *one, const void *other, void *data)
{
	const struct syscap_profile_mark *marks = data;
	const struct syscap_profile_mark *a = &marks[*(const uint32_t *)one];
	const struct syscap_profile_mark *b = &marks[*(const uint32_t *)other];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
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

int syc_nested_init(struct syc_nested *nested,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view)
{
	const struct syscap_profile_part *parts;
	uint32_t deepest = 0;
	size_t n, ignored;

	parts = syscap_profile_parts(profile, &ignored);
	*nested = (struct syc_nested){ 0 };
	nested->marks = syscap_profile_marks(profile, &n);
	nested->order = calloc(n + 1, sizeof(*nested->order));
	if (nested->order == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark *mark = &nested->marks[i];

		if (is_of_operation(parts, mark) ||
		    !syscap_view_has(view, mark->thread, mark->time))
			continue;
		nested->order[nested->n++] = (uint32_t)i;
		deepest = mark->depth > deepest ? mark->depth : deepest;
	}
	nested->open = calloc((size_t)deepest + 1, sizeof(*nested->open));
	if (nested->open == NULL) {
		syc_nested_fini(nested);
		return -ENOMEM;
	}
	qsort_r(nested->order, nested->n, sizeof(*nested->order), compare,
	        (void *)nested->marks);
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
