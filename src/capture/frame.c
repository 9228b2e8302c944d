/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.c - decoder of one frame of either byte order, with checks of all
 * bounds.
 *
 * The decoder compares every offset from the file with the frame's length
 * before the offset's use.  The reader has compared the length with the file's
 * size.  No code below reads beyond frame->bytes + frame->len.
 *
 * Sysprof declares some fields as C bit-fields.  A big-endian compiler
 * allocates bit-fields from the top bit down.  So a flag is bit 0 in a
 * little-endian file, and bit 15 in a big-endian file.
 */
#include "capture/frame.h"

#include <errno.h>
#include <string.h>

#include "base/frame.h"
#include "capture/files.h"
#include "common/load.h"

/* Most frames are valid, so the code for invalid frames is outside of the path
 * of valid frames. */
#define COLD   static __attribute__((cold, noinline))
#define INLINE static inline __attribute__((always_inline))

COLD int unfit(const struct syscap_frame *frame, struct syscap_error *error,
               const char *what)
{
	const char *name = syscap_frame_type_name(frame->type);

	return syc_error_set(error, EILSEQ, frame->offset,
	                     "%s frame of %u bytes: %s", name, frame->len,
	                     what);
}

COLD int endless(const struct syscap_frame *frame, struct syscap_error *error,
                 const char *text)
{
	const char *name = syscap_frame_type_name(frame->type);

	return syc_error_set(
		error, EILSEQ, frame->offset,
		"%s frame of %u bytes: the %s has no NUL at the end", name,
		frame->len, text);
}

/*
 * Check that counts and texts are within the frame's length, and add the used
 * bytes to frame->used.  @at is the end of the items, or the start of the last
 * text.
 */
INLINE int check_texts(struct syscap_frame *frame,
                       const struct syc_frame_shape *shape, size_t at,
                       struct syscap_error *error)
{
	const struct syc_frame_text *text = shape->texts;

	for (; text->size != 0; text++)
		if (syc_frame_text(frame, text->at, text->size) == NULL)
			return endless(frame, error, text->name);
	if (shape->last_text != NULL) {
		const unsigned char *const end =
			memchr(frame->bytes + at, 0, frame->len - at);

		if (end == NULL)
			return endless(frame, error, shape->last_text);
		at = (size_t)(end - frame->bytes) + 1;
	}
	frame->used = (uint16_t)at;
	return 0;
}

static const char *text_at(const struct syscap_frame *frame, size_t at)
{
	return (const char *)frame->bytes + at;
}

#define TEXT_AT(frame, type, field) text_at(frame, SYC_AT(type, field))
#define TEXT_BEHIND(frame, type) \
	text_at(frame, sizeof(struct syscap_wire_##type))
#define U16_AT(frame, type, field) \
	syc_load_u16((frame)->bytes + SYC_AT(type, field), big)
#define U64_AT(frame, type, field) \
	syc_load_u64((frame)->bytes + SYC_AT(type, field), big)
#define I32_AT(frame, type, field) ((int32_t)U32_AT(frame, type, field))
#define I64_AT(frame, type, field) ((int64_t)U64_AT(frame, type, field))
#define U32_AT(frame, type, field) \
	syc_load_u32((frame)->bytes + SYC_AT(type, field), big)

/* Return the first flag of a bit-field. */
static bool is_set(unsigned word, bool big)
{
	return (word & (big ? 0x8001u : 1u)) != 0;
}

static void fill_timestamp(struct syscap_frame *frame, bool big)
{
	if (frame->len != 32 || frame->padding2 != SYSCAP_INDEX_MAGIC)
		return;
	frame->timestamp.is_index = true;
	frame->timestamp.previous_index = syc_load_u64(
		frame->bytes + sizeof(struct syscap_wire_frame), big);
	frame->used = 32;
}

INLINE void fill_sample(struct syscap_frame *frame, uint8_t type, bool big)
{
	frame->tid = I32_AT(frame, sample, tid);
	frame->sample.n_addrs = U16_AT(frame, sample, n_addrs);
	frame->sample.entering = type == SYSCAP_FRAME_TRACE &&
	                         is_set(U16_AT(frame, sample, flags), big);
}

/* Return whether the '@' text after a path is a build-id, and not uninitialized
 * bytes of an older writer. */
static bool is_hex(const char *text)
{
	return *text && text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

static void fill_map(struct syscap_frame *frame, bool big)
{
	const size_t at = frame->used;

	frame->map.filename = TEXT_BEHIND(frame, map);
	frame->map.start = U64_AT(frame, map, start);
	frame->map.end = U64_AT(frame, map, end);
	frame->map.offset = U64_AT(frame, map, offset);
	frame->map.inode = U64_AT(frame, map, inode);
	if (at + 2 < frame->len && frame->bytes[at] == '@') {
		const char *id =
			syc_frame_text(frame, at + 1, frame->len - at - 1);

		if (id && is_hex(id)) {
			frame->map.build_id = id;
			frame->used = (uint16_t)(at + 1 + strlen(id) + 1);
		}
	}
}

static void fill_ctrset(struct syscap_frame *frame, bool big)
{
	const unsigned n = U16_AT(frame, ctrset, n_groups);
	unsigned used = 0;

	for (unsigned slot = 0; slot < 8 * n; slot++) {
		if (syc_load_u32(syc_frame_slot_id(frame, slot), big) == 0)
			continue;
		if (slot != used)
			frame->ctrset.has_holes = true;
		used++;
	}
	frame->ctrset.n_groups = (uint16_t)n;
	frame->ctrset.n_values = (uint16_t)used;
}

static void fill_mark(struct syscap_frame *frame, bool big)
{
	frame->mark.duration = I64_AT(frame, mark, duration);
	frame->mark.group = TEXT_AT(frame, mark, group);
	frame->mark.name = TEXT_AT(frame, mark, name);
	frame->mark.message = TEXT_BEHIND(frame, mark);
}

static void fill_log(struct syscap_frame *frame, bool big)
{
	frame->log.severity = U16_AT(frame, log, severity);
	frame->log.domain = TEXT_AT(frame, log, domain);
	frame->log.message = TEXT_BEHIND(frame, log);
}

static void fill_file_chunk(struct syscap_frame *frame, bool big)
{
	frame->file_chunk.path = TEXT_AT(frame, file_chunk, path);
	frame->file_chunk.data = frame->bytes + SYSCAP_FILE_CHUNK_FIXED;
	frame->file_chunk.len = U16_AT(frame, file_chunk, len);
	frame->file_chunk.is_last =
		is_set(U16_AT(frame, file_chunk, is_last), big);
}

static void fill_allocation(struct syscap_frame *frame, bool big)
{
	frame->tid = I32_AT(frame, allocation, tid);
	frame->allocation.addr = U64_AT(frame, allocation, addr);
	frame->allocation.size = I64_AT(frame, allocation, size);
	frame->allocation.n_addrs = U16_AT(frame, allocation, n_addrs);
}

/* Decode an OVERLAY, whose lengths give the ends of the two texts. */
static bool fill_overlay(struct syscap_frame *frame, bool big)
{
	const size_t dst = SYSCAP_OVERLAY_FIXED +
	                   U16_AT(frame, overlay, src_len) + (size_t)1;

	if (frame->bytes[dst - 1] != 0 || frame->bytes[frame->used - 1] != 0)
		return false;
	frame->overlay.layer = frame->bytes[SYC_AT(overlay, layer)];
	frame->overlay.src = text_at(frame, SYSCAP_OVERLAY_FIXED);
	frame->overlay.dst = text_at(frame, dst);
	return true;
}

static void fill_dbus_message(struct syscap_frame *frame, bool big)
{
	const unsigned word = U16_AT(frame, dbus_message, bus_type);

	frame->dbus_message.bus_type = (uint16_t)(big ? word >> 14 : word & 3u);
	frame->dbus_message.flags =
		(uint16_t)(big ? word & 0x3FFFu : word >> 2);
	frame->dbus_message.message = frame->bytes + SYSCAP_DBUS_FIXED;
	frame->dbus_message.message_len =
		U16_AT(frame, dbus_message, message_len);
}

/* Decode the fields of a checked frame.  Returns false if a field is
 * invalid. */
INLINE bool fill_fields(struct syscap_frame *frame, uint8_t type, bool big)
{
	switch (type) {
	case SYSCAP_FRAME_TIMESTAMP:
		fill_timestamp(frame, big);
		break;
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		fill_sample(frame, type, big);
		break;
	case SYSCAP_FRAME_MAP:
		fill_map(frame, big);
		break;
	case SYSCAP_FRAME_PROCESS:
		frame->process.cmdline = TEXT_BEHIND(frame, frame);
		break;
	case SYSCAP_FRAME_FORK:
		frame->fork.child_pid = I32_AT(frame, fork, child_pid);
		break;
	case SYSCAP_FRAME_JITMAP:
		frame->jitmap.n_names = U32_AT(frame, jitmap, n_jitmaps);
		break;
	case SYSCAP_FRAME_CTRDEF:
		frame->ctrdef.n_counters = U16_AT(frame, ctrdef, n_counters);
		break;
	case SYSCAP_FRAME_CTRSET:
		fill_ctrset(frame, big);
		break;
	case SYSCAP_FRAME_MARK:
		fill_mark(frame, big);
		break;
	case SYSCAP_FRAME_METADATA:
		frame->metadata.id = TEXT_AT(frame, metadata, id);
		frame->metadata.value = TEXT_BEHIND(frame, metadata);
		break;
	case SYSCAP_FRAME_LOG:
		fill_log(frame, big);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		fill_file_chunk(frame, big);
		break;
	case SYSCAP_FRAME_ALLOCATION:
		fill_allocation(frame, big);
		break;
	case SYSCAP_FRAME_OVERLAY:
		return fill_overlay(frame, big);
	case SYSCAP_FRAME_DBUS_MESSAGE:
		fill_dbus_message(frame, big);
		break;
	default:
		break;
	}
	return true;
}

const char *syscap_frame_type_name(uint8_t type)
{
	return syc_frame_name(type);
}

static void read_tagged_tid(struct syscap_frame *frame)
{
	const uint32_t tid = frame->padding2 & ~SYSCAP_TID_TAG_MASK;

	if ((frame->padding2 & SYSCAP_TID_TAG_MASK) == SYSCAP_TID_TAG &&
	    tid != 0)
		frame->tid = (int32_t)tid;
}

INLINE int decode_as(uint8_t type, struct syscap_frame *frame, bool big,
                     struct syscap_error *error)
{
	const struct syc_frame_shape *const shape = &syc_frame_shapes[type];

	if (shape->may_tell_tid)
		read_tagged_tid(frame);
	if (frame->len < shape->least)
		return unfit(frame, error,
		             "the content is shorter than the type requires");
	const size_t end =
		syc_frame_content_end(shape, frame->bytes, frame->len, big);
	if (end == 0)
		return unfit(frame, error, shape->unfit);
	const int r = check_texts(frame, shape, end, error);
	if (r < 0)
		return r;
	if (!fill_fields(frame, type, big)) {
		frame->used = 0;
		return unfit(frame, error, "a path has no NUL at the end");
	}
	return 0;
}

int syc_frame_decode(struct syscap_frame *frame, bool big,
                     struct syscap_error *error)
{
#define CASE(TYPE)                \
	case SYSCAP_FRAME_##TYPE: \
		return decode_as(SYSCAP_FRAME_##TYPE, frame, big, error);

	switch (frame->type) {
		SYC_FRAME_TYPES(CASE)
	default:
		frame->used = frame->len;
		return 0;
	}
#undef CASE
}

/*
 * Elements of a decoded frame: counters, values, addresses, and JIT names.
 *
 * The decoder has compared the counts with the frame's length, and set the
 * counts of an invalid frame to 0.  The functions check the caller's arguments.
 */

bool syc_frame_counter(const struct syscap_frame *frame, bool big, unsigned i,
                       struct syscap_counter_info *ret_counter)
{
	if (frame->type != SYSCAP_FRAME_CTRDEF || i >= frame->ctrdef.n_counters)
		return false;

	const unsigned char *at = frame->bytes +
	                          sizeof(struct syscap_wire_ctrdef) +
	                          i * sizeof(struct syscap_wire_counter);
	const unsigned char *id = at + SYC_AT(counter, id);
	const uint64_t bits = syc_load_u64(at + SYC_AT(counter, value), big);
	struct syscap_counter_info *info = ret_counter;

	memset(info, 0, sizeof(*info));
	memcpy(info->category, at, SYC_SIZE(counter, category));
	memcpy(info->name, at + SYC_AT(counter, name), SYC_SIZE(counter, name));
	memcpy(info->description, at + SYC_AT(counter, description),
	       SYC_SIZE(counter, description));
	info->id = big ? (uint32_t)(id[0] << 16 | id[1] << 8 | id[2])
	               : (uint32_t)(id[2] << 16 | id[1] << 8 | id[0]);
	info->is_double = at[SYC_AT(counter, type)] == 1;
	memcpy(&info->value, &bits, sizeof(bits));
	return true;
}

bool syc_frame_slot(const struct syscap_frame *frame, bool big, unsigned slot,
                    uint32_t *ret_id, uint64_t *ret_bits)
{
	if (frame->type != SYSCAP_FRAME_CTRSET ||
	    slot >= 8u * frame->ctrset.n_groups)
		return false;

	const unsigned char *group = syc_frame_slot_id(frame, slot - slot % 8);
	*ret_id = syc_load_u32(syc_frame_slot_id(frame, slot), big);
	*ret_bits = syc_load_u64(group + SYC_AT(values, values) +
	                                 slot % 8 * sizeof(uint64_t),
	                         big);
	return true;
}

bool syc_frame_value(const struct syscap_frame *frame, bool big, unsigned i,
                     uint32_t *ret_id, uint64_t *ret_bits)
{
	if (frame->type != SYSCAP_FRAME_CTRSET || i >= frame->ctrset.n_values)
		return false;
	if (!frame->ctrset.has_holes)
		return syc_frame_slot(frame, big, i, ret_id, ret_bits);

	for (unsigned slot = 0; slot < 8u * frame->ctrset.n_groups; slot++) {
		if (syc_load_u32(syc_frame_slot_id(frame, slot), big) == 0)
			continue;
		if (i-- == 0)
			return syc_frame_slot(frame, big, slot, ret_id,
			                      ret_bits);
	}
	return false;
}

bool syc_frame_addr(const struct syscap_frame *frame, bool big, unsigned i,
                    uint64_t *ret_addr)
{
	size_t at;

	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		if (i >= frame->sample.n_addrs)
			return false;
		at = sizeof(struct syscap_wire_sample);
		break;
	case SYSCAP_FRAME_ALLOCATION:
		if (i >= frame->allocation.n_addrs)
			return false;
		at = sizeof(struct syscap_wire_allocation);
		break;
	default:
		return false;
	}
	*ret_addr = syc_load_u64(frame->bytes + at + 8 * (size_t)i, big);
	return true;
}

/*
 * The cursor is {names returned : 48 | offset of the next name : 16}.  The
 * count marks the end, because bytes after the last name may look like another
 * name.
 */
bool syc_frame_jit_name(const struct syscap_frame *frame, bool big,
                        size_t *cursor, uint64_t *ret_addr,
                        const char **ret_name)
{
	const size_t given = *cursor >> 16;
	const size_t at = given ? *cursor & 0xFFFF : SYSCAP_JITMAP_FIXED;

	if (frame->type != SYSCAP_FRAME_JITMAP ||
	    given >= frame->jitmap.n_names || at < SYSCAP_JITMAP_FIXED ||
	    at + SYC_JIT_ADDR_SIZE >= frame->len)
		return false;

	const char *name = syc_frame_text(frame, at + SYC_JIT_ADDR_SIZE,
	                                  frame->len - at - SYC_JIT_ADDR_SIZE);
	if (!name)
		return false;
	*ret_addr = syc_load_u64(frame->bytes + at, big);
	*ret_name = name;
	*cursor =
		(given + 1) << 16 | (at + SYC_JIT_ADDR_SIZE + strlen(name) + 1);
	return true;
}

/*
 * Conversion of a big-endian frame to little-endian order.
 *
 * The file may have changed since the decoding of the frame.
 */

/* Convert a word whose only flag is the first of its bit-field, at either
 * end. */
static void keep_flag(unsigned char *p)
{
	syc_store_u16(p, (syc_load_u16(p, false) & 3u) != 0);
}

bool syc_frame_order_copy(const struct syscap_frame *frame, bool big,
                          unsigned char *buffer)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);

	memcpy(buffer, frame->bytes, frame->len);
	if (!big)
		return true;
	if (shape != NULL && frame->len >= shape->least &&
	    syc_frame_content_end(shape, buffer, frame->len, true) != 0)
		syc_frame_turn(buffer, frame->len, true);
	syc_frame_turn_header(buffer);
	if (frame->type == SYSCAP_FRAME_SAMPLE ||
	    frame->type == SYSCAP_FRAME_TRACE)
		keep_flag(buffer + SYC_AT(sample, flags));
	if (frame->type == SYSCAP_FRAME_FILE_CHUNK)
		keep_flag(buffer + SYC_AT(file_chunk, is_last));
	return shape != NULL;
}
