/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump_json.c - `syscap dump --json`: a frame as one JSON object.
 *
 * The keys are those of the format; docs/format.md lists them.
 */
#include <string.h>

#include "capture/sample.h"
#include "cli/dump.h"
#include "cli/severity.h"

static void write_value(struct sc_json *json, bool is_double, uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	sc_json_key(json, "value");
	if (is_double)
		sc_json_double(json, number);
	else
		sc_json_integer(json, (int64_t)bits);
}

static void write_addrs(struct sc_dump *dump, const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;
	uint64_t addr;

	sc_json_key(json, "addrs");
	sc_json_begin_array(json);
	for (unsigned i = 0; syscap_frame_addr(dump->reader, frame, i, &addr);
	     i++)
		sc_json_address(json, addr);
	sc_json_end_array(json);
}

static void write_map(struct sc_json *json, const struct syscap_frame *frame)
{
	sc_json_member_address(json, "start", frame->map.start);
	sc_json_member_address(json, "end", frame->map.end);
	sc_json_member_unsigned(json, "offset", frame->map.offset);
	sc_json_member_unsigned(json, "inode", frame->map.inode);
	sc_json_member_text(json, "filename", frame->map.filename);
	sc_json_member_text(json, "build_id", frame->map.build_id);
}

static void write_names(struct sc_dump *dump, const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	sc_json_key(json, "names");
	sc_json_begin_array(json);
	while (syscap_frame_jit_name(dump->reader, frame, &cursor, &addr,
	                             &name)) {
		sc_json_begin_object(json);
		sc_json_member_address(json, "addr", addr);
		sc_json_member_text(json, "name", name);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_counters(struct sc_dump *dump,
                           const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;
	struct syscap_counter_info info;

	sc_json_key(json, "counters");
	sc_json_begin_array(json);
	for (unsigned i = 0;
	     syscap_frame_counter(dump->reader, frame, i, &info); i++) {
		uint64_t bits;

		memcpy(&bits, &info.value, sizeof(bits));
		sc_json_begin_object(json);
		sc_json_member_text(json, "category", info.category);
		sc_json_member_text(json, "name", info.name);
		sc_json_member_text(json, "description", info.description);
		sc_json_member_unsigned(json, "id", info.id);
		sc_json_member_text(json, "type",
		                    info.is_double ? "double" : "int64");
		write_value(json, info.is_double, bits);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_values(struct sc_dump *dump, const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;
	uint64_t bits;
	uint32_t id;

	sc_json_key(json, "values");
	sc_json_begin_array(json);
	for (unsigned i = 0;
	     syscap_frame_slot(dump->reader, frame, i, &id, &bits); i++) {
		if (id == 0)
			continue;
		sc_json_begin_object(json);
		sc_json_member_unsigned(json, "id", id);
		write_value(json,
		            sc_counter_stats_is_double(&dump->counters,
		                                       frame->pid, id),
		            bits);
		sc_json_end_object(json);
	}
	sc_json_end_array(json);
}

static void write_file_chunk(struct sc_json *json,
                             const struct syscap_frame *frame)
{
	sc_json_member_bool(json, "is_last", frame->file_chunk.is_last);
	sc_json_member_unsigned(json, "len", frame->file_chunk.len);
	sc_json_member_text(json, "path", frame->file_chunk.path);
	sc_json_key(json, "data");
	sc_json_base64(json, frame->file_chunk.data, frame->file_chunk.len);
}

static void write_dbus_message(struct sc_json *json,
                               const struct syscap_frame *frame)
{
	sc_json_member_unsigned(json, "bus_type", frame->dbus_message.bus_type);
	sc_json_member_unsigned(json, "flags", frame->dbus_message.flags);
	sc_json_member_unsigned(json, "message_len",
	                        frame->dbus_message.message_len);
	sc_json_key(json, "message");
	sc_json_base64(json, frame->dbus_message.message,
	               frame->dbus_message.message_len);
}

/* What only the types without texts and elements of their own have. */
static void write_plain(struct sc_dump *dump, const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;

	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		if (frame->timestamp.is_index)
			sc_json_member_unsigned(
				json, "previous_frame_index",
				frame->timestamp.previous_index);
		break;
	case SYSCAP_FRAME_TRACE:
		sc_json_member_bool(json, "entering", frame->sample.entering);
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_SAMPLE:
		sc_json_member_unsigned(json, "weight",
		                        sc_sample_weight(frame));
		sc_json_member_unsigned(
			json, "flags",
			sc_sample_flags(frame, dump->is_foreign));
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_FORK:
		sc_json_member_integer(json, "child_pid",
		                       frame->fork.child_pid);
		break;
	case SYSCAP_FRAME_ALLOCATION:
		sc_json_member_address(json, "alloc_addr",
		                       frame->allocation.addr);
		sc_json_member_integer(json, "alloc_size",
		                       frame->allocation.size);
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_EXIT:
		break;
	default:
		sc_json_member_unsigned(json, "type_number", frame->type);
		sc_json_member_unsigned(json, "len", frame->len);
		break;
	}
}

static void write_fields(struct sc_dump *dump, const struct syscap_frame *frame)
{
	struct sc_json *json = &dump->json;

	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		write_map(json, frame);
		break;
	case SYSCAP_FRAME_PROCESS:
		sc_json_member_text(json, "cmdline", frame->process.cmdline);
		break;
	case SYSCAP_FRAME_JITMAP:
		write_names(dump, frame);
		break;
	case SYSCAP_FRAME_CTRDEF:
		write_counters(dump, frame);
		break;
	case SYSCAP_FRAME_CTRSET:
		write_values(dump, frame);
		break;
	case SYSCAP_FRAME_MARK:
		sc_json_member_integer(json, "duration", frame->mark.duration);
		sc_json_member_text(json, "group", frame->mark.group);
		sc_json_member_text(json, "name", frame->mark.name);
		sc_json_member_text(json, "message", frame->mark.message);
		break;
	case SYSCAP_FRAME_METADATA:
		sc_json_member_text(json, "id", frame->metadata.id);
		sc_json_member_text(json, "metadata", frame->metadata.value);
		break;
	case SYSCAP_FRAME_LOG:
		sc_json_member_unsigned(json, "severity", frame->log.severity);
		sc_json_member_text(json, "domain", frame->log.domain);
		sc_json_member_text(json, "message", frame->log.message);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		write_file_chunk(json, frame);
		break;
	case SYSCAP_FRAME_OVERLAY:
		sc_json_member_unsigned(json, "layer", frame->overlay.layer);
		sc_json_member_text(json, "src", frame->overlay.src);
		sc_json_member_text(json, "dst", frame->overlay.dst);
		break;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		write_dbus_message(json, frame);
		break;
	default:
		write_plain(dump, frame);
		break;
	}
}

void sc_dump_json(struct sc_dump *dump, const struct syscap_frame *frame)
{
	const char *type = syscap_frame_type_name(frame->type);
	struct sc_json *json = &dump->json;

	sc_json_begin_object(json);
	sc_json_member_text(json, "type", type ? type : "unknown");
	sc_json_member_integer(json, "time", frame->time);
	sc_json_member_integer(json, "pid", frame->pid);
	sc_json_member_tid(json, frame->tid);
	sc_json_member_integer(json, "cpu", frame->cpu);
	write_fields(dump, frame);
	sc_json_end_object(json);
	sc_json_end_line(json);
}
