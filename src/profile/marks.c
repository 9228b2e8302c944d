/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.c - marks of a capture, and lanes for overlapping marks. */
#include "profile/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/containers.h"
#include "profile/model.h"

/*
 * A mark goes into one of the first lanes of its thread, or else into a new
 * lane.  Only a hostile capture has more marks at one time.
 */
#define LANES_SEARCHED 256u

void syc_marks_fini(struct syc_marks *marks)
{
	syc_map_fini(&marks->by_text);
	free(marks->names.items);
	free(marks->items.items);
	free(marks->wide.items);
}

static int put_name(struct syc_marks *marks, struct syc_texts *texts,
                    const struct syscap_frame *frame, uint32_t *ret_name)
{
	struct syscap_profile_mark_name name;
	size_t number;
	int r = syc_texts_keep(texts, frame->mark.group,
	                       strlen(frame->mark.group), &name.group);

	if (r == 0)
		r = syc_texts_keep(texts, frame->mark.name,
		                   strlen(frame->mark.name), &name.name);
	if (r < 0 || marks->items.n >= SYSCAP_PROFILE_NONE ||
	    syc_array_room(&marks->names) < 0)
		return -ENOMEM;
	r = syc_map_put(&marks->by_text, &name, sizeof(name), &number);
	if (r > 0)
		marks->names.items[marks->names.n++] = name;
	*ret_name = (uint32_t)number;
	return r < 0 ? r : 0;
}

static struct syc_packed_mark pack(const struct syscap_profile_mark *mark)
{
	return (struct syc_packed_mark){
		.time = mark->time,
		.duration = (uint32_t)mark->duration,
		.offset = (uint32_t)(mark->offset / 8),
		.thread = (uint16_t)mark->thread,
		.name = (uint16_t)mark->name,
		.lane = mark->lane & 0x3ff,
		.depth = mark->depth & 0x1fffff,
	};
}

/* Return whether @packed represents @mark exactly. */
static bool is_same(const struct syscap_profile_mark *mark,
                    const struct syc_packed_mark *packed)
{
	return mark->duration == packed->duration &&
	       mark->began == mark->time &&
	       mark->offset == (uint64_t)packed->offset * 8 &&
	       mark->thread == packed->thread && mark->name == packed->name &&
	       mark->lane == packed->lane && mark->depth == packed->depth &&
	       mark->part == SYSCAP_PROFILE_NONE;
}

static int keep_wide(struct syc_marks *marks, struct syc_packed_mark *packed,
                     const struct syscap_profile_mark *mark)
{
	/*
	 * The index fits into 32 bits, because the number of marks fits into 32
	 * bits.
	 */
	packed->duration = (uint32_t)marks->wide.n;
	packed->is_wide = 1;
	return syc_array_push(&marks->wide, *mark);
}

int64_t syc_marks_end(int64_t time, int64_t duration)
{
	int64_t end;

	if (__builtin_add_overflow(time, duration, &end))
		return INT64_MAX;
	return end;
}

struct syc_duration_stats syc_duration_stats_of(const int64_t *durations,
                                                size_t n)
{
	struct syc_duration_stats sums = {
		.count = n,
		.min = durations[0],
		.median = syc_rank_percentile(durations, n, 50),
		.p99 = syc_rank_percentile(durations, n, 99),
		.max = durations[0],
	};
	__int128 total = 0;

	for (size_t i = 0; i < n; i++) {
		total += durations[i];
		if (durations[i] < sums.min)
			sums.min = durations[i];
		if (durations[i] > sums.max)
			sums.max = durations[i];
	}
	sums.mean = (int64_t)(total / (__int128)n);
	sums.total = total > INT64_MAX ? INT64_MAX : (int64_t)total;
	return sums;
}

bool syc_marks_cut(int64_t begin, int64_t *time, int64_t *duration)
{
	int64_t end;

	if (*duration < 0)
		*duration = 0;
	if (*time >= begin)
		return true;
	end = syc_marks_end(*time, *duration);
	*time = begin;
	if (end <= begin)
		*duration = 0;
	else if (__builtin_sub_overflow(end, begin, duration))
		*duration = INT64_MAX;
	return end > begin;
}

int syc_marks_add(struct syc_marks *marks, struct syc_texts *texts,
                  const struct syscap_frame *frame, int64_t time,
                  int64_t duration, uint32_t thread, uint32_t part,
                  bool is_whole)
{
	struct syscap_profile_mark mark = {
		.time = time,
		.duration = duration,
		.began = frame->time,
		.offset = frame->offset,
		.thread = thread,
		.lane = is_whole ? SYSCAP_PROFILE_NONE : 0,
		.part = part,
	};
	struct syc_packed_mark packed;
	int r = put_name(marks, texts, frame, &mark.name);

	if (r < 0 || syc_array_room(&marks->items) < 0)
		return -ENOMEM;
	packed = pack(&mark);
	if (!is_same(&mark, &packed))
		r = keep_wide(marks, &packed, &mark);
	if (r == 0)
		marks->items.items[marks->items.n++] = packed;
	return r;
}

/* Assign a lane and a depth, within its thread. */
static int put(struct syc_marks *marks, uint32_t number, uint32_t lane,
               uint32_t depth)
{
	struct syc_packed_mark *item = &marks->items.items[number];
	struct syscap_profile_mark mark = syc_marks_get(marks, number);
	struct syc_packed_mark packed;

	mark.lane = lane;
	mark.depth = depth;
	if (item->is_wide) {
		marks->wide.items[item->duration] = mark;
		return 0;
	}
	packed = pack(&mark);
	if (!is_same(&mark, &packed))
		return keep_wide(marks, item, &mark);
	*item = packed;
	return 0;
}

static int compare(const void *left, const void *right, void *data)
{
	const struct syc_marks *marks = data;
	const uint32_t one = *(const uint32_t *)left;
	const uint32_t other = *(const uint32_t *)right;
	const struct syscap_profile_mark a = syc_marks_get(marks, one);
	const struct syscap_profile_mark b = syc_marks_get(marks, other);

	if (a.time != b.time)
		return a.time < b.time ? -1 : 1;
	if (a.duration != b.duration)
		return a.duration > b.duration ? -1 : 1;
	return one < other ? -1 : one > other;
}

static void order_marks(const struct syc_marks *marks, uint32_t *numbers,
                        size_t n)
{
	syc_order(numbers, n, compare, syc_unconst(marks));
}

/* The ends of the open marks, the innermost last. */
struct lane {
	SYC_ARRAY(int64_t) ends;
};

struct lanes {
	SYC_ARRAY(struct lane) items;
	size_t n_used; /* number of lanes that the thread uses */
};

/* Return whether a mark nests into the open marks of @lane. */
static bool fits(struct lane *lane, int64_t begin, int64_t end)
{
	while (lane->ends.n > 0 && lane->ends.items[lane->ends.n - 1] <= begin)
		lane->ends.n--;
	return lane->ends.n == 0 || lane->ends.items[lane->ends.n - 1] >= end;
}

static int add_lane(struct lanes *lanes)
{
	const struct lane none = { 0 };

	if (lanes->n_used == lanes->items.n &&
	    syc_array_push(&lanes->items, none) < 0)
		return -ENOMEM;
	lanes->items.items[lanes->n_used++].ends.n = 0;
	return 0;
}

static int put_into_lane(struct syc_marks *marks, struct lanes *lanes,
                         uint32_t number)
{
	const struct syscap_profile_mark mark = syc_marks_get(marks, number);
	const int64_t end = syc_marks_end(mark.time, mark.duration);
	size_t i = 0;

	if (mark.lane == SYSCAP_PROFILE_NONE)
		return 0;

	while (i < lanes->n_used && i < LANES_SEARCHED &&
	       !fits(&lanes->items.items[i], mark.time, end))
		i++;
	if (i == lanes->n_used || i == LANES_SEARCHED) {
		if (add_lane(lanes) < 0)
			return -ENOMEM;
		i = lanes->n_used - 1;
	}
	struct lane *const lane = &lanes->items.items[i];
	if (put(marks, number, (uint32_t)i, (uint32_t)lane->ends.n) < 0)
		return -ENOMEM;
	return syc_array_push(&lane->ends, end);
}

/*
 * Sort the numbers of all marks by thread.  @ends has one element more than the
 * number of threads, and receives the end of each thread's numbers.
 */
static void sort_by_thread(const struct syc_marks *marks, size_t n_threads,
                           uint32_t *order, uint32_t *ends)
{
	for (size_t i = 0; i < marks->items.n; i++)
		ends[syc_marks_get(marks, i).thread + 1]++;
	for (size_t i = 0; i < n_threads; i++)
		ends[i + 1] += ends[i];
	/* Each start is advanced to the end. */
	for (size_t i = 0; i < marks->items.n; i++)
		order[ends[syc_marks_get(marks, i).thread]++] = (uint32_t)i;
}

/* Assign lanes to the marks of one thread. */
static int settle_thread(struct syc_marks *marks, struct lanes *lanes,
                         uint32_t *order, size_t n)
{
	int r = 0;

	order_marks(marks, order, n);
	lanes->n_used = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = put_into_lane(marks, lanes, order[i]);
	return r;
}

/*
 * Memory matters with ten million marks: the order takes four bytes per mark,
 * and sorting takes four more per mark of the largest thread.
 */
int syc_marks_settle(struct syc_marks *marks, size_t n_threads)
{
	const size_t n = marks->items.n;
	struct lanes lanes = { 0 };
	uint32_t *order, *ends;
	size_t begin = 0;
	int r = 0;

	if (n == marks->n_settled)
		return 0;
	order = malloc(n * sizeof(*order));
	ends = calloc(n_threads + 1, sizeof(*ends));
	if (order == NULL || ends == NULL) {
		r = -ENOMEM;
		goto out;
	}
	sort_by_thread(marks, n_threads, order, ends);
	for (size_t i = 0; r == 0 && i < n_threads; i++) {
		r = settle_thread(marks, &lanes, order + begin,
		                  ends[i] - begin);
		begin = ends[i];
	}
	for (size_t i = 0; i < lanes.items.n; i++)
		free(lanes.items.items[i].ends.items);
	free(lanes.items.items);
	marks->n_settled = n;
out:
	free(order);
	free(ends);
	return r;
}

void syscap_profile_order_marks(const struct syscap_profile *profile,
                                uint32_t *numbers, size_t n)
{
	order_marks(&profile->marks, numbers, n);
}
