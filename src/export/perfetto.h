/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto.h - packets, tracks, names and events of a Perfetto trace.
 *
 * Field numbers are from protos/perfetto/trace in Perfetto v58.
 */
#ifndef SYC_EXPORT_PERFETTO_H
#define SYC_EXPORT_PERFETTO_H

#include <syscap/profile.h>

#include "common/containers.h"
#include "export/export.h"
#include "export/protobuf.h"
#include "export/stacks.h"

/** Fields of TracePacket. */
enum {
	SYC_PACKET_CLOCK_SNAPSHOT = 6,
	SYC_PACKET_TIMESTAMP = 8,
	SYC_PACKET_SEQUENCE = 10,
	SYC_PACKET_TRACK_EVENT = 11,
	SYC_PACKET_INTERNED = 12,
	SYC_PACKET_SEQUENCE_FLAGS = 13,
	SYC_PACKET_DEFAULTS = 59,
	SYC_PACKET_TRACK = 60,
	SYC_PACKET_IS_FIRST = 87,
	SYC_PACKET_STACK_SAMPLE = 135
};

/** Fields of TrackEvent. */
enum {
	SYC_EVENT_CATEGORY_IDS = 3,
	SYC_EVENT_ANNOTATION = 4,
	SYC_EVENT_TYPE = 9,
	SYC_EVENT_NAME_ID = 10,
	SYC_EVENT_TRACK = 11,
	SYC_EVENT_LOG = 21,
	SYC_EVENT_CATEGORY = 22,
	SYC_EVENT_NAME = 23,
	SYC_EVENT_INTEGER = 30,
	SYC_EVENT_DOUBLE = 44,
	SYC_EVENT_FLOW = 47,
	SYC_EVENT_FLOW_END = 48,
	SYC_EVENT_STACK_ID = 56,
	SYC_EVENT_STACK_WEIGHT = 57
};

enum syc_event_type {
	SYC_EVENT_BEGIN = 1,
	SYC_EVENT_END = 2,
	SYC_EVENT_INSTANT = 3,
	SYC_EVENT_COUNTER = 4
};

struct syc_perfetto {
	struct syc_export *export;
	struct syc_protobuf packet;
	bool has_begun;
	size_t body, event; /* starts of open messages in the packet */
	int64_t event_time;
	struct syc_pids pids;
	struct syc_mark_links linked;
	uint64_t n_tracks; /* number of numbered tracks */
	/* Numbers already written. */
	unsigned char *has_name, *has_function, *has_binary, *has_stack,
		*has_frame;
	struct syc_map binaries;
	struct syc_map sources; /* source files already written */
	struct syc_frames frames;
	const char **build_ids; /* build-id of each binary, or NULL */
	/* Number of the stack that is being written. */
	uint64_t stack;
	uint64_t n_bodies; /* number of written texts of logs */
};

/** Begin a packet, add its fields, and end it. */
size_t syc_perfetto_begin(struct syc_perfetto *trace, unsigned field);
void syc_perfetto_end(struct syc_perfetto *trace, size_t begun);
void syc_perfetto_end_at(struct syc_perfetto *trace, size_t begun,
                         int64_t time);
/** Add a packet's time, at least 0. */
uint64_t syc_perfetto_time(int64_t time);

/** Begin and end an event of @track.  Add its other fields in between. */
void syc_perfetto_event(struct syc_perfetto *trace, enum syc_event_type type,
                        uint64_t track, int64_t time);
void syc_perfetto_event_end(struct syc_perfetto *trace);
void syc_perfetto_note_text(struct syc_perfetto *trace, const char *name,
                            const char *text);
void syc_perfetto_note_number(struct syc_perfetto *trace, const char *name,
                              uint64_t number);

/* Tracks.  Tracks of processes and threads have numbers from the beginning. */
void syc_perfetto_tracks(struct syc_perfetto *trace);
uint64_t syc_perfetto_thread(const struct syc_perfetto *trace, uint32_t thread);
/** Make a new track below the track of @process. */
uint64_t syc_perfetto_track(struct syc_perfetto *trace, uint32_t process,
                            const char *name);
uint64_t syc_perfetto_counter(struct syc_perfetto *trace, uint32_t process,
                              const char *name, const char *description);

/** Returns 0 or -ENOMEM. */
int syc_perfetto_names_init(struct syc_perfetto *trace);
void syc_perfetto_names_fini(struct syc_perfetto *trace);
void syc_perfetto_tell_name(struct syc_perfetto *trace, uint32_t name);
/**
 * Write the stack that ends at @node of @view, if new.  Returns the number of
 * the stack.
 */
uint64_t syc_perfetto_tell_stack(struct syc_perfetto *trace,
                                 const struct syscap_view *view, uint32_t node);

/* Returns 0 or -ENOMEM. */
int syc_perfetto_values(struct syc_perfetto *trace);
int syc_perfetto_logs(struct syc_perfetto *trace);
int syc_perfetto_losses(struct syc_perfetto *trace);
int syc_perfetto_samples(struct syc_perfetto *trace);
int syc_perfetto_allocations(struct syc_perfetto *trace);

#endif
