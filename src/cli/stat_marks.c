/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_marks.c - durations of marks and of operations, and their table, for
 * `stat`. */
#include <inttypes.h>
#include <stdio.h>

#include <syscap/format.h>

#include "capture/frame.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/json.h"
#include "profile/model.h"

#define KEY_SIZE                                         \
	(sizeof(((struct syscap_wire_mark *)0)->group) + \
	 sizeof(((struct syscap_wire_mark *)0)->name))

void syc_mark_stats_fini(struct syc_mark_stats *marks)
{
	for (size_t i = 0; i < marks->marks.n; i++)
		free(marks->marks.items[i].durations.items);
	free(marks->marks.items);
	free(marks->parts.items);
	syc_map_fini(&marks->by_text);
}

static int add_one(struct syc_mark_stats *marks, const char *group,
                   const char *name, int64_t duration)
{
	const size_t group_size = strlen(group) + 1;
	const size_t name_size = strlen(name) + 1;
	char key[KEY_SIZE]; /* the reader has checked the ends of both texts */
	size_t number;

	memcpy(key, group, group_size);
	memcpy(key + group_size, name, name_size);
	const int r = syc_map_put(&marks->by_text, key, group_size + name_size,
	                          &number);
	if (r < 0)
		return r;
	if (r > 0) {
		const struct syc_mark mark = { .group = group, .name = name };

		if (syc_array_push(&marks->marks, mark) < 0)
			return -ENOMEM;
	}
	return syc_array_push(&marks->marks.items[number].durations,
	                      duration > 0 ? duration : 0);
}

enum syc_mark_passes syc_mark_passes(const struct syscap_profile *profile,
                                     int64_t begin,
                                     const struct syscap_view *view,
                                     const struct syscap_profile_event *event)
{
	int64_t time = event->frame->time;
	int64_t duration = event->frame->mark.duration;

	if (syc_processes_is_false_mark(&profile->processes, event->frame))
		return syscap_view_has(view, event->thread,
		                       syc_frame_last_time(event->frame))
		               ? SYC_MARK_FALSE
		               : SYC_MARK_EXCLUDED;
	syc_marks_cut(begin, &time, &duration);
	if (syscap_view_has_mark(view, event->thread, time, duration))
		return SYC_MARK_PASSES;
	return syscap_view_has_mark(view, event->thread, time, INT64_MAX)
	               ? SYC_MARK_EARLIER
	               : SYC_MARK_EXCLUDED;
}

int syc_mark_stats_add_frame(struct syc_mark_stats *marks,
                             const struct syscap_frame *frame,
                             enum syc_mark_passes passes)
{
	int64_t time = frame->time, duration = frame->mark.duration;
	struct syscap_profile_part part;

	if (syc_async_part_read(frame->mark.message, &part) &&
	    (part.phase == SYSCAP_PHASE_BEGIN ||
	     part.phase == SYSCAP_PHASE_END)) {
		const struct syc_mark_part item = {
			.group = frame->mark.group,
			.name = frame->mark.name,
			.id = part.id,
			.time = frame->time,
			.from = frame->time > marks->begin ? frame->time
			                                   : marks->begin,
			.number = marks->parts.n,
			.pid = frame->pid,
			.is_end = part.phase == SYSCAP_PHASE_END,
			.passes = passes,
		};

		return syc_array_push(&marks->parts, item);
	}
	if (passes == SYC_MARK_FALSE && marks->early.n_false++ == 0)
		marks->early.false_name = frame->mark.name;
	if (passes != SYC_MARK_PASSES)
		return 0;
	if (!syc_marks_cut(marks->begin, &time, &duration)) {
		marks->early.n_before++;
		return 0;
	}
	marks->early.n_cut += frame->time < marks->begin;
	return add_one(marks, frame->mark.group, frame->mark.name, duration);
}

static int compare_keys(const struct syc_mark_part *a,
                        const struct syc_mark_part *b)
{
	const int order = strcmp(a->group, b->group);

	if (order != 0)
		return order;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int compare_parts(const void *left, const void *right)
{
	const struct syc_mark_part *a = left, *b = right;
	const int order = compare_keys(a, b);

	if (order != 0)
		return order;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Make one row of an operation's `begin` and `end` marks, as in
 * profile/async_ops.c. */
static int join_parts(struct syc_mark_stats *marks)
{
	const struct syc_mark_part *const all = marks->parts.items;
	const size_t n = marks->parts.n;
	int r = 0;

	if (n > 0)
		qsort(marks->parts.items, n, sizeof(*all), compare_parts);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const bool has_next = !all[i].is_end && i + 1 < n &&
		                      compare_keys(&all[i], &all[i + 1]) == 0;
		const bool is_joined = has_next && all[i + 1].is_end;
		const bool is_early = all[i].time < marks->begin;
		int64_t duration = 0;

		if (is_joined && __builtin_sub_overflow(all[i + 1].from,
		                                        all[i].from, &duration))
			duration = INT64_MAX;
		if (all[i].passes == SYC_MARK_PASSES ||
		    (all[i].passes == SYC_MARK_EARLIER && is_joined &&
		     all[i + 1].time > marks->from)) {
			const bool is_before =
				is_early &&
				(all[i].is_end ||
			         (has_next && all[i + 1].time <= marks->begin));

			marks->early.n_before += is_before;
			marks->early.n_cut += is_early && !is_before;
			if (!is_before)
				r = add_one(marks, all[i].group, all[i].name,
				            duration);
		}
		i += is_joined;
	}
	return r;
}

static int compare_marks(const void *left, const void *right)
{
	const struct syc_mark *a = left, *b = right;
	int order = (a->sums.total < b->sums.total) -
	            (a->sums.total > b->sums.total);

	if (order == 0)
		order = (a->sums.count < b->sums.count) -
		        (a->sums.count > b->sums.count);
	if (order == 0)
		order = strcmp(a->group, b->group);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order;
}

int syc_mark_stats_finish(struct syc_mark_stats *marks)
{
	const int r = join_parts(marks);

	for (size_t i = 0; i < marks->marks.n; i++) {
		struct syc_mark *const mark = &marks->marks.items[i];

		mark->sums = syc_duration_stats_of(mark->durations.items,
		                                   mark->durations.n);
		free(mark->durations.items);
		memset(&mark->durations, 0, sizeof(mark->durations));
	}
	if (marks->marks.n)
		qsort(marks->marks.items, marks->marks.n,
		      sizeof(*marks->marks.items), compare_marks);
	return r;
}

void syc_mark_stats_false_text(const struct syc_early_marks *early, FILE *out)
{
	const bool is_one = early->n_false == 1;

	fprintf(out, "%" PRIu64 " mark%s \"", early->n_false,
	        is_one ? "" : "s, the first is");
	syc_printable_write(out, early->false_name, false);
	fprintf(out,
	        is_one ? "\" begins before its process: its time is not shown"
	               : "\", begin before their processes: their times "
	                 "are not shown");
}

static void print_early(const struct syc_early_marks *early)
{
	if (early->n_cut > 0)
		printf("  began before the recording: %" PRIu64
		       ", measured from its start\n",
		       early->n_cut);
	if (early->n_before > 0)
		printf("  ended before the recording: %" PRIu64
		       ", not counted\n",
		       early->n_before);
	if (early->n_false > 0) {
		printf("  ");
		syc_mark_stats_false_text(early, stdout);
		putchar('\n');
	}
}

int syc_mark_stats_print(const struct syc_mark_stats *marks, size_t most)
{
	static const struct syc_table_column columns[] = {
		{ "group", false }, { "name", false }, { "count", true },
		{ "min", true },    { "mean", true },  { "median", true },
		{ "p99", true },    { "max", true },   { "total", true },
	};
	struct syc_table table;

	if (marks->marks.n == 0 && marks->early.n_false == 0)
		return 0;
	syc_table_heading(stdout, "Marks");
	syc_table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < marks->marks.n && i < most; i++) {
		const struct syc_mark *mark = &marks->marks.items[i];

		syc_table_add_text(&table, mark->group);
		syc_table_add_text(&table, mark->name);
		syc_table_add(&table, "%" PRIu64, mark->sums.count);
		syc_table_add_duration(&table, mark->sums.min);
		syc_table_add_duration(&table, mark->sums.mean);
		syc_table_add_duration(&table, mark->sums.median);
		syc_table_add_duration(&table, mark->sums.p99);
		syc_table_add_duration(&table, mark->sums.max);
		syc_table_add_duration(&table, mark->sums.total);
	}
	const int r = syc_table_finish(&table, marks->marks.n, most);

	print_early(&marks->early);
	return r;
}

void syc_mark_stats_json(struct syc_json *json,
                         const struct syc_mark_stats *marks, size_t most)
{
	syc_json_key(json, "marks");
	syc_json_begin_array(json);
	for (size_t i = 0; i < marks->marks.n && i < most; i++) {
		const struct syc_mark *mark = &marks->marks.items[i];

		syc_json_begin_object(json);
		syc_json_member_text(json, "group", mark->group);
		syc_json_member_text(json, "name", mark->name);
		syc_json_member_unsigned(json, "count", mark->sums.count);
		syc_json_member_integer(json, "min_ns", mark->sums.min);
		syc_json_member_integer(json, "mean_ns", mark->sums.mean);
		syc_json_member_integer(json, "median_ns", mark->sums.median);
		syc_json_member_integer(json, "p99_ns", mark->sums.p99);
		syc_json_member_integer(json, "max_ns", mark->sums.max);
		syc_json_member_integer(json, "total_ns", mark->sums.total);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	syc_json_member_unsigned(json, "marks_cut", marks->early.n_cut);
	syc_json_member_unsigned(json, "marks_before", marks->early.n_before);
	syc_json_member_unsigned(json, "marks_false", marks->early.n_false);
}
