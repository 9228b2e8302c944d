/* SPDX-License-Identifier: BSD-2-Clause */
/* column_stacks.c - what one thread did, column by column of time. */
#include "view/column_stacks.h"

#include "view/box.h"

#define NONE        SYSCAP_PROFILE_NONE
#define LOOKED_MOST 32

/* The node that most of them have, of some that are looked at. */
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

		nodes[i] = view->nodes[samples->stacks[timeline->samples[at]]];
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
                            const struct syc_desk *desk,
                            const struct syc_timeline *timeline,
                            uint32_t thread, const struct syc_axis *axis)
{
	const struct syscap_view *view = desk->view;
	struct syscap_profile_samples samples;
	const uint64_t tick =
		syscap_profile_tick(desk->source->profile, thread);
	const size_t last = timeline->begins[thread + 1];

	syscap_profile_samples(desk->source->profile, &samples);
	stacks->n = axis->width < SYC_COLUMN_STACKS_MOST
	                    ? axis->width
	                    : SYC_COLUMN_STACKS_MOST;
	for (int x = 0; x < stacks->n; x++) {
		const size_t first = syc_timeline_seek(
			timeline, &samples, thread, syc_axis_time(axis, x));
		const size_t end = syc_timeline_seek(
			timeline, &samples, thread, syc_axis_time(axis, x + 1));
		uint32_t node = NONE;

		if (end > first) {
			node = most_frequent(timeline, view, &samples, first,
			                     end);
		} else if (first < last) {
			/* A sample is of the time before it. */
			const uint32_t number = timeline->samples[first];
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

/* Who is at @depth, 1 the outermost, of the column; or NONE. */
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
                            struct syc_desk *desk, int top, int scrolled)
{
	for (int y = top; y < desk->bottom; y++) {
		const int depth = y - top + 1 + scrolled;
		int begin = 0;

		for (int x = 1; x <= stacks->n; x++) {
			const uint32_t node =
				node_at(stacks, desk->view, begin, depth);

			if (x < stacks->n &&
			    node_at(stacks, desk->view, x, depth) == node)
				continue;
			if (node != NONE)
				syc_box_draw(desk, begin, y, x - begin, node,
				             false);
			begin = x;
		}
	}
}
