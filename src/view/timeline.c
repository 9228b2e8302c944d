/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline.c - samples of a thread over time, and on the columns of the screen.
 */
#define _GNU_SOURCE
#include "view/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

double syc_axis_time(const struct syc_axis *axis, int x)
{
	return axis->begin + (axis->end - axis->begin) * x /
	                             (axis->width > 0 ? axis->width : 1);
}

struct passed {
	const struct syscap_view *view;
	struct syscap_profile_samples samples;
};

static uint32_t thread_of(const void *data, uint32_t sample)
{
	const struct passed *passed = data;

	return (passed->view->passed[sample / 64] >> sample % 64 & 1) != 0
	               ? passed->samples.threads[sample]
	               : SYSCAP_PROFILE_NONE;
}

static int by_time(const void *one, const void *other, void *data)
{
	const int64_t *times = ((const struct passed *)data)->samples.times;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (times[a] != times[b])
		return times[a] < times[b] ? -1 : 1;
	return (a > b) - (a < b);
}

int syc_timeline_renew(struct syc_timeline *timeline,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	struct passed passed = { .view = view };
	struct syc_group_rows rows = { .group_of = thread_of,
		                       .compare = by_time,
		                       .data = &passed };

	syc_timeline_fini(timeline);
	syscap_profile_samples(profile, &passed.samples);
	syscap_profile_threads(profile, &rows.n_groups);
	/* In a view of allocations, the bits are of allocations, not of
	 * samples. */
	if (view->unit != SYSCAP_UNIT_BYTES)
		rows.n = view->n_looked;
	timeline->n_threads = rows.n_groups;
	return syc_group_init(&timeline->samples, &rows);
}

int syc_timeline_find_marks(struct syc_timeline *timeline,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t thread)
{
	const size_t n_marks = syscap_profile_n_marks(profile);
	const struct syscap_profile_thread *threads;
	size_t n;

	threads = syscap_profile_threads(profile, &n);
	free(timeline->marks);
	timeline->n_marks = 0;
	timeline->marks = calloc(threads[thread].n_marks + 1, sizeof(uint32_t));
	if (timeline->marks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n_marks; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (mark.thread != thread || mark.lane == SYSCAP_PROFILE_NONE ||
		    timeline->n_marks >= threads[thread].n_marks ||
		    !syscap_view_has_mark(view, thread, mark.time,
		                          mark.duration))
			continue;
		timeline->marks[timeline->n_marks++] = (uint32_t)i;
	}
	syscap_profile_order_marks(profile, timeline->marks, timeline->n_marks);
	return 0;
}

static uint64_t count_ticks(const struct syc_timeline *timeline,
                            const struct syscap_profile_samples *samples,
                            const struct syscap_profile_thread *thread,
                            uint32_t number)
{
	const size_t begin = timeline->samples.begins[number];
	const size_t end = timeline->samples.begins[number + 1];
	uint64_t sum = 0;

	if (end - begin == thread->n_samples)
		return thread->ticks; /* all samples */
	for (size_t i = begin; i < end; i++)
		sum += samples->ticks[timeline->samples.rows[i]];
	return sum;
}

uint32_t syc_timeline_foremost(const struct syc_timeline *timeline,
                               const struct syscap_profile *profile,
                               const struct syscap_view *view)
{
	const bool is_wall = view->unit == SYSCAP_UNIT_WALL_NS ||
	                     view->unit == SYSCAP_UNIT_MIXED_NS;
	const struct syscap_profile_thread *threads;
	struct syscap_profile_samples samples;
	uint32_t found = 0, process = SYSCAP_PROFILE_NONE;
	uint64_t most = 0;
	size_t n;

	threads = syscap_profile_threads(profile, &n);
	syscap_profile_samples(profile, &samples);
	for (uint32_t i = 0; i < timeline->n_threads; i++) {
		const uint64_t ticks =
			count_ticks(timeline, &samples, &threads[i], i);
		const uint32_t of = threads[i].process;
		const bool is_behind =
			is_wall && of != process ? of > process : ticks <= most;

		if (ticks == 0 || is_behind)
			continue;
		process = of;
		most = ticks;
		found = i;
	}
	return found;
}

void syc_timeline_fini(struct syc_timeline *timeline)
{
	syc_group_fini(&timeline->samples);
	free(timeline->marks);
	memset(timeline, 0, sizeof(*timeline));
}

/*
 * The first of the thread's samples at or after @time, as index into
 * samples.rows.
 */
static size_t timeline_seek(const struct syc_timeline *timeline,
                            const struct syscap_profile_samples *samples,
                            uint32_t thread, double time)
{
	size_t low = timeline->samples.begins[thread];
	size_t high = timeline->samples.begins[thread + 1];

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if ((double)samples->times[timeline->samples.rows[middle]] <
		    time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define NONE        SYSCAP_PROFILE_NONE
#define LOOKED_MOST 32

/* The most frequent node of some of the samples. */
static uint32_t most_frequent(const struct syc_timeline *timeline,
                              const struct syscap_view *view,
                              const struct syscap_profile_samples *samples,
                              size_t first, size_t end)
{
	const size_t n = end - first;
	const size_t looked = n < LOOKED_MOST ? n : LOOKED_MOST;
	uint32_t nodes[LOOKED_MOST], best = NONE;
	unsigned most = 0;

	for (size_t i = 0; i < looked; i++) {
		const size_t at = first + i * n / looked;

		nodes[i] =
			view->nodes
				[samples->stacks[timeline->samples.rows[at]]];
	}
	for (size_t i = 0; i < looked; i++) {
		unsigned same = 0;

		for (size_t k = 0; k < looked; k++)
			same += nodes[k] == nodes[i];
		if (same > most && nodes[i] != NONE) {
			most = same;
			best = nodes[i];
		}
	}
	return best;
}

void syc_column_stacks_find(struct syc_column_stacks *stacks,
                            const struct syc_page_context *context,
                            const struct syc_timeline *timeline,
                            uint32_t thread, const struct syc_axis *axis)
{
	const struct syscap_view *view = context->view;
	struct syscap_profile_samples samples;
	const uint64_t tick =
		syscap_profile_tick(context->source->profile, thread);
	const size_t last = timeline->samples.begins[thread + 1];

	syscap_profile_samples(context->source->profile, &samples);
	stacks->n = axis->width < SYC_COLUMN_STACKS_MOST
	                    ? axis->width
	                    : SYC_COLUMN_STACKS_MOST;
	for (int x = 0; x < stacks->n; x++) {
		const size_t first = timeline_seek(timeline, &samples, thread,
		                                   syc_axis_time(axis, x));
		const size_t end = timeline_seek(timeline, &samples, thread,
		                                 syc_axis_time(axis, x + 1));
		uint32_t node = NONE;

		if (end > first) {
			node = most_frequent(timeline, view, &samples, first,
			                     end);
		} else if (first < last) {
			/* A sample covers the time before the sample. */
			const uint32_t number = timeline->samples.rows[first];
			const double begun =
				(double)samples.times[number] -
				(double)tick * samples.ticks[number];

			if (begun < syc_axis_time(axis, x + 1))
				node = view->nodes[samples.stacks[number]];
		}
		stacks->nodes[x] = node;
		stacks->depths[x] = 0;
		for (; node != NONE && node != 0; node = view->parents[node])
			stacks->depths[x]++;
	}
}

/* The node at @depth of column @x, 1 being the outermost; or NONE. */
static uint32_t node_at(const struct syc_column_stacks *stacks,
                        const struct syscap_view *view, int x, int depth)
{
	uint32_t node = stacks->nodes[x];

	if (depth > stacks->depths[x])
		return NONE;
	for (int i = stacks->depths[x]; i > depth; i--)
		node = view->parents[node];
	return node;
}

void syc_column_stacks_draw(const struct syc_column_stacks *stacks,
                            struct syc_page_context *context, int top,
                            int scrolled)
{
	for (int y = top; y < context->bottom; y++) {
		const int depth = y - top + 1 + scrolled;
		int begin = 0;

		for (int x = 1; x <= stacks->n; x++) {
			const uint32_t node =
				node_at(stacks, context->view, begin, depth);

			if (x < stacks->n &&
			    node_at(stacks, context->view, x, depth) == node)
				continue;
			if (node != NONE)
				syc_box_draw(context, begin, y, x - begin, node,
				             false);
			begin = x;
		}
	}
}
