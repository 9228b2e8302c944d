/* SPDX-License-Identifier: BSD-2-Clause */
/* perfetto_packet.c - packets, tracks and events of a Perfetto trace. */
#define _GNU_SOURCE
#include "export/perfetto_packet.h"

#include <stdio.h>
#include <string.h>

#define TRACE_PACKET 1u
#define SEQUENCE     1u /* all packets are of one */

/* Of sequence_flags. */
#define IS_CLEARED 1u
#define NEEDS_IDS  2u

/* Of TrackDescriptor, ProcessDescriptor, ThreadDescriptor. */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_DESCRIPTION = 14,
	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,
	PROCESS_START = 7,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5
};

/* Of DebugAnnotation. */
enum {
	NOTE_UNSIGNED = 3,
	NOTE_TEXT = 6,
	NOTE_NAME = 10
};

size_t syc_perfetto_begin(struct syc_perfetto *trace, unsigned field)
{
	struct syc_protobuf *packet = &trace->packet;

	syc_protobuf_clear(packet);
	trace->body = syc_protobuf_begin(packet, TRACE_PACKET);
	syc_protobuf_number(packet, SYC_PACKET_SEQUENCE, SEQUENCE);
	syc_protobuf_number(packet, SYC_PACKET_SEQUENCE_FLAGS,
	                    trace->has_begun ? NEEDS_IDS : IS_CLEARED);
	syc_protobuf_number(packet, SYC_PACKET_IS_FIRST, !trace->has_begun);
	trace->has_begun = true;
	return syc_protobuf_begin(packet, field);
}

static void write_packet(struct syc_perfetto *trace)
{
	syc_protobuf_end(&trace->packet, trace->body);
	fwrite_unlocked(trace->packet.bytes.items, 1, trace->packet.bytes.n,
	                trace->export->out);
}

void syc_perfetto_end(struct syc_perfetto *trace, size_t begun)
{
	syc_protobuf_end(&trace->packet, begun);
	write_packet(trace);
}

uint64_t syc_perfetto_time(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

void syc_perfetto_end_at(struct syc_perfetto *trace, size_t begun, int64_t time)
{
	syc_protobuf_end(&trace->packet, begun);
	syc_protobuf_value(&trace->packet, SYC_PACKET_TIMESTAMP,
	                   syc_perfetto_time(time));
	write_packet(trace);
}

void syc_perfetto_event(struct syc_perfetto *trace, enum syc_event_type type,
                        uint64_t track, int64_t time)
{
	struct syc_protobuf *packet = &trace->packet;

	trace->event = syc_perfetto_begin(trace, SYC_PACKET_TRACK_EVENT);
	trace->event_time = time;
	syc_protobuf_number(packet, SYC_EVENT_TYPE, type);
	syc_protobuf_number(packet, SYC_EVENT_TRACK, track);
}

void syc_perfetto_event_end(struct syc_perfetto *trace)
{
	syc_perfetto_end_at(trace, trace->event, trace->event_time);
}

static size_t begin_note(struct syc_perfetto *trace, const char *name)
{
	const size_t begun =
		syc_protobuf_begin(&trace->packet, SYC_EVENT_ANNOTATION);

	syc_protobuf_text(&trace->packet, NOTE_NAME, name);
	return begun;
}

void syc_perfetto_note_text(struct syc_perfetto *trace, const char *name,
                            const char *text)
{
	const size_t begun = begin_note(trace, name);

	syc_protobuf_text(&trace->packet, NOTE_TEXT, text);
	syc_protobuf_end(&trace->packet, begun);
}

void syc_perfetto_note_number(struct syc_perfetto *trace, const char *name,
                              uint64_t number)
{
	const size_t begun = begin_note(trace, name);

	syc_protobuf_value(&trace->packet, NOTE_UNSIGNED, number);
	syc_protobuf_end(&trace->packet, begun);
}

/* -------------------------------------------------------------- tracks */

static size_t begin_track(struct syc_perfetto *trace, uint64_t uuid)
{
	const size_t begun = syc_perfetto_begin(trace, SYC_PACKET_TRACK);

	syc_protobuf_number(&trace->packet, TRACK_UUID, uuid);
	return begun;
}

static uint64_t uuid_of(uint32_t process)
{
	return UINT64_C(1) + process;
}

static void tell_process(struct syc_perfetto *trace, uint32_t number,
                         const struct syscap_profile_process *process)
{
	struct syc_protobuf *packet = &trace->packet;
	const size_t begun = begin_track(trace, uuid_of(number));
	size_t inner;

	if (process->pid < 0) {
		syc_protobuf_text(packet, TRACK_NAME, "machine");
		syc_perfetto_end(trace, begun);
		return;
	}
	inner = syc_protobuf_begin(packet, TRACK_PROCESS);
	syc_protobuf_value(packet, PROCESS_PID,
	                   (uint64_t)trace->pids.items[number]);
	syc_protobuf_text(packet, PROCESS_COMMAND, process->command);
	syc_protobuf_text(packet, PROCESS_NAME, process->binary);
	syc_protobuf_number(packet, PROCESS_START,
	                    syc_perfetto_time(process->begin));
	syc_protobuf_end(packet, inner);
	syc_perfetto_end(trace, begun);
}

static void tell_thread(struct syc_perfetto *trace, uint32_t number,
                        const struct syscap_profile_thread *thread)
{
	struct syc_protobuf *packet = &trace->packet;
	const int32_t pid = trace->pids.items[thread->process];
	const size_t begun =
		begin_track(trace, syc_perfetto_thread(trace, number));
	size_t inner;

	syc_protobuf_number(packet, TRACK_PARENT, uuid_of(thread->process));
	if (pid < 0 || thread->tid < 0) {
		syc_protobuf_text(packet, TRACK_NAME, "unknown thread");
		syc_perfetto_end(trace, begun);
		return;
	}
	inner = syc_protobuf_begin(packet, TRACK_THREAD);
	syc_protobuf_value(packet, THREAD_PID, (uint64_t)pid);
	syc_protobuf_value(packet, THREAD_TID, (uint64_t)thread->tid);
	if (thread->name[0] != 0)
		syc_protobuf_text(packet, THREAD_NAME, thread->name);
	syc_protobuf_end(packet, inner);
	syc_perfetto_end(trace, begun);
}

void syc_perfetto_tracks(struct syc_perfetto *trace)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	size_t n, n_threads;

	processes = syscap_profile_processes(trace->export->profile, &n);
	threads = syscap_profile_threads(trace->export->profile, &n_threads);
	for (size_t i = 0; i < n; i++)
		tell_process(trace, (uint32_t)i, &processes[i]);
	for (size_t i = 0; i < n_threads; i++)
		tell_thread(trace, (uint32_t)i, &threads[i]);
	trace->n_tracks = n + n_threads;
}

uint64_t syc_perfetto_thread(const struct syc_perfetto *trace, uint32_t thread)
{
	return UINT64_C(1) + trace->pids.n + thread;
}

uint64_t syc_perfetto_track(struct syc_perfetto *trace, uint32_t process,
                            const char *name)
{
	const uint64_t uuid = ++trace->n_tracks;
	const size_t begun = begin_track(trace, uuid);

	syc_protobuf_text(&trace->packet, TRACK_NAME, name);
	syc_protobuf_number(&trace->packet, TRACK_PARENT, uuid_of(process));
	syc_perfetto_end(trace, begun);
	return uuid;
}

uint64_t syc_perfetto_counter(struct syc_perfetto *trace, uint32_t process,
                              const char *name, const char *description)
{
	const uint64_t uuid = ++trace->n_tracks;
	const size_t begun = begin_track(trace, uuid);

	syc_protobuf_text(&trace->packet, TRACK_NAME, name);
	syc_protobuf_number(&trace->packet, TRACK_PARENT, uuid_of(process));
	syc_protobuf_bytes(&trace->packet, TRACK_COUNTER, "", 0);
	if (description[0] != 0)
		syc_protobuf_text(&trace->packet, TRACK_DESCRIPTION,
		                  description);
	syc_perfetto_end(trace, begun);
	return uuid;
}
