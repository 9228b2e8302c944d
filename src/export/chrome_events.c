/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chrome_events.c - marks, operations and arrows as Chrome trace events.
 *
 * Marks in the first lane of a thread are complete events ("X").  Marks that
 * partly overlap complete events are pairs of events ("b", "e"), like
 * operations.
 */
#define _GNU_SOURCE
#include "export/chrome_events.h"

#include <errno.h>
#include <string.h>

/* Write microseconds with ns digits, since no double is exact enough. */
void syc_chrome_time(struct syc_chrome *trace, const char *key, uint64_t ns)
{
	const int64_t most = INT64_MAX;

	syc_json_key(&trace->json, key);
	syc_json_fixed(&trace->json, ns < (uint64_t)most ? (int64_t)ns : most,
	               3);
}

void syc_chrome_event(struct syc_chrome *trace, const char *phase,
                      uint32_t thread, int64_t time)
{
	const struct syscap_profile_thread *of = &trace->threads[thread];
	struct syc_json *json = &trace->json;

	syc_json_begin_object(json);
	syc_json_member_text(json, "ph", phase);
	syc_json_member_integer(json, "pid", trace->pids.items[of->process]);
	syc_json_member_integer(json, "tid", of->tid);
	syc_chrome_time(trace, "ts",
	                time > trace->begin
	                        ? (uint64_t)time - (uint64_t)trace->begin
	                        : 0);
}

void syc_chrome_event_end(struct syc_chrome *trace)
{
	syc_json_end_object(&trace->json);
	syc_json_end_line(&trace->json);
}

void syc_chrome_local_id(struct syc_chrome *trace, const char *kind,
                         uint64_t id)
{
	char text[40], *to = stpcpy(text, kind);
	unsigned shift = 60;

	while (shift > 0 && id >> shift == 0)
		shift -= 4;
	to = stpcpy(to, "0x");
	for (unsigned n = shift / 4 + 1; n > 0; n--)
		*to++ = "0123456789abcdef"[id >> 4 * (n - 1) & 15];
	*to = 0;
	syc_json_key(&trace->json, "id2");
	syc_json_begin_object(&trace->json);
	syc_json_member_text(&trace->json, "local", text);
	syc_json_end_object(&trace->json);
}

#define NONE SYSCAP_PROFILE_NONE

static struct syscap_profile_mark mark_of(const struct syc_chrome *trace,
                                          uint32_t number)
{
	return syscap_profile_mark(trace->export->profile, number);
}

static void put_name(struct syc_chrome *trace, uint32_t name)
{
	syc_json_member_text(&trace->json, "cat", trace->names[name].group);
	syc_json_member_text(&trace->json, "name", trace->names[name].name);
}

/*
 * Write the message and group of @mark, and its name if that name is not @name.
 */
static int put_message(struct syc_chrome *trace,
                       const struct syscap_profile_mark *mark, uint32_t name)
{
	struct syc_export *export = trace->export;
	const char *message = syscap_profile_message(
		export->profile, export->reader, mark->offset);

	if (message == NULL)
		return -ENOMEM;
	if (message[0] == 0)
		return 0;
	syc_json_key(&trace->json, "args");
	syc_json_begin_object(&trace->json);
	syc_json_member_text(&trace->json, "message", message);
	if (mark->name != name)
		syc_json_member_text(&trace->json, "mark",
		                     trace->names[mark->name].name);
	syc_json_end_object(&trace->json);
	return 0;
}

static int write_complete(struct syc_chrome *trace,
                          const struct syscap_profile_mark *mark)
{
	int r;

	syc_chrome_event(trace, "X", mark->thread, mark->time);
	syc_chrome_time(trace, "dur", (uint64_t)mark->duration);
	put_name(trace, mark->name);
	r = put_message(trace, mark, mark->name);
	syc_chrome_event_end(trace);
	return r;
}

static int write_instant(struct syc_chrome *trace,
                         const struct syscap_profile_mark *mark)
{
	int r;

	syc_chrome_event(trace, "I", mark->thread, mark->time);
	syc_json_member_text(&trace->json, "s", "t");
	put_name(trace, mark->name);
	r = put_message(trace, mark, mark->name);
	syc_chrome_event_end(trace);
	return r;
}

/*
 * An event "b", "n" or "e" of the id @kind@id, with the details of @mark, if
 * any.
 */
struct part {
	const char *phase, *kind;
	uint64_t id;
	uint32_t thread, name, mark;
	int64_t time;
};

static int put_part_message(struct syc_chrome *trace, const struct part *part)
{
	const struct syscap_profile_mark mark = mark_of(trace, part->mark);

	return put_message(trace, &mark, part->name);
}

static int write_part(struct syc_chrome *trace, const struct part *part)
{
	int r = 0;

	syc_chrome_event(trace, part->phase, part->thread, part->time);
	syc_chrome_local_id(trace, part->kind, part->id);
	put_name(trace, part->name);
	if (part->mark != NONE)
		r = put_part_message(trace, part);
	syc_chrome_event_end(trace);
	return r;
}

static int write_overlapping(struct syc_chrome *trace, uint32_t number)
{
	const struct syscap_profile_mark mark = mark_of(trace, number);
	struct part part = {
		.phase = "b",
		.kind = "overlapping ",
		.id = number,
		.thread = mark.thread,
		.name = mark.name,
		.mark = number,
		.time = mark.time,
	};
	const int r = write_part(trace, &part);

	part.phase = "e";
	part.mark = NONE;
	part.time = syc_mark_spans_end_of(&mark);
	return r == 0 ? write_part(trace, &part) : r;
}

int syc_chrome_marks(struct syc_chrome *trace)
{
	struct syc_mark_spans_event event;
	struct syc_mark_spans nested;
	int r = syc_mark_spans_init(&nested, trace->export->profile,
	                            trace->export->view);

	while (r == 0 && syc_mark_spans_next(&nested, &event)) {
		if (event.kind == SYC_NESTED_INSTANT)
			r = write_instant(trace, &event.mark);
		else if (event.kind == SYC_NESTED_BEGIN)
			r = event.mark.lane == 0
			            ? write_complete(trace, &event.mark)
			            : write_overlapping(trace, event.number);
	}
	syc_mark_spans_fini(&nested);
	return r;
}

static int write_operation(struct syc_chrome *trace, size_t number)
{
	const struct syc_mark_links *linked = &trace->linked;
	const struct syscap_profile_operation *operation =
		&linked->operations[number];
	const bool is_whole = operation->begin == operation->end;
	const uint32_t first =
		operation->begin != NONE ? operation->begin : operation->end;
	struct part part = {
		.phase = "b",
		.kind = is_whole ? "whole " : "",
		.id = is_whole ? operation->begin : operation->id,
		.thread = mark_of(trace, first).thread,
		.name = operation->name,
		.mark = operation->begin,
		.time = operation->from,
	};
	int r = write_part(trace, &part);

	part.phase = "n";
	for (uint32_t i = linked->steps.begins[number];
	     r == 0 && i < linked->steps.begins[number + 1]; i++) {
		part.mark = linked->parts[linked->steps.rows[i]].mark;
		part.thread = mark_of(trace, part.mark).thread;
		part.name = mark_of(trace, part.mark).name;
		part.time = mark_of(trace, part.mark).time;
		r = write_part(trace, &part);
	}
	part.phase = "e";
	part.mark = is_whole ? NONE : operation->end;
	part.thread =
		mark_of(trace, part.mark != NONE ? part.mark : first).thread;
	part.name = operation->name;
	part.time = operation->to;
	return r == 0 ? write_part(trace, &part) : r;
}

int syc_chrome_operations(struct syc_chrome *trace)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < trace->linked.n_operations; i++)
		if (trace->linked.has_operation[i])
			r = write_operation(trace, i);
	return r;
}

void syc_chrome_arrows(struct syc_chrome *trace)
{
	for (size_t i = 0; i < trace->linked.n_arrows; i++) {
		const struct syscap_profile_arrow *arrow =
			&trace->linked.arrows[i];
		const struct syscap_profile_mark out =
			mark_of(trace, arrow->out);
		const struct syscap_profile_mark in = mark_of(trace, arrow->in);

		if (!trace->linked.has_arrow[i])
			continue;
		syc_chrome_event(trace, "s", out.thread,
		                 syc_mark_spans_end_of(&out));
		put_name(trace, out.name);
		syc_json_member_unsigned(&trace->json, "id", i + 1);
		syc_chrome_event_end(trace);
		/*
		 * The two events need the same name, or the viewer does not
		 * connect them.
		 */
		syc_chrome_event(trace, "f", in.thread, in.time);
		put_name(trace, out.name);
		syc_json_member_text(&trace->json, "bp", "e");
		syc_json_member_unsigned(&trace->json, "id", i + 1);
		syc_chrome_event_end(trace);
	}
}
