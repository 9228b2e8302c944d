/* SPDX-License-Identifier: BSD-2-Clause */
/* perfetto_marks.c - marks, operations and arrows of a Perfetto trace. */
#include "export/perfetto_marks.h"

#include <errno.h>
#include <stdio.h>

#include "export/nested.h"
#include "export/perfetto_names.h"

#define NONE SYSCAP_PROFILE_NONE

static struct syscap_profile_mark mark_of(const struct syc_perfetto *trace,
                                          uint32_t number)
{
	return syscap_profile_mark(trace->export->profile, number);
}

static void put_name(struct syc_perfetto *trace, uint32_t name)
{
	struct syc_protobuf *packet = &trace->packet;

	syc_protobuf_number(packet, SYC_EVENT_CATEGORY_IDS, UINT64_C(1) + name);
	syc_protobuf_number(packet, SYC_EVENT_NAME_ID, UINT64_C(1) + name);
}

static int put_message(struct syc_perfetto *trace,
                       const struct syscap_profile_mark *mark)
{
	struct syc_export *export = trace->export;
	const char *message = syscap_profile_message(
		export->profile, export->reader, mark->offset);

	if (message == NULL)
		return -ENOMEM;
	if (message[0] != 0)
		syc_perfetto_note_text(trace, "message", message);
	return 0;
}

static void put_flows(struct syc_perfetto *trace, uint32_t mark)
{
	const struct syc_linked *linked = &trace->linked;
	const struct syc_flow *flow = syc_linked_flows(linked, mark);

	for (; flow != NULL && flow < linked->flows + linked->n_flows &&
	       flow->mark == mark;
	     flow++)
		syc_protobuf_fixed64(&trace->packet,
		                     flow->is_in ? SYC_EVENT_FLOW_END
		                                 : SYC_EVENT_FLOW,
		                     UINT64_C(1) + flow->arrow);
}

/* ----------------------------------------------------- of their threads */

/* Lane 0 is the thread's own track. */
static uint64_t track_of_lane(struct syc_perfetto *trace,
                              const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_thread *threads;
	char name[120];
	size_t ignored;

	if (mark->lane == 0)
		return syc_perfetto_thread(trace, mark->thread);
	threads = syscap_profile_threads(trace->export->profile, &ignored);
	snprintf(name, sizeof(name), "%.60s %d: overlapping marks",
	         threads[mark->thread].name, (int)threads[mark->thread].tid);
	return syc_perfetto_track(trace, threads[mark->thread].process,
	                          name[0] == ' ' ? name + 1 : name);
}

int syc_perfetto_marks(struct syc_perfetto *trace)
{
	struct syc_nested_event event;
	struct syc_nested nested;
	uint64_t track = 0;
	int r = syc_nested_init(&nested, trace->export->profile,
	                        trace->export->view);

	while (r == 0 && syc_nested_next(&nested, &event)) {
		const struct syscap_profile_mark *mark = &event.mark;

		if (event.kind == SYC_NESTED_END) {
			syc_perfetto_event(trace, SYC_EVENT_END, track,
			                   event.time);
			syc_perfetto_event_end(trace);
			continue;
		}
		if (event.is_first)
			track = track_of_lane(trace, mark);
		syc_perfetto_tell_name(trace, mark->name);
		syc_perfetto_event(trace,
		                   event.kind == SYC_NESTED_BEGIN
		                           ? SYC_EVENT_BEGIN
		                           : SYC_EVENT_INSTANT,
		                   track, event.time);
		put_name(trace, mark->name);
		if (mark->part != NONE)
			put_flows(trace, event.number);
		r = put_message(trace, mark);
		syc_perfetto_event_end(trace);
	}
	syc_nested_fini(&nested);
	return r;
}

/* ------------------------------------------------------------- operations */

/* An event of an operation, from mark @number if there is one. */
static int write_part(struct syc_perfetto *trace, enum syc_event_type type,
                      uint64_t track, int64_t time, uint32_t name,
                      uint32_t number)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_mark_name *names;
	size_t ignored;
	int r = 0;

	threads = syscap_profile_threads(trace->export->profile, &ignored);
	names = syscap_profile_mark_names(trace->export->profile, &ignored);
	syc_perfetto_tell_name(trace, name);
	syc_perfetto_event(trace, type, track, time);
	if (type != SYC_EVENT_END)
		put_name(trace, name);
	if (number != NONE) {
		const struct syscap_profile_mark mark = mark_of(trace, number);
		const int32_t tid = threads[mark.thread].tid;

		if (tid >= 0)
			syc_perfetto_note_number(trace, "tid", (uint64_t)tid);
		if (mark.name != name)
			syc_perfetto_note_text(trace, "mark",
			                       names[mark.name].name);
		r = put_message(trace, &mark);
	}
	syc_perfetto_event_end(trace);
	return r;
}

static int write_operation(struct syc_perfetto *trace, size_t number,
                           uint64_t track)
{
	const struct syc_linked *linked = &trace->linked;
	const struct syscap_profile_operation *operation =
		&linked->operations[number];
	int r = write_part(trace, SYC_EVENT_BEGIN, track, operation->from,
	                   operation->name, operation->begin);

	for (uint32_t i = linked->begins[number];
	     r == 0 && i < linked->begins[number + 1]; i++) {
		const uint32_t step = linked->steps[i];

		r = write_part(trace, SYC_EVENT_INSTANT, track,
		               mark_of(trace, step).time,
		               mark_of(trace, step).name, step);
	}
	return r == 0 ? write_part(trace, SYC_EVENT_END, track, operation->to,
	                           operation->name,
	                           operation->end == operation->begin
	                                   ? NONE
	                                   : operation->end)
	              : r;
}

int syc_perfetto_operations(struct syc_perfetto *trace)
{
	const struct syc_linked *linked = &trace->linked;
	const struct syscap_profile_mark_name *names;
	uint64_t track = 0;
	size_t last = SIZE_MAX, ignored;
	int r = 0;

	names = syscap_profile_mark_names(trace->export->profile, &ignored);
	for (size_t i = 0; r == 0 && i < linked->n_operations; i++) {
		const struct syscap_profile_operation *operation =
			&linked->operations[i];

		if (!linked->has_operation[i])
			continue;
		if (last == SIZE_MAX ||
		    !syc_linked_is_same(linked, trace->export->profile, last,
		                        i))
			track = syc_perfetto_track(
				trace, operation->process,
				names[operation->name].group);
		last = i;
		r = write_operation(trace, i, track);
	}
	return r;
}
