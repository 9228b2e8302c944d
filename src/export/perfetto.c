/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto.c - a Perfetto trace: one sequence of packets, kind by kind.
 *
 * Marks are slices on the tracks of their threads.  Marks that do not nest
 * there have separate tracks.  Times are times of CLOCK_MONOTONIC.
 */
#include "export/perfetto.h"

#include <errno.h>
#include <stdio.h>

#include "export/export.h"

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
	const struct syc_mark_links *linked = &trace->linked;
	const struct syc_flow *flow = syc_mark_links_flows(linked, mark);

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

/* Returns 0 or -ENOMEM. */
static int perfetto_marks(struct syc_perfetto *trace)
{
	struct syc_mark_spans_event event;
	struct syc_mark_spans nested;
	uint64_t track = 0;
	int r = syc_mark_spans_init(&nested, trace->export->profile,
	                            trace->export->view);

	while (r == 0 && syc_mark_spans_next(&nested, &event)) {
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
	syc_mark_spans_fini(&nested);
	return r;
}

/* ------------------------------------------------------------- operations */

/* An event of an operation, from mark @number or NONE. */
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
	const struct syc_mark_links *linked = &trace->linked;
	const struct syscap_profile_operation *operation =
		&linked->operations[number];
	int r = write_part(trace, SYC_EVENT_BEGIN, track, operation->from,
	                   operation->name, operation->begin);

	for (uint32_t i = linked->steps.begins[number];
	     r == 0 && i < linked->steps.begins[number + 1]; i++) {
		const uint32_t step = linked->parts[linked->steps.rows[i]].mark;

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

static int perfetto_operations(struct syc_perfetto *trace)
{
	const struct syc_mark_links *linked = &trace->linked;
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
		    !syc_mark_links_is_same(linked, trace->export->profile,
		                            last, i))
			track = syc_perfetto_track(
				trace, operation->process,
				names[operation->name].group);
		last = i;
		r = write_operation(trace, i, track);
	}
	return r;
}

/* Fields of ClockSnapshot; Perfetto's numbers of its clocks. */
enum {
	CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	PRIMARY_CLOCK = 2,
	REALTIME = 1,
	MONOTONIC = 3,
	BOOTTIME = 6
};

/* Fields of TracePacketDefaults and StackSampleDefaults; units of weights. */
enum {
	DEFAULT_CLOCK = 58,
	DEFAULT_SAMPLE = 100,
	SAMPLE_SOURCE = 1,
	SAMPLE_WEIGHT = 2,
	WEIGHT_NAME = 2,
	WEIGHT_UNIT = 3,
	UNIT_NS = 1,
	UNIT_COUNT = 9
};

static void tell_clock(struct syc_perfetto *trace, unsigned clock,
                       uint64_t time)
{
	const size_t begun = syc_protobuf_begin(&trace->packet, CLOCKS);

	syc_protobuf_number(&trace->packet, CLOCK_ID, clock);
	syc_protobuf_value(&trace->packet, CLOCK_TIME, time);
	syc_protobuf_end(&trace->packet, begun);
}

/* The boot clock is unknown, and is assumed to equal CLOCK_MONOTONIC. */
static void tell_clocks(struct syc_perfetto *trace)
{
	struct syscap_profile_span span;
	uint64_t begin;
	size_t begun;

	syscap_profile_span(trace->export->profile, &span);
	begin = syc_perfetto_time(span.begin);
	begun = syc_perfetto_begin(trace, SYC_PACKET_CLOCK_SNAPSHOT);
	tell_clock(trace, MONOTONIC, begin);
	tell_clock(trace, BOOTTIME, begin);
	if (trace->export->capture_time > 0)
		tell_clock(trace, REALTIME,
		           (uint64_t)trace->export->capture_time *
		                   UINT64_C(1000000000));
	syc_protobuf_number(&trace->packet, PRIMARY_CLOCK, MONOTONIC);
	syc_perfetto_end(trace, begun);
}

static void tell_defaults(struct syc_perfetto *trace)
{
	const enum syscap_view_unit unit = trace->export->view->unit;
	struct syc_protobuf *packet = &trace->packet;
	const size_t begun = syc_perfetto_begin(trace, SYC_PACKET_DEFAULTS);
	size_t sample, weight;

	syc_protobuf_number(packet, DEFAULT_CLOCK, MONOTONIC);
	sample = syc_protobuf_begin(packet, DEFAULT_SAMPLE);
	syc_protobuf_text(packet, SAMPLE_SOURCE, "syscap");
	weight = syc_protobuf_begin(packet, SAMPLE_WEIGHT);
	syc_protobuf_text(packet, WEIGHT_NAME, syscap_view_unit_name(unit));
	syc_protobuf_number(packet, WEIGHT_UNIT,
	                    syc_amount_is_time(unit) ? UNIT_NS : UNIT_COUNT);
	syc_protobuf_end(packet, weight);
	syc_protobuf_end(packet, sample);
	syc_perfetto_end(trace, begun);
}

static int write_all(struct syc_perfetto *trace)
{
	int r;

	tell_clocks(trace);
	tell_defaults(trace);
	syc_perfetto_tracks(trace);
	r = perfetto_marks(trace);
	if (r == 0)
		r = perfetto_operations(trace);
	if (r == 0)
		r = syc_perfetto_values(trace);
	if (r == 0)
		r = syc_perfetto_logs(trace);
	if (r == 0)
		r = syc_perfetto_losses(trace);
	if (r == 0)
		r = syc_perfetto_samples(trace);
	if (r == 0)
		r = syc_perfetto_allocations(trace);
	return r == 0 && trace->packet.failed ? -ENOMEM : r;
}

int syc_export_perfetto(struct syc_export *export)
{
	struct syc_perfetto trace = { .export = export };
	int r = syc_pids_init(&trace.pids, export->profile);

	if (r == 0)
		r = syc_mark_links_init(&trace.linked, export->profile,
		                        export->view);
	if (r == 0)
		r = syc_perfetto_names_init(&trace);
	if (r == 0)
		r = write_all(&trace);
	syc_perfetto_names_fini(&trace);
	syc_mark_links_fini(&trace.linked);
	syc_pids_fini(&trace.pids);
	syc_protobuf_fini(&trace.packet);
	return r;
}
