/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_order.c - a frame of a big-endian file, in little-endian order.
 *
 * The frame was decoded, so that its counts fit its length.  Fields that C
 * bit-fields have put at the other end of their word (see frame.c) move.
 */
#include "capture/frame_order.h"

#include <string.h>

#include "capture/frame.h"
#include "data/load.h"

static void turn_u16(unsigned char *p)
{
	sc_store_u16(p, sc_load_u16(p, true));
}

static void turn_u32(unsigned char *p, unsigned n)
{
	for (; n > 0; n--, p += 4)
		sc_store_u32(p, sc_load_u32(p, true));
}

static void turn_u64(unsigned char *p, unsigned n)
{
	for (; n > 0; n--, p += 8)
		sc_store_u64(p, sc_load_u64(p, true));
}

/* A word whose only flag is the first of its bit-field. */
static void turn_flag(unsigned char *p)
{
	sc_store_u16(p, (sc_load_u16(p, true) & 0x8001u) != 0);
}

static void turn_header(unsigned char *p)
{
	turn_u16(p + SC_AT(frame, len));
	turn_u16(p + SC_AT(frame, cpu));
	turn_u32(p + SC_AT(frame, pid), 1);
	turn_u64(p + SC_AT(frame, time), 1);
	turn_u32(p + SC_AT(frame, padding2), 1);
}

static void turn_sample(const struct syscap_frame *frame, unsigned char *p)
{
	turn_u16(p + SC_AT(sample, n_addrs));
	turn_flag(p + SC_AT(sample, flags));
	turn_u32(p + SC_AT(sample, tid), 1);
	turn_u64(p + sizeof(struct syscap_wire_sample), frame->sample.n_addrs);
}

static void turn_allocation(const struct syscap_frame *frame, unsigned char *p)
{
	turn_u64(p + SC_AT(allocation, addr), 2);
	turn_u32(p + SC_AT(allocation, tid), 1);
	turn_u16(p + SC_AT(allocation, n_addrs));
	turn_u64(p + sizeof(struct syscap_wire_allocation),
	         frame->allocation.n_addrs);
}

static void turn_jitmap(const struct syscap_frame *frame, unsigned char *p)
{
	size_t cursor = 0, at = SYSCAP_JITMAP_FIXED;
	const char *name;
	uint64_t addr;

	turn_u32(p + SC_AT(jitmap, n_jitmaps), 1);
	while (sc_frame_jit_name(frame, true, &cursor, &addr, &name)) {
		sc_store_u64(p + at, addr);
		at = cursor & 0xFFFF;
	}
}

static void turn_ctrdef(const struct syscap_frame *frame, unsigned char *p)
{
	unsigned char *counter = p + sizeof(struct syscap_wire_ctrdef);

	turn_u16(p + SC_AT(ctrdef, n_counters));
	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++) {
		unsigned char *id = counter + SC_AT(counter, id);
		const unsigned char first = id[0];

		id[0] = id[2];
		id[2] = first;
		turn_u64(counter + SC_AT(counter, value), 1);
		counter += sizeof(struct syscap_wire_counter);
	}
}

static void turn_ctrset(const struct syscap_frame *frame, unsigned char *p)
{
	unsigned char *group = p + sizeof(struct syscap_wire_ctrset);

	turn_u16(p + SC_AT(ctrset, n_groups));
	for (unsigned i = 0; i < frame->ctrset.n_groups; i++) {
		turn_u32(group + SC_AT(values, ids), 8);
		turn_u64(group + SC_AT(values, values), 8);
		group += sizeof(struct syscap_wire_values);
	}
}

static void turn_dbus_message(const struct syscap_frame *frame,
                              unsigned char *p)
{
	sc_store_u16(p + SC_AT(dbus_message, bus_type),
	             (uint16_t)(frame->dbus_message.flags << 2 |
	                        frame->dbus_message.bus_type));
	turn_u16(p + SC_AT(dbus_message, message_len));
}

static bool turn_content(const struct syscap_frame *frame, unsigned char *p)
{
	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		turn_sample(frame, p);
		return true;
	case SYSCAP_FRAME_ALLOCATION:
		turn_allocation(frame, p);
		return true;
	case SYSCAP_FRAME_JITMAP:
		turn_jitmap(frame, p);
		return true;
	case SYSCAP_FRAME_CTRDEF:
		turn_ctrdef(frame, p);
		return true;
	case SYSCAP_FRAME_CTRSET:
		turn_ctrset(frame, p);
		return true;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		turn_dbus_message(frame, p);
		return true;
	case SYSCAP_FRAME_MAP:
		turn_u64(p + SC_AT(map, start), 4);
		return true;
	case SYSCAP_FRAME_FORK:
		turn_u32(p + SC_AT(fork, child_pid), 1);
		return true;
	case SYSCAP_FRAME_MARK:
		turn_u64(p + SC_AT(mark, duration), 1);
		return true;
	case SYSCAP_FRAME_LOG:
		turn_u16(p + SC_AT(log, severity));
		return true;
	case SYSCAP_FRAME_FILE_CHUNK:
		turn_flag(p + SC_AT(file_chunk, is_last));
		turn_u16(p + SC_AT(file_chunk, len));
		return true;
	case SYSCAP_FRAME_OVERLAY:
		turn_u16(p + SC_AT(overlay, src_len));
		turn_u16(p + SC_AT(overlay, dst_len));
		return true;
	default:
		return syscap_frame_type_name(frame->type) != NULL;
	}
}

bool sc_frame_order_copy(const struct syscap_frame *frame, bool big,
                         unsigned char *buffer)
{
	memcpy(buffer, frame->bytes, frame->len);
	if (!big)
		return true;
	turn_header(buffer);
	return turn_content(frame, buffer);
}
