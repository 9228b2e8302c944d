/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_events.c - counter values, logs, losses, samples and allocations as
 * packets.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "export/perfetto.h"

/* Fields of LogMessage, of interned data and of StackSample. */
enum {
	LOG_BODY = 1,
	LOG_PRIORITY = 3,
	BODIES = 20,
	BODY_ID = 1,
	BODY_TEXT = 2,
	SAMPLE_TASK = 1,
	SAMPLE_STACK = 6,
	SAMPLE_WEIGHT = 11,
	TASK_PID = 2,
	TASK_TID = 3
};

static void put_value(struct syc_perfetto *trace, bool is_double, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (is_double)
		syc_protobuf_double(&trace->packet, SYC_EVENT_DOUBLE, value);
	else
		syc_protobuf_value(&trace->packet, SYC_EVENT_INTEGER, bits);
}

static uint64_t track_of_counter(struct syc_perfetto *trace,
                                 const struct syscap_profile_counter *counter)
{
	char name[SYC_COUNTER_NAME_SIZE];

	syc_counter_name(counter, name);
	return syc_perfetto_counter(trace, counter->process, name,
	                            counter->description);
}

static int write_values(struct syc_perfetto *trace,
                        struct syscap_profile_walk *walk, uint64_t *tracks)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_value value;
	size_t n;
	int r;

	counters = syscap_profile_counters(trace->export->profile, &n);
	while ((r = syscap_profile_walk_value(walk, &value)) > 0) {
		const struct syscap_profile_counter *counter =
			&counters[value.counter];
		uint64_t *track = &tracks[value.counter];

		if (!syscap_view_has(trace->export->view, value.thread,
		                     value.time))
			continue;
		if (*track == 0)
			*track = track_of_counter(trace, counter);
		syc_perfetto_event(trace, SYC_EVENT_COUNTER, *track,
		                   value.time);
		put_value(trace, counter->is_double, value.bits);
		syc_perfetto_event_end(trace);
	}
	return r;
}

int syc_perfetto_values(struct syc_perfetto *trace)
{
	struct syscap_profile_walk *walk;
	uint64_t *tracks;
	size_t n;
	int r;

	syscap_profile_counters(trace->export->profile, &n);
	if (n == 0)
		return 0;
	r = syscap_profile_walk_new(trace->export->profile,
	                            trace->export->reader, &walk);
	if (r < 0)
		return r;
	tracks = calloc(n + 1, sizeof(*tracks));
	r = tracks != NULL ? write_values(trace, walk, tracks) : -ENOMEM;
	free(tracks);
	syscap_profile_walk_free(walk);
	return r;
}

/* Priorities of Android logs: 2 verbose, 3 debug, ... 7 fatal. */
static unsigned priority_of(uint16_t severity)
{
	static const unsigned char priorities[SYC_SEVERITIES] = { 7, 6, 5, 4,
		                                                  4, 3, 2 };

	return priorities[syc_severity_index(severity)];
}

/* Add the text to the table of texts, with a new number. */
static void tell_body(struct syc_perfetto *trace, const char *text)
{
	const size_t begun = syc_perfetto_begin(trace, SYC_PACKET_INTERNED);
	const size_t inner = syc_protobuf_begin(&trace->packet, BODIES);

	syc_protobuf_number(&trace->packet, BODY_ID, ++trace->n_bodies);
	syc_protobuf_text(&trace->packet, BODY_TEXT, text);
	syc_protobuf_end(&trace->packet, inner);
	syc_perfetto_end(trace, begun);
}

static int write_log(struct syc_perfetto *trace,
                     const struct syscap_profile_log *log)
{
	struct syc_export *export = trace->export;
	const char *message = syscap_profile_message(
		export->profile, export->reader, log->offset);
	size_t inner;

	if (message == NULL)
		return -ENOMEM;
	tell_body(trace, message);
	syc_perfetto_event(trace, SYC_EVENT_INSTANT,
	                   syc_perfetto_thread(trace, log->thread), log->time);
	syc_protobuf_text(&trace->packet, SYC_EVENT_CATEGORY, log->domain);
	syc_protobuf_text(&trace->packet, SYC_EVENT_NAME,
	                  syc_severity_name(syc_severity_index(log->severity)));
	inner = syc_protobuf_begin(&trace->packet, SYC_EVENT_LOG);
	syc_protobuf_number(&trace->packet, LOG_BODY, trace->n_bodies);
	syc_protobuf_number(&trace->packet, LOG_PRIORITY,
	                    priority_of(log->severity));
	syc_protobuf_end(&trace->packet, inner);
	syc_perfetto_note_text(trace, "domain", log->domain);
	syc_perfetto_event_end(trace);
	return 0;
}

int syc_perfetto_logs(struct syc_perfetto *trace)
{
	const struct syscap_profile_log *logs;
	size_t n;
	int r = 0;

	logs = syscap_profile_logs(trace->export->profile, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (syscap_view_has(trace->export->view, logs[i].thread,
		                    logs[i].time))
			r = write_log(trace, &logs[i]);
	return r;
}

static void write_loss(struct syc_perfetto *trace, uint64_t track,
                       const struct syscap_profile_loss *loss)
{
	syc_perfetto_event(trace, SYC_EVENT_BEGIN, track, loss->begin);
	syc_protobuf_text(&trace->packet, SYC_EVENT_CATEGORY, "syscap");
	syc_protobuf_text(&trace->packet, SYC_EVENT_NAME, "lost");
	syc_perfetto_note_number(trace, "frames", loss->frames);
	syc_perfetto_note_number(trace, "samples", loss->samples);
	syc_perfetto_note_number(trace, "bytes", loss->bytes);
	syc_perfetto_event_end(trace);
	syc_perfetto_event(trace, SYC_EVENT_END, track, loss->end);
	syc_perfetto_event_end(trace);
}

/* An event at the beginning, since a trace has no place for notes. */
static void write_note(struct syc_perfetto *trace)
{
	const struct syscap_profile_process *processes;
	struct syscap_profile_span span;
	size_t n;
	uint32_t i = 0;

	processes = syscap_profile_processes(trace->export->profile, &n);
	while (i < n && processes[i].pid < 0)
		i++;
	if (trace->export->note[0] == 0 || i == n)
		return;
	syscap_profile_span(trace->export->profile, &span);
	syc_perfetto_event(trace, SYC_EVENT_INSTANT,
	                   syc_perfetto_track(trace, i, "note"), span.begin);
	syc_protobuf_text(&trace->packet, SYC_EVENT_CATEGORY, "syscap");
	syc_protobuf_text(&trace->packet, SYC_EVENT_NAME, trace->export->note);
	syc_perfetto_event_end(trace);
}

/* A track for each thread, and another for losses that overlap. */
int syc_perfetto_losses(struct syc_perfetto *trace)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_loss *losses;
	struct {
		uint64_t track;
		int64_t end;
	} * latest;
	size_t n, ignored;

	write_note(trace);
	threads = syscap_profile_threads(trace->export->profile, &n);
	losses = syscap_profile_losses(trace->export->profile, &ignored);
	latest = calloc(n + 1, sizeof(*latest));
	if (latest == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < trace->export->view->n_losses; i++) {
		const struct syscap_profile_loss *loss =
			&losses[trace->export->view->losses[i]];
		const uint32_t thread = loss->thread;

		if (latest[thread].track == 0 ||
		    loss->begin < latest[thread].end) {
			char name[120];

			snprintf(name, sizeof(name), "lost: %.60s %d",
			         threads[thread].name,
			         (int)threads[thread].tid);
			latest[thread].track = syc_perfetto_track(
				trace, threads[thread].process, name);
		}
		latest[thread].end = loss->end;
		write_loss(trace, latest[thread].track, loss);
	}
	free(latest);
	return 0;
}

static void put_task(struct syc_perfetto *trace, uint32_t number)
{
	const struct syscap_profile_thread *threads;
	size_t begun, ignored;

	threads = syscap_profile_threads(trace->export->profile, &ignored);
	begun = syc_protobuf_begin(&trace->packet, SAMPLE_TASK);
	if (trace->pids.items[threads[number].process] >= 0)
		syc_protobuf_value(
			&trace->packet, TASK_PID,
			(uint64_t)trace->pids.items[threads[number].process]);
	if (threads[number].tid >= 0)
		syc_protobuf_value(&trace->packet, TASK_TID,
		                   (uint64_t)threads[number].tid);
	syc_protobuf_end(&trace->packet, begun);
}

int syc_perfetto_samples(struct syc_perfetto *trace)
{
	const struct syscap_view *view = trace->export->view;
	struct syscap_profile_samples samples;

	syscap_profile_samples(trace->export->profile, &samples);
	for (size_t i = 0; i < samples.n; i++) {
		uint64_t stack, tick;
		size_t begun;

		if ((view->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		tick = syc_amount_is_time(view->unit)
		               ? syscap_profile_tick(trace->export->profile,
		                                     samples.threads[i])
		               : 1;
		stack = syc_perfetto_tell_stack(trace, view,
		                                view->nodes[samples.stacks[i]]);
		begun = syc_perfetto_begin(trace, SYC_PACKET_STACK_SAMPLE);
		put_task(trace, samples.threads[i]);
		syc_protobuf_number(&trace->packet, SAMPLE_STACK, stack);
		syc_protobuf_value(&trace->packet, SAMPLE_WEIGHT,
		                   samples.ticks[i] * tick);
		syc_perfetto_end_at(trace, begun, samples.times[i]);
	}
	return 0;
}

int syc_perfetto_allocations(struct syc_perfetto *trace)
{
	const struct syscap_view *heap = trace->export->heap;
	const struct syscap_profile_allocation *items;
	size_t n;

	if (heap == NULL)
		return 0;
	items = syscap_profile_allocations(trace->export->profile, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t stack;

		if ((heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		stack = syc_perfetto_tell_stack(trace, heap,
		                                heap->nodes[items[i].stack]);
		syc_perfetto_event(trace, SYC_EVENT_INSTANT,
		                   syc_perfetto_thread(trace, items[i].thread),
		                   items[i].time);
		syc_protobuf_text(&trace->packet, SYC_EVENT_CATEGORY,
		                  "allocation");
		syc_protobuf_text(&trace->packet, SYC_EVENT_NAME, "allocation");
		syc_protobuf_number(&trace->packet, SYC_EVENT_STACK_ID, stack);
		syc_protobuf_number(&trace->packet, SYC_EVENT_STACK_WEIGHT,
		                    (uint64_t)items[i].size);
		syc_perfetto_note_number(trace, "address", items[i].address);
		syc_perfetto_note_number(trace, "bytes",
		                         (uint64_t)items[i].size);
		if (items[i].ended_by != SYSCAP_PROFILE_NONE)
			syc_perfetto_note_number(
				trace, "lived_ns",
				(uint64_t)items[items[i].ended_by].time -
					(uint64_t)items[i].time);
		syc_perfetto_event_end(trace);
	}
	return 0;
}
