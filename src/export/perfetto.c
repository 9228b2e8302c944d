/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto.c - a Perfetto trace: one sequence of packets, kind by kind.
 *
 * Marks are slices of their threads' tracks; what has no place on those has a
 * track of its own.  Numbers of texts and stacks are told before they are
 * used.  Times are those of CLOCK_MONOTONIC.
 */
#include <errno.h>

#include "export/amount.h"
#include "export/perfetto_events.h"
#include "export/perfetto_marks.h"
#include "export/perfetto_names.h"

/* Of ClockSnapshot and its clocks, by perfetto's numbers for them. */
enum {
	CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	PRIMARY_CLOCK = 2,
	REALTIME = 1,
	MONOTONIC = 3,
	BOOTTIME = 6
};

/* Of TracePacketDefaults, StackSampleDefaults and what a weight is. */
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

/* What the boot clock said is not known; it is taken for ours. */
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
	r = syc_perfetto_marks(trace);
	if (r == 0)
		r = syc_perfetto_operations(trace);
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
		r = syc_linked_init(&trace.linked, export->profile,
		                    export->view);
	if (r == 0)
		r = syc_perfetto_names_init(&trace);
	if (r == 0)
		r = write_all(&trace);
	syc_perfetto_names_fini(&trace);
	syc_linked_fini(&trace.linked);
	syc_pids_fini(&trace.pids);
	syc_protobuf_fini(&trace.packet);
	return r;
}
