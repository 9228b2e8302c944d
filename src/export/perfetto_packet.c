/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_packet.c - packets and tracks of a Perfetto trace, and its interned
 * names.
 *
 * A name or stack gets a number, which is written before its first use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto.h"

#define TRACE_PACKET 1u
#define SEQUENCE     1u /* all packets belong to one sequence */

/* Bits of sequence_flags. */
#define IS_CLEARED 1u
#define NEEDS_IDS  2u

/* Fields of TrackDescriptor, ProcessDescriptor, ThreadDescriptor. */
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

/* Fields of DebugAnnotation. */
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

/* Fields of InternedData, whose numbers start at 1. */
enum {
	CATEGORIES = 1,
	NAMES = 2,
	FUNCTIONS = 5,
	FRAMES = 6,
	STACKS = 7,
	BUILD_IDS = 16,
	PATHS = 17,
	SOURCES = 18,
	MAPPINGS = 19,
	ID = 1,
	TEXT = 2,
	MAPPING_BUILD_ID = 2,
	MAPPING_PATH = 7,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_SOURCE = 5,
	FRAME_LINE = 6,
	FRAME_KIND = 7,
	STACK_FRAME = 2
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The build-ids of maps whose files have the name of a binary. */
static int find_build_ids(struct syc_perfetto *trace)
{
	const struct syscap_profile_map *maps;
	size_t n, number;

	trace->build_ids =
		calloc(trace->binaries.n + 1, sizeof(*trace->build_ids));
	if (trace->build_ids == NULL)
		return -ENOMEM;
	maps = syscap_profile_maps(trace->export->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const char *name = last_part(maps[i].path);

		if (maps[i].build_id[0] != 0 &&
		    syc_map_get(&trace->binaries, name, strlen(name), &number))
			trace->build_ids[number] = maps[i].build_id;
	}
	return 0;
}

int syc_perfetto_names_init(struct syc_perfetto *trace)
{
	const struct syscap_profile_function *functions;
	const struct syscap_view *heap = trace->export->heap;
	size_t n_functions, n_names, ignored;
	size_t n_stacks = trace->export->view->n_nodes;

	if (heap != NULL)
		n_stacks += heap->n_nodes;
	functions =
		syscap_profile_functions(trace->export->profile, &n_functions);
	syscap_profile_mark_names(trace->export->profile, &n_names);
	for (size_t i = 0; i < n_functions; i++)
		if (functions[i].binary[0] != 0 &&
		    syc_map_put(&trace->binaries, functions[i].binary,
		                strlen(functions[i].binary), &ignored) < 0)
			return -ENOMEM;
	if (syc_frames_init(&trace->frames, trace->export) < 0)
		return -ENOMEM;
	trace->has_frame = calloc(trace->frames.n + 1, 1);
	trace->has_name = calloc(n_names + 1, 1);
	trace->has_function = calloc(n_functions + 1, 1);
	trace->has_binary = calloc(trace->binaries.n + 1, 1);
	trace->has_stack = calloc(n_stacks + 1, 1);
	if (trace->has_name == NULL || trace->has_function == NULL ||
	    trace->has_binary == NULL || trace->has_stack == NULL ||
	    trace->has_frame == NULL)
		return -ENOMEM;
	return find_build_ids(trace);
}

void syc_perfetto_names_fini(struct syc_perfetto *trace)
{
	syc_map_fini(&trace->binaries);
	syc_frames_fini(&trace->frames);
	free(trace->has_frame);
	syc_map_fini(&trace->sources);
	free(trace->has_name);
	free(trace->has_function);
	free(trace->has_binary);
	free(trace->has_stack);
	free((void *)trace->build_ids);
}

static void tell(struct syc_perfetto *trace, unsigned field, uint64_t id,
                 const char *text, size_t n)
{
	const size_t begun = syc_protobuf_begin(&trace->packet, field);

	syc_protobuf_number(&trace->packet, ID, id);
	syc_protobuf_bytes(&trace->packet, TEXT, text, n);
	syc_protobuf_end(&trace->packet, begun);
}

void syc_perfetto_tell_name(struct syc_perfetto *trace, uint32_t name)
{
	const struct syscap_profile_mark_name *names;
	const uint64_t id = UINT64_C(1) + name;
	size_t begun, ignored;

	if (trace->has_name[name])
		return;
	trace->has_name[name] = 1;
	names = syscap_profile_mark_names(trace->export->profile, &ignored);
	begun = syc_perfetto_begin(trace, SYC_PACKET_INTERNED);
	tell(trace, CATEGORIES, id, names[name].group,
	     strlen(names[name].group));
	tell(trace, NAMES, id, names[name].name, strlen(names[name].name));
	syc_perfetto_end(trace, begun);
}

/* The number of a mapping, or 0. */
static uint64_t tell_binary(struct syc_perfetto *trace, const char *binary)
{
	struct syc_protobuf *packet = &trace->packet;
	size_t number, begun;

	if (binary[0] == 0 ||
	    !syc_map_get(&trace->binaries, binary, strlen(binary), &number))
		return 0;
	if (trace->has_binary[number])
		return number + 1;
	trace->has_binary[number] = 1;
	tell(trace, PATHS, number + 1, binary, strlen(binary));
	if (trace->build_ids[number] != NULL)
		tell(trace, BUILD_IDS, number + 1, trace->build_ids[number],
		     strlen(trace->build_ids[number]));
	begun = syc_protobuf_begin(packet, MAPPINGS);
	syc_protobuf_number(packet, ID, number + 1);
	if (trace->build_ids[number] != NULL)
		syc_protobuf_number(packet, MAPPING_BUILD_ID, number + 1);
	syc_protobuf_number(packet, MAPPING_PATH, number + 1);
	syc_protobuf_end(packet, begun);
	return number + 1;
}

static unsigned kind_of(enum syscap_profile_category category)
{
	static const unsigned char kinds[] = {
		[SYSCAP_CATEGORY_APPLICATION] = 1,
		[SYSCAP_CATEGORY_SYSTEM] = 1,
		[SYSCAP_CATEGORY_KERNEL] = 2,
		[SYSCAP_CATEGORY_JIT] = 4,
		[SYSCAP_CATEGORY_NOTE] = 0,
		[SYSCAP_CATEGORY_RECORDING] = 1,
	};

	return kinds[category];
}

/* The number of the path of a line's file, or 0. */
static uint64_t tell_source(struct syc_perfetto *trace,
                            const struct syscap_profile_line *line)
{
	size_t number;
	int r;

	if (line == NULL)
		return 0;
	r = syc_map_put(&trace->sources, line->file, strlen(line->file),
	                &number);
	if (r < 0) {
		trace->packet.failed = true;
		return 0;
	}
	if (r > 0)
		tell(trace, SOURCES, number + 1, line->file,
		     strlen(line->file));
	return number + 1;
}

static void tell_frame(struct syc_perfetto *trace, uint32_t number)
{
	const struct syc_frame frame = syc_frames_get(&trace->frames, number);
	const struct syscap_profile_line *line =
		syc_frames_line(&trace->frames, number);
	const struct syscap_profile_function *function =
		syscap_profile_function(trace->export->profile, frame.function);
	struct syc_protobuf *packet = &trace->packet;
	const uint64_t id = UINT64_C(1) + frame.function;
	uint64_t mapping, source;
	size_t begun;

	if (trace->has_frame[number])
		return;
	trace->has_frame[number] = 1;
	if (!trace->has_function[frame.function]) {
		const char *name =
			syc_frames_name(&trace->frames, frame.function);

		tell(trace, FUNCTIONS, id, name, strlen(name));
	}
	trace->has_function[frame.function] = 1;
	mapping = tell_binary(trace, function->binary);
	source = tell_source(trace, line);
	begun = syc_protobuf_begin(packet, FRAMES);
	syc_protobuf_number(packet, ID, UINT64_C(1) + number);
	syc_protobuf_number(packet, FRAME_FUNCTION, id);
	syc_protobuf_number(packet, FRAME_MAPPING, mapping);
	if (source != 0)
		syc_protobuf_number(packet, FRAME_SOURCE, source);
	if (line != NULL && line->line != 0)
		syc_protobuf_number(packet, FRAME_LINE, line->line);
	syc_protobuf_number(packet, FRAME_KIND, kind_of(function->category));
	syc_protobuf_end(packet, begun);
}

/*
 * Write the frames, outermost first.  A node refers only to its parent, so the
 * function collects the path first.
 */
static int write_frames(struct syc_perfetto *trace,
                        const struct syscap_view *view, uint32_t node)
{
	SYC_ARRAY(uint32_t) path = { 0 };
	int r = 0;

	for (; r == 0 && node != 0; node = view->parents[node]) {
		const uint32_t frame =
			syc_frames_of(&trace->frames, view, node);

		tell_frame(trace, frame);
		r = syc_array_push(&path, frame);
	}
	const size_t begun = syc_protobuf_begin(&trace->packet, STACKS);
	syc_protobuf_number(&trace->packet, ID, trace->stack);
	while (path.n > 0)
		syc_protobuf_number(&trace->packet, STACK_FRAME,
		                    UINT64_C(1) + path.items[--path.n]);
	syc_protobuf_end(&trace->packet, begun);
	free(path.items);
	return r;
}

uint64_t syc_perfetto_tell_stack(struct syc_perfetto *trace,
                                 const struct syscap_view *view, uint32_t node)
{
	/*
	 * Numbers of stacks of allocations follow the numbers of stacks of
	 * samples.
	 */
	const uint64_t id =
		node + (view == trace->export->view
	                        ? UINT64_C(1)
	                        : UINT64_C(1) + trace->export->view->n_nodes);
	size_t begun;

	if (trace->has_stack[id - 1])
		return id;
	trace->has_stack[id - 1] = 1;
	trace->stack = id;
	begun = syc_perfetto_begin(trace, SYC_PACKET_INTERNED);
	if (write_frames(trace, view, node) < 0)
		trace->packet.failed = true;
	syc_perfetto_end(trace, begun);
	return id;
}
