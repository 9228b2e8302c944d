/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.c - decode one frame, bounds-checked, of either byte order.
 *
 * Every offset that comes out of the file is compared with the frame's
 * length before it is used; the length itself was compared with the file's
 * size by the reader.  Nothing below reads behind frame->bytes + frame->len.
 *
 * Sysprof declares some fields as C bit-fields.  A big-endian compiler lays
 * those from the top bit down, so a flag that is bit 0 in a little-endian
 * file is bit 15 in a big-endian one.
 */
#include "capture/frame.h"

#include <errno.h>
#include <string.h>

#include "capture/error.h"
#include "data/load.h"

static int unfit(const struct syscap_frame *frame, struct syscap_error *error,
                 const char *what)
{
	const char *name = syscap_frame_type_name(frame->type);

	return sc_error_set(error, EILSEQ, frame->offset,
	                    "%s frame of %u bytes: %s", name, frame->len, what);
}

/* The text from @at to the frame's end, counted into frame->used. */
static const char *last_text(struct syscap_frame *frame, size_t at)
{
	const char *text = sc_frame_text(frame, at, frame->len - at);

	if (text)
		frame->used = (uint16_t)(at + strlen(text) + 1);
	return text;
}

static int decode_timestamp(struct syscap_frame *frame, bool big,
                            struct syscap_error *error)
{
	(void)error;
	if (frame->len == 32 && frame->padding2 == SYSCAP_INDEX_MAGIC) {
		frame->timestamp.is_index = true;
		frame->timestamp.previous_index =
			sc_load_u64(frame->bytes + 24, big);
		frame->used = 32;
	}
	return 0;
}

static int decode_exit(struct syscap_frame *frame, bool big,
                       struct syscap_error *error)
{
	(void)frame;
	(void)big;
	(void)error;
	return 0;
}

static int decode_sample(struct syscap_frame *frame, bool big,
                         struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;
	const unsigned n = sc_load_u16(bytes + SC_AT(sample, n_addrs), big);
	const unsigned flags = sc_load_u16(bytes + SC_AT(sample, flags), big);
	const size_t need = sizeof(struct syscap_wire_sample) + 8 * (size_t)n;

	if (need > frame->len)
		return unfit(frame, error, "its addresses do not fit");
	frame->tid = sc_load_i32(bytes + SC_AT(sample, tid), big);
	frame->sample.n_addrs = (uint16_t)n;
	frame->sample.entering = frame->type == SYSCAP_FRAME_TRACE &&
	                         (flags & (big ? 0x8001u : 1u)) != 0;
	frame->used = (uint16_t)need;
	return 0;
}

/* The '@' text behind a path may also be the litter of an older writer. */
static bool is_hex(const char *text)
{
	return *text && text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

static int decode_map(struct syscap_frame *frame, bool big,
                      struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;

	frame->map.filename = last_text(frame, sizeof(struct syscap_wire_map));
	if (!frame->map.filename)
		return unfit(frame, error, "its path has no end");
	frame->map.start = sc_load_u64(bytes + SC_AT(map, start), big);
	frame->map.end = sc_load_u64(bytes + SC_AT(map, end), big);
	frame->map.offset = sc_load_u64(bytes + SC_AT(map, offset), big);
	frame->map.inode = sc_load_u64(bytes + SC_AT(map, inode), big);

	const size_t at = frame->used;
	if (at + 2 < frame->len && bytes[at] == '@') {
		const char *id =
			sc_frame_text(frame, at + 1, frame->len - at - 1);

		if (id && is_hex(id))
			frame->map.build_id = last_text(frame, at + 1);
	}
	return 0;
}

static int decode_process(struct syscap_frame *frame, bool big,
                          struct syscap_error *error)
{
	(void)big;
	frame->process.cmdline =
		last_text(frame, sizeof(struct syscap_wire_frame));
	if (!frame->process.cmdline)
		return unfit(frame, error, "its command line has no end");
	return 0;
}

static int decode_fork(struct syscap_frame *frame, bool big,
                       struct syscap_error *error)
{
	(void)error;
	frame->fork.child_pid =
		sc_load_i32(frame->bytes + SC_AT(fork, child_pid), big);
	frame->used = sizeof(struct syscap_wire_fork);
	return 0;
}

static int decode_jitmap(struct syscap_frame *frame, bool big,
                         struct syscap_error *error)
{
	const uint32_t n =
		sc_load_u32(frame->bytes + SC_AT(jitmap, n_jitmaps), big);
	size_t at = SYSCAP_JITMAP_FIXED;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = NULL;

		if (frame->len - at > SC_JIT_ADDR_SIZE)
			name = sc_frame_text(frame, at + SC_JIT_ADDR_SIZE,
			                     frame->len - at -
			                             SC_JIT_ADDR_SIZE);
		if (!name)
			return unfit(frame, error, "its names do not fit");
		at += SC_JIT_ADDR_SIZE + strlen(name) + 1;
	}
	frame->jitmap.n_names = n;
	frame->used = (uint16_t)at;
	return 0;
}

static int decode_ctrdef(struct syscap_frame *frame, bool big,
                         struct syscap_error *error)
{
	const unsigned n =
		sc_load_u16(frame->bytes + SC_AT(ctrdef, n_counters), big);
	const size_t need = sizeof(struct syscap_wire_ctrdef) +
	                    n * sizeof(struct syscap_wire_counter);

	if (need > frame->len)
		return unfit(frame, error, "its counters do not fit");
	frame->ctrdef.n_counters = (uint16_t)n;
	frame->used = (uint16_t)need;
	return 0;
}

static int decode_ctrset(struct syscap_frame *frame, bool big,
                         struct syscap_error *error)
{
	const unsigned n =
		sc_load_u16(frame->bytes + SC_AT(ctrset, n_groups), big);
	const size_t need = sizeof(struct syscap_wire_ctrset) +
	                    n * sizeof(struct syscap_wire_values);
	unsigned used = 0;

	if (need > frame->len)
		return unfit(frame, error, "its groups of values do not fit");
	for (unsigned slot = 0; slot < 8 * n; slot++) {
		if (sc_load_u32(sc_frame_slot_id(frame, slot), big) == 0)
			continue;
		if (slot != used)
			frame->ctrset.has_holes = true;
		used++;
	}
	frame->ctrset.n_groups = (uint16_t)n;
	frame->ctrset.n_values = (uint16_t)used;
	frame->used = (uint16_t)need;
	return 0;
}

static int decode_mark(struct syscap_frame *frame, bool big,
                       struct syscap_error *error)
{
	frame->mark.duration =
		sc_load_i64(frame->bytes + SC_AT(mark, duration), big);
	frame->mark.group =
		sc_frame_text(frame, SC_AT(mark, group), SC_SIZE(mark, group));
	frame->mark.name =
		sc_frame_text(frame, SC_AT(mark, name), SC_SIZE(mark, name));
	frame->mark.message = last_text(frame, sizeof(struct syscap_wire_mark));
	if (!frame->mark.group)
		return unfit(frame, error, "its group has no end");
	if (!frame->mark.name)
		return unfit(frame, error, "its name has no end");
	if (!frame->mark.message)
		return unfit(frame, error, "its message has no end");
	return 0;
}

static int decode_metadata(struct syscap_frame *frame, bool big,
                           struct syscap_error *error)
{
	(void)big;
	frame->metadata.id = sc_frame_text(frame, SC_AT(metadata, id),
	                                   SC_SIZE(metadata, id));
	frame->metadata.value =
		last_text(frame, sizeof(struct syscap_wire_metadata));
	if (!frame->metadata.id)
		return unfit(frame, error, "its id has no end");
	if (!frame->metadata.value)
		return unfit(frame, error, "its text has no end");
	return 0;
}

static int decode_log(struct syscap_frame *frame, bool big,
                      struct syscap_error *error)
{
	frame->log.severity =
		sc_load_u16(frame->bytes + SC_AT(log, severity), big);
	frame->log.domain =
		sc_frame_text(frame, SC_AT(log, domain), SC_SIZE(log, domain));
	frame->log.message = last_text(frame, sizeof(struct syscap_wire_log));
	if (!frame->log.domain)
		return unfit(frame, error, "its domain has no end");
	if (!frame->log.message)
		return unfit(frame, error, "its message has no end");
	return 0;
}

static int decode_file_chunk(struct syscap_frame *frame, bool big,
                             struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;
	const unsigned flags =
		sc_load_u16(bytes + SC_AT(file_chunk, is_last), big);
	const unsigned len = sc_load_u16(bytes + SC_AT(file_chunk, len), big);

	if (SYSCAP_FILE_CHUNK_FIXED + len > frame->len)
		return unfit(frame, error, "its data does not fit");
	frame->file_chunk.path = sc_frame_text(frame, SC_AT(file_chunk, path),
	                                       SC_SIZE(file_chunk, path));
	if (!frame->file_chunk.path)
		return unfit(frame, error, "its path has no end");
	frame->file_chunk.data = bytes + SYSCAP_FILE_CHUNK_FIXED;
	frame->file_chunk.len = (uint16_t)len;
	frame->file_chunk.is_last = (flags & (big ? 0x8001u : 1u)) != 0;
	frame->used = (uint16_t)(SYSCAP_FILE_CHUNK_FIXED + len);
	return 0;
}

static int decode_allocation(struct syscap_frame *frame, bool big,
                             struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;
	const unsigned n = sc_load_u16(bytes + SC_AT(allocation, n_addrs), big);
	const size_t need =
		sizeof(struct syscap_wire_allocation) + 8 * (size_t)n;

	if (need > frame->len)
		return unfit(frame, error, "its addresses do not fit");
	frame->tid = sc_load_i32(bytes + SC_AT(allocation, tid), big);
	frame->allocation.addr =
		sc_load_u64(bytes + SC_AT(allocation, addr), big);
	frame->allocation.size =
		sc_load_i64(bytes + SC_AT(allocation, size), big);
	frame->allocation.n_addrs = (uint16_t)n;
	frame->used = (uint16_t)need;
	return 0;
}

static int decode_overlay(struct syscap_frame *frame, bool big,
                          struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;
	const size_t src_len =
		sc_load_u16(bytes + SC_AT(overlay, src_len), big);
	const size_t dst_len =
		sc_load_u16(bytes + SC_AT(overlay, dst_len), big);
	const size_t dst = SYSCAP_OVERLAY_FIXED + src_len + 1;
	const size_t need = dst + dst_len + 1;

	if (need > frame->len)
		return unfit(frame, error, "its paths do not fit");
	if (bytes[dst - 1] != 0 || bytes[need - 1] != 0)
		return unfit(frame, error, "a path has no end");
	frame->overlay.layer = bytes[SC_AT(overlay, layer)];
	frame->overlay.src = (const char *)bytes + SYSCAP_OVERLAY_FIXED;
	frame->overlay.dst = (const char *)bytes + dst;
	frame->used = (uint16_t)need;
	return 0;
}

static int decode_dbus_message(struct syscap_frame *frame, bool big,
                               struct syscap_error *error)
{
	const unsigned char *bytes = frame->bytes;
	const unsigned word =
		sc_load_u16(bytes + SC_AT(dbus_message, bus_type), big);
	const unsigned len =
		sc_load_u16(bytes + SC_AT(dbus_message, message_len), big);

	if (SYSCAP_DBUS_FIXED + len > frame->len)
		return unfit(frame, error, "its message does not fit");
	frame->dbus_message.bus_type = (uint16_t)(big ? word >> 14 : word & 3u);
	frame->dbus_message.flags =
		(uint16_t)(big ? word & 0x3FFFu : word >> 2);
	frame->dbus_message.message = bytes + SYSCAP_DBUS_FIXED;
	frame->dbus_message.message_len = (uint16_t)len;
	frame->used = (uint16_t)(SYSCAP_DBUS_FIXED + len);
	return 0;
}

/*
 * By frame type.  min: what the decoder reads before it looks at counts, and
 * the first byte of texts.
 */
static const struct {
	const char *name;
	uint16_t min;
	int (*decode)(struct syscap_frame *, bool, struct syscap_error *);
	bool tagged; /* padding2 may hold the thread id */
} types[SYSCAP_FRAME_LAST] = {
	[SYSCAP_FRAME_TIMESTAMP] = { "timestamp", 24, decode_timestamp, false },
	[SYSCAP_FRAME_SAMPLE] = { "sample", 32, decode_sample, false },
	[SYSCAP_FRAME_MAP] = { "map", 57, decode_map, false },
	[SYSCAP_FRAME_PROCESS] = { "process", 25, decode_process, false },
	[SYSCAP_FRAME_FORK] = { "fork", 32, decode_fork, false },
	[SYSCAP_FRAME_EXIT] = { "exit", 24, decode_exit, false },
	[SYSCAP_FRAME_JITMAP] = { "jitmap", 28, decode_jitmap, false },
	[SYSCAP_FRAME_CTRDEF] = { "ctrdef", 32, decode_ctrdef, true },
	[SYSCAP_FRAME_CTRSET] = { "ctrset", 32, decode_ctrset, true },
	[SYSCAP_FRAME_MARK] = { "mark", 97, decode_mark, true },
	[SYSCAP_FRAME_METADATA] = { "metadata", 65, decode_metadata, true },
	[SYSCAP_FRAME_LOG] = { "log", 65, decode_log, true },
	[SYSCAP_FRAME_FILE_CHUNK] = { "file_chunk", 284, decode_file_chunk,
	                              true },
	[SYSCAP_FRAME_ALLOCATION] = { "allocation", 48, decode_allocation,
	                              false },
	[SYSCAP_FRAME_OVERLAY] = { "overlay", 34, decode_overlay, false },
	[SYSCAP_FRAME_TRACE] = { "trace", 32, decode_sample, false },
	[SYSCAP_FRAME_DBUS_MESSAGE] = { "dbus_message", 28, decode_dbus_message,
	                                false },
};

const char *syscap_frame_type_name(uint8_t type)
{
	return type < SYSCAP_FRAME_LAST ? types[type].name : NULL;
}

void sc_frame_header(const unsigned char *bytes, bool big,
                     struct syscap_frame *ret_frame)
{
	*ret_frame = (struct syscap_frame){
		.bytes = bytes,
		.len = sc_load_u16(bytes + SC_AT(frame, len), big),
		.cpu = (int16_t)sc_load_u16(bytes + SC_AT(frame, cpu), big),
		.pid = sc_load_i32(bytes + SC_AT(frame, pid), big),
		.tid = -1,
		.time = sc_load_i64(bytes + SC_AT(frame, time), big),
		.type = bytes[SC_AT(frame, type)],
		.padding2 = sc_load_u32(bytes + SC_AT(frame, padding2), big),
	};
}

static void read_tagged_tid(struct syscap_frame *frame)
{
	const uint32_t tid = frame->padding2 & ~SYSCAP_TID_TAG_MASK;

	if ((frame->padding2 & SYSCAP_TID_TAG_MASK) == SYSCAP_TID_TAG &&
	    tid != 0)
		frame->tid = (int32_t)tid;
}

int sc_frame_decode(struct syscap_frame *frame, bool big,
                    struct syscap_error *error)
{
	const struct syscap_frame plain = *frame;

	if (!syscap_frame_type_name(frame->type)) {
		frame->used = frame->len;
		return 0;
	}
	if (types[frame->type].tagged)
		read_tagged_tid(frame);
	if (frame->len < types[frame->type].min)
		return unfit(frame, error, "too short for its type");

	frame->used = sizeof(struct syscap_wire_frame);
	const int r = types[frame->type].decode(frame, big, error);
	if (r < 0) {
		const int32_t tid = frame->tid;

		*frame = plain;
		frame->tid = tid;
	}
	return r;
}
