/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump_json.c - `syscap dump --json`: a frame as one JSON object.
 *
 * docs/json.md lists the keys.
 */
#include <string.h>

#include "capture/frame.h"
#include "cli/commands.h"

static void write_value(struct syc_json *json, bool is_double, uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	syc_json_key(json, "value");
	if (is_double)
		syc_json_double(json, number);
	else
		syc_json_integer(json, (int64_t)bits);
}

static void write_addrs(struct syc_dump *dump, const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;
	uint64_t addr;

	syc_json_key(json, "addrs");
	syc_json_begin_array(json);
	for (unsigned i = 0; syscap_frame_addr(dump->reader, frame, i, &addr);
	     i++)
		syc_json_address(json, addr);
	syc_json_end_array(json);
}

static void write_map(struct syc_json *json, const struct syscap_frame *frame)
{
	syc_json_member_address(json, "start", frame->map.start);
	syc_json_member_address(json, "end", frame->map.end);
	syc_json_member_unsigned(json, "offset", frame->map.offset);
	syc_json_member_unsigned(json, "inode", frame->map.inode);
	syc_json_member_text(json, "filename", frame->map.filename);
	syc_json_member_text(json, "build_id", frame->map.build_id);
}

static void write_names(struct syc_dump *dump, const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	syc_json_key(json, "names");
	syc_json_begin_array(json);
	while (syscap_frame_jit_name(dump->reader, frame, &cursor, &addr,
	                             &name)) {
		syc_json_begin_object(json);
		syc_json_member_address(json, "addr", addr);
		syc_json_member_text(json, "name", name);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void write_counters(struct syc_dump *dump,
                           const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;
	struct syscap_counter_info info;

	syc_json_key(json, "counters");
	syc_json_begin_array(json);
	for (unsigned i = 0;
	     syscap_frame_counter(dump->reader, frame, i, &info); i++) {
		uint64_t bits;

		memcpy(&bits, &info.value, sizeof(bits));
		syc_json_begin_object(json);
		syc_json_member_text(json, "category", info.category);
		syc_json_member_text(json, "name", info.name);
		syc_json_member_text(json, "description", info.description);
		syc_json_member_unsigned(json, "id", info.id);
		syc_json_member_text(json, "type",
		                     info.is_double ? "double" : "int64");
		write_value(json, info.is_double, bits);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void write_values(struct syc_dump *dump,
                         const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;
	uint64_t bits;
	uint32_t id;

	syc_json_key(json, "values");
	syc_json_begin_array(json);
	for (unsigned i = 0;
	     syscap_frame_slot(dump->reader, frame, i, &id, &bits); i++) {
		if (id == 0)
			continue;
		syc_json_begin_object(json);
		syc_json_member_unsigned(json, "id", id);
		write_value(json,
		            syc_counter_stats_is_double(&dump->counters,
		                                        frame->pid, id),
		            bits);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
}

static void write_file_chunk(struct syc_json *json,
                             const struct syscap_frame *frame)
{
	syc_json_member_bool(json, "is_last", frame->file_chunk.is_last);
	syc_json_member_unsigned(json, "len", frame->file_chunk.len);
	syc_json_member_text(json, "path", frame->file_chunk.path);
	syc_json_key(json, "data");
	syc_json_base64(json, frame->file_chunk.data, frame->file_chunk.len);
}

static void write_dbus_message(struct syc_json *json,
                               const struct syscap_frame *frame)
{
	syc_json_member_unsigned(json, "bus_type",
	                         frame->dbus_message.bus_type);
	syc_json_member_unsigned(json, "flags", frame->dbus_message.flags);
	syc_json_member_unsigned(json, "message_len",
	                         frame->dbus_message.message_len);
	syc_json_key(json, "message");
	syc_json_base64(json, frame->dbus_message.message,
	                frame->dbus_message.message_len);
}

/* Write the fields of types without texts and elements. */
static void write_plain(struct syc_dump *dump, const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;

	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		if (frame->timestamp.is_index)
			syc_json_member_unsigned(
				json, "previous_frame_index",
				frame->timestamp.previous_index);
		break;
	case SYSCAP_FRAME_TRACE:
		syc_json_member_bool(json, "entering", frame->sample.entering);
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_SAMPLE:
		syc_json_member_unsigned(json, "weight",
		                         syc_sample_weight(frame));
		if (syc_sample_is_wait(frame->padding2))
			syc_json_member_integer(
				json,
				(frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
						SYSCAP_BLOCKED_TAG
					? "blocked_ns"
					: "stalled_ns",
				syc_sample_wait_ns(frame->padding2));
		if (syc_sample_is_crash(frame->padding2))
			syc_json_member_bool(json, "crashed", true);
		syc_json_member_unsigned(
			json, "flags",
			syc_sample_flags(frame, dump->is_foreign));
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_FORK:
		syc_json_member_integer(json, "child_pid",
		                        frame->fork.child_pid);
		break;
	case SYSCAP_FRAME_ALLOCATION:
		syc_json_member_address(json, "alloc_addr",
		                        frame->allocation.addr);
		syc_json_member_integer(json, "alloc_size",
		                        frame->allocation.size);
		syc_json_member_unsigned(
			json, "flags",
			syc_allocation_flags(frame, dump->is_foreign));
		write_addrs(dump, frame);
		break;
	case SYSCAP_FRAME_EXIT:
		break;
	default:
		syc_json_member_unsigned(json, "type_number", frame->type);
		syc_json_member_unsigned(json, "len", frame->len);
		break;
	}
}

static void write_fields(struct syc_dump *dump,
                         const struct syscap_frame *frame)
{
	struct syc_json *json = &dump->json;

	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		write_map(json, frame);
		break;
	case SYSCAP_FRAME_PROCESS:
		syc_json_member_text(json, "cmdline", frame->process.cmdline);
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
		syc_json_member_integer(json, "duration", frame->mark.duration);
		syc_json_member_text(json, "group", frame->mark.group);
		syc_json_member_text(json, "name", frame->mark.name);
		syc_json_member_text(json, "message", frame->mark.message);
		break;
	case SYSCAP_FRAME_METADATA:
		syc_json_member_text(json, "id", frame->metadata.id);
		syc_json_member_text(json, "metadata", frame->metadata.value);
		break;
	case SYSCAP_FRAME_LOG:
		syc_json_member_unsigned(json, "severity", frame->log.severity);
		syc_json_member_text(json, "domain", frame->log.domain);
		syc_json_member_text(json, "message", frame->log.message);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		write_file_chunk(json, frame);
		break;
	case SYSCAP_FRAME_OVERLAY:
		syc_json_member_unsigned(json, "layer", frame->overlay.layer);
		syc_json_member_text(json, "src", frame->overlay.src);
		syc_json_member_text(json, "dst", frame->overlay.dst);
		break;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		write_dbus_message(json, frame);
		break;
	default:
		write_plain(dump, frame);
		break;
	}
}

void syc_dump_json(struct syc_dump *dump, const struct syscap_frame *frame)
{
	const char *type = syscap_frame_type_name(frame->type);
	struct syc_json *json = &dump->json;

	syc_json_begin_object(json);
	syc_json_member_text(json, "type", type ? type : "unknown");
	syc_json_member_integer(json, "time", frame->time);
	syc_json_member_integer(json, "pid", frame->pid);
	syc_json_member_tid(json, frame->tid);
	syc_json_member_integer(json, "cpu", frame->cpu);
	write_fields(dump, frame);
	syc_json_end_object(json);
	syc_json_end_line(json);
}
