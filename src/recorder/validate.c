/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validate.c - check and cleaning of one frame, without side effects.
 *
 * The check repairs oddities of stock clients: stale bytes in padding and after
 * texts, and a text that fills its field.  The check refuses content that does
 * not fit the frame's length, because the bytes after such a frame can't be
 * trusted.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <syscap/format.h>

#include "capture/frame.h"
#include "common/frame_layout.h"
#include "common/strings.h"
#include "recorder/drain.h"

/*
 * Most frames are samples and values of counters, which need no cleaning.  Code
 * for other frames is out of the path of the frequent frames.
 */
#define ASIDE  static __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

static unsigned char *byte_at(struct syscap_wire_frame *frame, size_t offset)
{
	return (unsigned char *)frame + offset;
}

/*
 * Repair a text that a stock client has cut between the bytes of a character.
 * Returns the end of the text.
 */
static char *mend_text(char *text)
{
	uint32_t point;

	for (; *text != 0; text++) {
		size_t len = 1;

		if (((unsigned char)*text & 0x80) != 0)
			len = syc_utf8_next(text, &point);
		if (len == 0)
			*text = '?';
		else
			text += len - 1;
	}
	return text;
}

/*
 * Return whether the bytes from @from to @size, 8 at least, are zero.  Most
 * bytes are zero, and a check costs less than clearing again.
 */
static bool is_zero(const char *bytes, size_t from, size_t size)
{
	uint64_t all = 0, word;

	for (; from + sizeof(word) < size; from += sizeof(word)) {
		memcpy(&word, bytes + from, sizeof(word));
		all |= word;
	}
	memcpy(&word, bytes + size - sizeof(word), sizeof(word));
	return (all | word >> 8 * (sizeof(word) - (size - from))) == 0;
}

/* End the text inside @size bytes, and clear the bytes after the text. */
static void clean_text(void *text, size_t size)
{
	char *bytes = text;
	size_t len;

	if (bytes[size - 1] != 0)
		bytes[size - 1] = 0;
	len = strlen(bytes);
	if (!is_zero(bytes, len, size))
		memset(bytes + len, 0, size - len);
	mend_text(bytes);
}

INLINE void clean_texts(const struct syc_frame_text *texts, unsigned char *p)
{
	for (; texts->size != 0; texts++)
		clean_text(p + texts->at, texts->size);
}

/*
 * Clear the bytes after the end of the content, @end, and shorten the frame by
 * whole words.
 */
ASIDE void end_at(struct syscap_wire_frame *frame, size_t end)
{
	memset(byte_at(frame, end), 0, frame->len - end);
	frame->len = (uint16_t)((end + 7) & ~(size_t)7);
}

/* Clear a gap in one step, because each gap lies within a word. */
INLINE void clear_gap(struct syscap_wire_frame *frame,
                      const struct syc_frame_shape *shape)
{
	unsigned char *const p = byte_at(frame, shape->gap_at & ~7u);
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	word &= ~shape->gap;
	memcpy(p, &word, sizeof(word));
}

/* Clear the stale bits that stock clients leave in samples.  Bit 0 is
 * "entering". */
static void clean_sample(struct syscap_wire_sample *sample,
                         bool has_client_block)
{
	if (has_client_block)
		sample->flags &= 1 | SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	else
		sample->flags &= sample->frame.type == SYSCAP_FRAME_TRACE;
}

static bool is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Clean the texts of a MAP: path NUL, or path NUL '@' hex NUL. */
ASIDE void clean_map(struct syscap_wire_map *map)
{
	struct syscap_wire_frame *frame = &map->frame;
	size_t end, hex;

	map->inode = 0;
	*byte_at(frame, frame->len - 1u) = 0;
	end = (size_t)(mend_text((char *)(map + 1)) - (char *)map) + 1;
	if (end < frame->len && *byte_at(frame, end) == '@') {
		for (hex = end + 1; is_hex(*byte_at(frame, hex)); hex++)
			;
		if (*byte_at(frame, hex) == 0 && hex > end + 1)
			end = hex + 1;
	}
	end_at(frame, end);
}

ASIDE void clean_jitmap(struct syscap_wire_jitmap *jitmap)
{
	char *name = (char *)jitmap + SYSCAP_JITMAP_FIXED;

	for (uint32_t i = 0; i < jitmap->n_jitmaps; i++)
		name = mend_text(name + SYC_JIT_ADDR_SIZE) + 1;
}

ASIDE bool clean_ctrdef(struct syscap_wire_ctrdef *ctrdef,
                        const struct syc_frame_shape *shape)
{
	struct syscap_wire_counter *counter = (void *)(ctrdef + 1);

	for (unsigned i = 0; i < ctrdef->n_counters; i++, counter++) {
		if (counter->type > 1)
			return false;
		clean_texts(shape->item_texts, (unsigned char *)counter);
	}
	return true;
}

static void clean_ctrset(struct syscap_wire_ctrset *ctrset)
{
	struct syscap_wire_values *group = (void *)(ctrset + 1);

	for (unsigned i = 0; i < ctrset->n_groups; i++, group++) {
		for (unsigned slot = 0; slot < 8; slot++) {
			/* Ids are 24 bits wide.  A wider id comes from stale
			 * bytes. */
			if (group->ids[slot] >> 24 != 0)
				group->ids[slot] = 0;
			if (group->ids[slot] == 0)
				group->values[slot] = 0;
		}
	}
}

ASIDE void clean_overlay(struct syscap_wire_overlay *overlay, size_t end)
{
	char *const src = (char *)overlay + SYSCAP_OVERLAY_FIXED;

	src[overlay->src_len] = 0;
	*byte_at(&overlay->frame, end - 1) = 0;
	mend_text(src);
	mend_text(src + overlay->src_len + 1);
}

/* Clean the type's own content. */
INLINE const char *clean_more(uint8_t type, struct syscap_wire_frame *frame,
                              const struct syc_frame_shape *shape, size_t end,
                              bool has_client_block)
{
	switch (type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		clean_sample((void *)frame, has_client_block);
		break;
	case SYSCAP_FRAME_JITMAP:
		clean_jitmap((void *)frame);
		break;
	case SYSCAP_FRAME_CTRDEF:
		if (!clean_ctrdef((void *)frame, shape))
			return "a counter has an unknown type";
		break;
	case SYSCAP_FRAME_CTRSET:
		clean_ctrset((void *)frame);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		((struct syscap_wire_file_chunk *)frame)->is_last &= 1;
		break;
	case SYSCAP_FRAME_ALLOCATION:
		((struct syscap_wire_allocation *)frame)->padding &=
			has_client_block
				? SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED
				: 0;
		break;
	case SYSCAP_FRAME_OVERLAY:
		clean_overlay((void *)frame, end);
		break;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		((struct syscap_wire_dbus_message *)frame)->bus_type &= 7;
		break;
	default:
		break;
	}
	return NULL;
}

INLINE const char *check_as(uint8_t type, struct syscap_wire_frame *frame,
                            bool has_client_block)
{
	const struct syc_frame_shape *const shape = &syc_frame_shapes[type];

	if (frame->len < shape->least)
		return "a frame is too short for the type";
	const size_t end = syc_frame_content_end(shape, byte_at(frame, 0),
	                                         frame->len, false);
	if (end == 0)
		return shape->unfit;
	const char *const why =
		clean_more(type, frame, shape, end, has_client_block);
	if (why != NULL)
		return why;
	if (shape->gap_size != 0)
		clear_gap(frame, shape);
	clean_texts(shape->texts, byte_at(frame, 0));
	if (type == SYSCAP_FRAME_MAP)
		clean_map((void *)frame);
	else if (shape->last_text != NULL)
		clean_text(byte_at(frame, end), frame->len - end);
	else if (end != frame->len) /* a timestamp may have any length */
		end_at(frame, end);
	return NULL;
}

static const char *check_content(struct syscap_wire_frame *frame,
                                 bool has_client_block)
{
#define CASE(TYPE)                \
	case SYSCAP_FRAME_##TYPE: \
		return check_as(SYSCAP_FRAME_##TYPE, frame, has_client_block);

	switch (frame->type) {
		SYC_FRAME_TYPES(CASE)
	case SYSCAP_FRAME_RING_END:
		end_at(frame, sizeof(*frame));
		return NULL;
	default:
		return "a frame has an unknown type";
	}
#undef CASE
}

/*
 * Return whether frames of @type need a pid, because viewers crash on such
 * frames without a process.
 */
static bool needs_pid(uint8_t type)
{
	const struct syc_frame_shape *const shape = syc_frame_shape(type);

	return type != SYSCAP_FRAME_TIMESTAMP &&
	       type != SYSCAP_FRAME_RING_END &&
	       (shape == NULL || !shape->may_tell_tid);
}

/* Return whether padding2 has a tag, which only syscap's client sets. */
static bool is_tagged(const struct syscap_wire_frame *frame, int32_t tid)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);

	if (frame->type == SYSCAP_FRAME_SAMPLE)
		return ((frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		                SYSCAP_WEIGHT_TAG &&
		        (frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK) != 0) ||
		       !syc_sample_is_of_timer(frame->padding2);
	return shape != NULL && shape->may_tell_tid &&
	       frame->padding2 == (SYSCAP_TID_TAG | (uint32_t)tid);
}

static const char *check_header(const struct syscap_wire_frame *frame,
                                size_t avail)
{
	if (avail < sizeof(*frame))
		return "a frame ends inside the header";
	if (frame->len < sizeof(*frame))
		return "a frame is shorter than the header";
	if (frame->len % 8 != 0)
		return "a frame's length is not a multiple of 8";
	if (frame->len > avail)
		return "a frame is longer than the written bytes";
	if (frame->pid > SYC_PID_LIMIT || frame->pid < -1 || frame->pid == 0 ||
	    (frame->pid < 0 && needs_pid(frame->type)))
		return "a frame has an invalid process id";
	return NULL;
}

int syc_validate_frame(void *bytes, size_t avail, int32_t tid,
                       const char **ret_why)
{
	struct syscap_wire_frame *const frame = bytes;
	const char *why = check_header(frame, avail);

	if (why != NULL)
		goto fail;
	const int len = frame->len;
	memset(frame->padding1, 0, sizeof(frame->padding1));
	if (tid <= 0 || !is_tagged(frame, tid))
		frame->padding2 = 0;
	why = check_content(frame, tid > 0);
	if (why == NULL)
		return len;
fail:
	*ret_why = why;
	return -EBADMSG;
}
