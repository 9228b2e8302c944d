/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope.c - the JSON of speedscope.app.
 *
 * Each thread with samples has a "sampled" profile, and each thread with marks
 * has an "evented" profile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "common/containers.h"
#include "common/json.h"
#include "export/export.h"
#include "export/stacks.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
	struct syc_export *export;
	struct syc_json json;
	int64_t begin; /* earliest written time */
	struct syc_frames frames;
	struct syc_thread_samples by;
	struct syscap_profile_samples samples;
	struct syc_batch_walk batch;
	uint32_t *order; /* the passing marks, by thread and start */
	size_t n_order;
};

/* The file is the source file if known. */
static void write_frame(struct writer *writer, size_t number)
{
	const uint32_t function =
		syc_frames_get(&writer->frames, number).function;
	const struct syscap_profile_line *line =
		syc_frames_line(&writer->frames, number);
	const char *binary =
		syscap_profile_function(writer->export->profile, function)
			->binary;
	struct syc_json *json = &writer->json;

	syc_json_begin_object(json);
	syc_json_member_text(json, "name",
	                     syc_frames_name(&writer->frames, function));
	if (line != NULL)
		syc_json_member_text(json, "file", line->file);
	else if (binary[0] != 0)
		syc_json_member_text(json, "file", binary);
	if (line != NULL && line->line != 0)
		syc_json_member_unsigned(json, "line", line->line);
	syc_json_end_object(json);
}

/* Write functions first, then the names of marks. */
static void write_frames(struct writer *writer)
{
	const struct syscap_profile *profile = writer->export->profile;
	const struct syscap_profile_mark_name *names;
	struct syc_json *json = &writer->json;
	size_t n;

	syc_json_key(json, "shared");
	syc_json_begin_object(json);
	syc_json_key(json, "frames");
	syc_json_begin_array(json);
	for (size_t i = 0; i < writer->frames.n; i++)
		write_frame(writer, i);
	names = syscap_profile_mark_names(profile, &n);
	for (size_t i = 0; i < n; i++) {
		syc_json_begin_object(json);
		syc_json_member_text(json, "name", names[i].name);
		syc_json_member_text(json, "file", names[i].group);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	syc_json_end_object(json);
}

static void begin_profile(struct writer *writer, const char *type,
                          uint32_t thread, const char *what, bool is_time)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	char name[300];
	size_t n;

	threads = syscap_profile_threads(writer->export->profile, &n);
	processes = syscap_profile_processes(writer->export->profile, &n);
	snprintf(name, sizeof(name), "%.100s %d, thread %d %.100s: %s",
	         processes[threads[thread].process].binary,
	         (int)processes[threads[thread].process].pid,
	         (int)threads[thread].tid, threads[thread].name, what);
	syc_json_begin_object(&writer->json);
	syc_json_member_text(&writer->json, "type", type);
	syc_json_member_text(&writer->json, "name", name);
	syc_json_member_text(&writer->json, "unit",
	                     is_time ? "nanoseconds" : "none");
	syc_json_member_integer(&writer->json, "startValue", 0);
}

/* ------------------------------------------------------------- samples */

static void write_stack(struct writer *writer, const uint32_t *path, size_t n)
{
	const struct syscap_view *view = writer->export->view;

	syc_json_begin_array(&writer->json);
	while (n > 0)
		syc_json_unsigned(
			&writer->json,
			syc_frames_of(&writer->frames, view, path[--n]));
	syc_json_end_array(&writer->json);
}

static void write_stacks(struct writer *writer, const uint32_t *numbers,
                         size_t n)
{
	struct syc_batch_walk *batch = &writer->batch;

	for (size_t at = 0, some; at < n; at += some) {
		some = n - at < SYC_BATCH_WALK_MAX ? n - at
		                                   : SYC_BATCH_WALK_MAX;
		syc_batch_walk_run(batch, numbers + at, some);
		for (size_t i = 0; i < some; i++)
			write_stack(writer, syc_batch_walk_path(batch, i),
			            batch->lens[i]);
	}
}

static void write_samples(struct writer *writer, uint32_t thread)
{
	const struct syscap_view *view = writer->export->view;
	const struct syscap_profile_samples *samples = &writer->samples;
	const bool is_time = syc_amount_is_time(view->unit);
	const uint64_t tick =
		is_time ? syscap_profile_tick(writer->export->profile, thread)
			: 1;
	struct syc_json *json = &writer->json;
	const uint32_t *numbers;
	uint64_t sum = 0;
	size_t n;

	if (writer->by.begins[thread] == writer->by.begins[thread + 1])
		return;
	begin_profile(writer, "sampled", thread,
	              syscap_view_unit_name(view->unit), is_time);
	syc_json_key(json, "samples");
	syc_json_begin_array(json);
	for (size_t at = 0;
	     (numbers = syc_thread_samples_get(&writer->by, thread, at, &n)) !=
	     NULL;
	     at += n)
		write_stacks(writer, numbers, n);
	syc_json_end_array(json);
	syc_json_key(json, "weights");
	syc_json_begin_array(json);
	for (size_t at = 0;
	     (numbers = syc_thread_samples_get(&writer->by, thread, at, &n)) !=
	     NULL;
	     at += n) {
		for (size_t i = 0; i < n; i++) {
			const uint64_t weight =
				samples->ticks[numbers[i]] * tick;

			syc_json_unsigned(json, weight);
			sum += weight;
		}
	}
	syc_json_end_array(json);
	syc_json_member_unsigned(json, "endValue", sum);
	syc_json_end_object(json);
}

/* --------------------------------------------------------------- marks */

static int compare_marks(const void *one, const void *other, void *data)
{
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const struct syscap_profile_mark mark_a = syscap_profile_mark(data, a);
	const struct syscap_profile_mark mark_b = syscap_profile_mark(data, b);

	if (mark_a.thread != mark_b.thread)
		return mark_a.thread < mark_b.thread ? -1 : 1;
	if (mark_a.time != mark_b.time)
		return mark_a.time < mark_b.time ? -1 : 1;
	if (mark_a.depth != mark_b.depth)
		return mark_a.depth < mark_b.depth ? -1 : 1;
	return (a > b) - (a < b);
}

static int choose_marks(struct writer *writer)
{
	const struct syscap_profile *profile = writer->export->profile;
	const size_t n = syscap_profile_n_marks(profile);

	writer->order = calloc(n + 1, sizeof(*writer->order));
	if (writer->order == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (mark.is_end ||
		    !syscap_view_has_mark(writer->export->view, mark.thread,
		                          mark.time, mark.duration))
			continue;
		if (mark.lane != 0) {
			writer->export->n_overlaps++;
			continue;
		}
		writer->order[writer->n_order++] = (uint32_t)i;
	}
	syc_order(writer->order, writer->n_order, compare_marks,
	          syc_unconst(profile));
	return 0;
}

static struct syscap_profile_mark mark_of(const struct writer *writer,
                                          uint32_t number)
{
	return syscap_profile_mark(writer->export->profile, number);
}

static int64_t end_of(const struct syscap_profile_mark *mark)
{
	int64_t end;

	return __builtin_add_overflow(mark->time, mark->duration, &end)
	               ? INT64_MAX
	               : end;
}

static uint64_t since_begin(const struct writer *writer, int64_t time)
{
	return (uint64_t)time - (uint64_t)writer->begin;
}

static void write_event(struct writer *writer, const char *type,
                        const struct syscap_profile_mark *mark, int64_t at)
{
	syc_json_begin_object(&writer->json);
	syc_json_member_text(&writer->json, "type", type);
	syc_json_member_unsigned(&writer->json, "frame",
	                         writer->frames.n + mark->name);
	syc_json_member_unsigned(&writer->json, "at", since_begin(writer, at));
	syc_json_end_object(&writer->json);
}

/* The marks from @order to @end belong to one thread and lane: nested or
 * disjoint. */
static int write_marks(struct writer *writer, const uint32_t *order,
                       const uint32_t *end)
{
	struct syscap_profile_mark *open; /* open marks, the outermost first */
	size_t n_open = 0;
	int64_t last = writer->begin;

	open = calloc((size_t)(end - order), sizeof(*open));
	if (open == NULL)
		return -ENOMEM;
	begin_profile(writer, "evented", mark_of(writer, *order).thread,
	              "marks", true);
	syc_json_key(&writer->json, "events");
	syc_json_begin_array(&writer->json);
	for (; order < end || n_open > 0;) {
		struct syscap_profile_mark next = { 0 };

		if (order < end)
			next = mark_of(writer, *order);
		if (n_open > 0 &&
		    (order == end || (end_of(&open[n_open - 1]) <= next.time &&
		                      next.depth < n_open))) {
			last = end_of(&open[--n_open]);
			write_event(writer, "C", &open[n_open], last);
		} else {
			write_event(writer, "O", &next, next.time);
			open[n_open++] = next;
			order++;
		}
	}
	syc_json_end_array(&writer->json);
	syc_json_member_unsigned(&writer->json, "endValue",
	                         since_begin(writer, last));
	syc_json_end_object(&writer->json);
	free(open);
	return 0;
}

static int write_all_marks(struct writer *writer)
{
	int r = choose_marks(writer);

	for (size_t i = 0, end; r == 0 && i < writer->n_order; i = end) {
		const uint32_t thread =
			mark_of(writer, writer->order[i]).thread;

		for (end = i;
		     end < writer->n_order &&
		     mark_of(writer, writer->order[end]).thread == thread;)
			end++;
		r = write_marks(writer, writer->order + i, writer->order + end);
	}
	return r;
}

static int write_profiles(struct writer *writer)
{
	syc_json_key(&writer->json, "profiles");
	syc_json_begin_array(&writer->json);
	for (size_t t = 0; t < writer->by.n_threads; t++)
		write_samples(writer, (uint32_t)t);
	const int r = write_all_marks(writer);
	syc_json_end_array(&writer->json);
	return r;
}

/* The name is the only text that the viewer shows for all profiles. */
static void write_name(struct writer *writer)
{
	const char *const note = writer->export->note;
	char name[512];

	snprintf(name, sizeof(name), "%.300s%s%s%s", writer->export->name,
	         note[0] != 0 ? " (" : "", note, note[0] != 0 ? ")" : "");
	syc_json_member_text(&writer->json, "name",
	                     note[0] != 0 ? name : writer->export->name);
}

int syc_export_speedscope(struct syc_export *export)
{
	struct writer writer = { .export = export,
		                 .json = { .out = export->out } };
	struct syscap_profile_span span;
	int r;

	syscap_profile_span(export->profile, &span);
	writer.begin = span.begin;
	r = syc_thread_samples_init(&writer.by, export->profile, export->view);
	syscap_profile_samples(export->profile, &writer.samples);
	if (r == 0)
		r = syc_batch_walk_init(&writer.batch, export->view,
		                        &writer.samples);
	if (r == 0)
		r = syc_frames_init(&writer.frames, export);
	if (r == 0) {
		syc_json_begin_object(&writer.json);
		syc_json_member_text(&writer.json, "$schema", SCHEMA);
		write_name(&writer);
		syc_json_member_text(&writer.json, "exporter", "syscap");
		write_frames(&writer);
		r = write_profiles(&writer);
		syc_json_end_object(&writer.json);
		syc_json_end_line(&writer.json);
	}
	syc_frames_fini(&writer.frames);
	syc_thread_samples_fini(&writer.by);
	syc_batch_walk_fini(&writer.batch);
	free(writer.order);
	return r;
}
