/* SPDX-License-Identifier: BSD-2-Clause */
/* timeline.c - samples that pass a view, thread by thread, by time. */
#define _GNU_SOURCE
#include "view/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/order.h"

static bool has_passed(const struct syscap_view *view, size_t i)
{
	return (view->passed[i / 64] >> i % 64 & 1) != 0;
}

int syc_timeline_renew(struct syc_timeline *timeline,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	struct syscap_profile_samples samples;
	size_t n, *begins;

	syc_timeline_fini(timeline);
	syscap_profile_samples(profile, &samples);
	syscap_profile_threads(profile, &n);
	begins = calloc(n + 2, sizeof(*begins));
	timeline->begins = begins;
	timeline->n_threads = n;
	timeline->samples = calloc(view->n_passed + 1, sizeof(uint32_t));
	if (begins == NULL || timeline->samples == NULL) {
		syc_timeline_fini(timeline);
		return -ENOMEM;
	}
	/* Views of allocations have passed bits of these. */
	if (view->unit == SYSCAP_UNIT_BYTES)
		return 0;
	for (size_t i = 0; i < view->n_looked; i++)
		if (has_passed(view, i))
			begins[samples.threads[i] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		begins[i] += begins[i - 1];
	for (size_t i = 0; i < view->n_looked; i++)
		if (has_passed(view, i))
			timeline->samples[begins[samples.threads[i] + 1]++] =
				(uint32_t)i;
	for (size_t i = 0; i < n; i++)
		syc_order_by_time(timeline->samples + begins[i],
		                  begins[i + 1] - begins[i], samples.times);
	return 0;
}

static int mark_by_time(const void *one, const void *other, void *data)
{
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const int64_t time_a = syscap_profile_mark(data, a).time;
	const int64_t time_b = syscap_profile_mark(data, b).time;

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

int syc_timeline_find_marks(struct syc_timeline *timeline,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t thread)
{
	const size_t n_marks = syscap_profile_n_marks(profile);
	const struct syscap_profile_thread *threads;
	bool is_sorted = true;
	int64_t latest = INT64_MIN;
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
		    !syscap_view_has(view, thread, mark.time))
			continue;
		is_sorted &= latest <= mark.time;
		latest = mark.time;
		timeline->marks[timeline->n_marks++] = (uint32_t)i;
	}
	if (!is_sorted)
		qsort_r(timeline->marks, timeline->n_marks, sizeof(uint32_t),
		        mark_by_time, (void *)(uintptr_t)profile);
	return 0;
}

static uint64_t count_ticks(const struct syc_timeline *timeline,
                            const struct syscap_profile_samples *samples,
                            const struct syscap_profile_thread *thread,
                            uint32_t number)
{
	const size_t begin = timeline->begins[number];
	const size_t end = timeline->begins[number + 1];
	uint64_t sum = 0;

	if (end - begin == thread->n_samples)
		return thread->ticks; /* all of them */
	for (size_t i = begin; i < end; i++)
		sum += samples->ticks[timeline->samples[i]];
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
	free(timeline->samples);
	free(timeline->begins);
	free(timeline->marks);
	memset(timeline, 0, sizeof(*timeline));
}

size_t syc_timeline_seek(const struct syc_timeline *timeline,
                         const struct syscap_profile_samples *samples,
                         uint32_t thread, double time)
{
	size_t low = timeline->begins[thread];
	size_t high = timeline->begins[thread + 1];

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if ((double)samples->times[timeline->samples[middle]] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
