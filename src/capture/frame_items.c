/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_items.c - the elements of a decoded frame: counters, values,
 * addresses, JIT names.
 *
 * The counts in the frame were compared with its length by frame.c; a frame
 * that was refused there has counts of 0.  What the caller passes is checked
 * here.
 */
#include <string.h>

#include "capture/frame.h"
#include "data/load.h"

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
 * The cursor is {names given : 48 | offset of the next : 16}: the count is
 * needed, since what is behind the last name may look like another one.
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
