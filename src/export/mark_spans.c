/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_spans.c - marks of a view as spans, and the operations and arrows
 * between them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "export/export.h"

#define NONE SYSCAP_PROFILE_NONE

struct look {
	const struct syscap_view *view;
	const struct syscap_profile *profile;
};

static bool is_in_view(const struct look *look, uint32_t number)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(look->profile, number);

	return syscap_view_has_mark(look->view, mark.thread, mark.time,
	                            mark.duration);
}

static uint32_t step_of(const void *data, uint32_t part)
{
	const struct syscap_profile_part *parts =
		((const struct syc_mark_links *)data)->parts;

	return parts[part].phase == SYSCAP_PHASE_STEP ? parts[part].operation
	                                              : NONE;
}

static int by_time(const void *one, const void *other, void *data)
{
	const struct syc_mark_links *linked = data;
	const uint32_t a = linked->parts[*(const uint32_t *)one].mark;
	const uint32_t b = linked->parts[*(const uint32_t *)other].mark;
	const int64_t time_a = syscap_profile_mark(linked->profile, a).time;
	const int64_t time_b = syscap_profile_mark(linked->profile, b).time;

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_mark(const void *one, const void *other)
{
	const struct syc_flow *a = one, *b = other;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	return (a->arrow > b->arrow) - (a->arrow < b->arrow);
}

static void find_flows(struct syc_mark_links *linked, const struct look *look)
{
	for (size_t i = 0; i < linked->n_arrows; i++) {
		const struct syscap_profile_arrow *arrow = &linked->arrows[i];

		linked->has_arrow[i] = is_in_view(look, arrow->out) &&
		                       is_in_view(look, arrow->in);
		if (!linked->has_arrow[i])
			continue;
		linked->flows[linked->n_flows++] =
			(struct syc_flow){ arrow->out, (uint32_t)i, false };
		linked->flows[linked->n_flows++] =
			(struct syc_flow){ arrow->in, (uint32_t)i, true };
	}
	qsort(linked->flows, linked->n_flows, sizeof(*linked->flows), by_mark);
}

int syc_mark_links_init(struct syc_mark_links *linked,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	const struct look look = { .view = view, .profile = profile };
	struct syc_group_rows steps = { .group_of = step_of,
		                        .compare = by_time,
		                        .data = linked };
	int r;

	*linked = (struct syc_mark_links){ .profile = profile };
	linked->parts = syscap_profile_parts(profile, &steps.n);
	linked->operations =
		syscap_profile_operations(profile, &linked->n_operations);
	linked->arrows = syscap_profile_arrows(profile, &linked->n_arrows);
	linked->has_operation = calloc(linked->n_operations + 1, 1);
	linked->has_arrow = calloc(linked->n_arrows + 1, 1);
	linked->flows =
		calloc(2 * linked->n_arrows + 1, sizeof(*linked->flows));
	steps.n_groups = linked->n_operations;
	r = syc_group_init(&linked->steps, &steps);
	if (linked->has_operation == NULL || linked->has_arrow == NULL ||
	    linked->flows == NULL || r < 0) {
		syc_mark_links_fini(linked);
		return -ENOMEM;
	}
	for (size_t i = 0; i < steps.n; i++)
		if (linked->parts[i].operation != NONE &&
		    is_in_view(&look, linked->parts[i].mark))
			linked->has_operation[linked->parts[i].operation] = 1;
	find_flows(linked, &look);
	return 0;
}

void syc_mark_links_fini(struct syc_mark_links *linked)
{
	free(linked->has_operation);
	free(linked->has_arrow);
	syc_group_fini(&linked->steps);
	free(linked->flows);
	*linked = (struct syc_mark_links){ 0 };
}

const struct syc_flow *syc_mark_links_flows(const struct syc_mark_links *linked,
                                            uint32_t mark)
{
	size_t low = 0, high = linked->n_flows;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (linked->flows[middle].mark < mark)
			low = middle + 1;
		else
			high = middle;
	}
	return low < linked->n_flows && linked->flows[low].mark == mark
	               ? &linked->flows[low]
	               : NULL;
}

bool syc_mark_links_is_same(const struct syc_mark_links *linked,
                            const struct syscap_profile *profile, size_t one,
                            size_t other)
{
	const struct syscap_profile_operation *a = &linked->operations[one];
	const struct syscap_profile_operation *b = &linked->operations[other];
	const struct syscap_profile_mark_name *names;
	size_t ignored;

	names = syscap_profile_mark_names(profile, &ignored);
	/* A whole operation matches no other mark, even with the same id. */
	return a->process == b->process && a->id == b->id &&
	       (a->begin != a->end && b->begin != b->end) &&
	       strcmp(names[a->name].group, names[b->name].group) == 0;
}

int64_t syc_mark_spans_end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

#define AHEAD 16u

/* Place of the first mark of each lane. */
struct lanes {
	size_t *items;
	size_t n, capacity;
};

static struct syscap_profile_mark mark_of(const struct syc_mark_spans *nested,
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

static bool is_span(const struct syscap_profile *profile,
                    const struct syscap_view *view,
                    const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_part *parts;
	size_t ignored;

	parts = syscap_profile_parts(profile, &ignored);
	return !mark->is_end && !is_of_operation(parts, mark) &&
	       syscap_view_has_mark(view, mark->thread, mark->time,
	                            mark->duration);
}

/*
 * Sort marks by thread.  @ends has one element more than the number of threads,
 * and receives the ends.
 */
static void sort_by_thread(struct syc_mark_spans *nested,
                           const struct syscap_profile *profile,
                           const struct syscap_view *view, size_t *ends)
{
	const size_t n = syscap_profile_n_marks(profile);
	size_t n_threads;

	syscap_profile_threads(profile, &n_threads);
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (is_span(profile, view, &mark))
			ends[mark.thread + 1]++;
	}
	for (size_t i = 0; i < n_threads; i++)
		ends[i + 1] += ends[i];
	nested->n = ends[n_threads];
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (is_span(profile, view, &mark))
			nested->order[ends[mark.thread]++] = (uint32_t)i;
	}
}

/* Count the marks of @order in each lane, and the nesting levels.  lanes[i + 1]
 * has the number of marks in lane i. */
static int count_lanes(struct syc_mark_spans *nested, const uint32_t *order,
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

/* Sort the marks of one thread, which are in order of time, by lane. */
static int sort_by_lane(struct syc_mark_spans *nested, uint32_t *order,
                        size_t n, struct lanes *lanes)
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

/* Sort thread by thread, so that only one thread needs temporary memory. */
static int sort(struct syc_mark_spans *nested,
                const struct syscap_profile *profile,
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

/*
 * Load the mark at nested->at, if it exists, and whether the mark begins a
 * lane.
 */
static void look_at_next(struct syc_mark_spans *nested)
{
	const uint32_t thread = nested->next.thread, lane = nested->next.lane;

	if (nested->at == nested->n)
		return;
	/* Prefetch, since the marks of a lane are far apart in memory. */
	if (nested->n - nested->at > AHEAD)
		syscap_profile_mark_soon(nested->profile,
		                         nested->order[nested->at + AHEAD]);
	nested->next = mark_of(nested, nested->order[nested->at]);
	nested->is_first = nested->at == 0 || nested->next.thread != thread ||
	                   nested->next.lane != lane;
}

int syc_mark_spans_init(struct syc_mark_spans *nested,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	const size_t n = syscap_profile_n_marks(profile);
	int r;

	*nested = (struct syc_mark_spans){ 0 };
	nested->profile = profile;
	nested->order = malloc((n + 1) * sizeof(*nested->order));
	if (nested->order == NULL)
		return -ENOMEM;
	r = sort(nested, profile, view);
	nested->open = calloc(nested->n_depths + 1, sizeof(*nested->open));
	if (r < 0 || nested->open == NULL) {
		syc_mark_spans_fini(nested);
		return -ENOMEM;
	}
	look_at_next(nested);
	return 0;
}

void syc_mark_spans_fini(struct syc_mark_spans *nested)
{
	free(nested->order);
	free(nested->open);
	*nested = (struct syc_mark_spans){ 0 };
}

/* Return whether the innermost open mark ends before the next mark begins. */
static bool is_over(const struct syc_mark_spans *nested)
{
	return nested->at == nested->n || nested->is_first ||
	       nested->open[nested->n_open - 1].end <= nested->next.time;
}

bool syc_mark_spans_next(struct syc_mark_spans *nested,
                         struct syc_mark_spans_event *ret_event)
{
	const struct syscap_profile_mark *next = &nested->next;

	if (nested->n_open > 0 && is_over(nested)) {
		const struct syc_mark_spans_open *open =
			&nested->open[--nested->n_open];

		*ret_event = (struct syc_mark_spans_event){
			.kind = SYC_NESTED_END,
			.number = open->number,
			.time = open->end,
		};
		return true;
	}
	if (nested->at == nested->n)
		return false;
	*ret_event = (struct syc_mark_spans_event){
		.kind = next->duration > 0 ? SYC_NESTED_BEGIN
		                           : SYC_NESTED_INSTANT,
		.number = nested->order[nested->at],
		.mark = *next,
		.time = next->time,
		.is_first = nested->is_first,
	};
	if (ret_event->kind == SYC_NESTED_BEGIN)
		nested->open[nested->n_open++] = (struct syc_mark_spans_open){
			.number = ret_event->number,
			.end = syc_mark_spans_end_of(next),
		};
	nested->at++;
	look_at_next(nested);
	return true;
}
