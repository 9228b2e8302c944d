/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validate.c - check and clean one frame.  Pure.
 *
 * What only looks odd is mended, since stock clients do it: stale bytes in
 * padding and behind texts, a text that fills its field.  What does not fit
 * its length is refused, since nothing behind it can be trusted either.
 */
#include "record/validate.h"

#include <syscap/format.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "data/utf8.h"

static size_t round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static unsigned char *at(struct syscap_wire_frame *frame, size_t offset)
{
	return (unsigned char *)frame + offset;
}

/* Stock clients cut texts between the bytes of a character. */
static void mend_text(char *text)
{
	uint32_t point;

	for (; *text != 0; text++) {
		size_t len = 1;

		if (((unsigned char)*text & 0x80) != 0)
			len = sc_utf8_next(text, &point);
		if (len == 0)
			*text = '?';
		else
			text += len - 1;
	}
}

/* End the text inside @size bytes, and clear what is behind it. */
static void clean_text(void *text, size_t size)
{
	char *bytes = text;
	size_t len;

	bytes[size - 1] = 0;
	len = strlen(bytes);
	memset(bytes + len, 0, size - len);
	mend_text(bytes);
}

/* The text that ends the frame. */
static const char *clean_last_text(struct syscap_wire_frame *frame,
                                   size_t offset)
{
	if (frame->len <= offset)
		return "there is no room for its text";
	clean_text(at(frame, offset), frame->len - offset);
	return NULL;
}

/* The content ends at @end: clear the rest, give back whole words of it. */
static const char *end_at(struct syscap_wire_frame *frame, size_t end)
{
	if (end > frame->len)
		return "its content does not fit its length";
	memset(at(frame, end), 0, frame->len - end);
	frame->len = (uint16_t)round_up(end);
	return NULL;
}

static const char *check_sample(struct syscap_wire_frame *frame, bool ours)
{
	struct syscap_wire_sample *sample = (void *)frame;

	if (frame->len < sizeof(*sample))
		return "it is too short for its type";
	/* Bit 0 is "entering"; stock clients leave stale bits in samples. */
	if (ours)
		sample->flags &= 1 | SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	else
		sample->flags &= frame->type == SYSCAP_FRAME_TRACE;
	return end_at(frame, sizeof(*sample) + 8 * (size_t)sample->n_addrs);
}

static bool is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Path NUL, or path NUL '@' hex NUL. */
static const char *check_map(struct syscap_wire_frame *frame)
{
	struct syscap_wire_map *map = (void *)frame;
	size_t end = sizeof(*map), hex;

	if (frame->len <= end)
		return "it is too short for its type";
	map->inode = 0;
	*at(frame, frame->len - 1u) = 0;
	mend_text((char *)at(frame, end));
	end += strlen((char *)at(frame, end)) + 1;
	if (end < frame->len && *at(frame, end) == '@') {
		for (hex = end + 1; is_hex(*at(frame, hex)); hex++)
			;
		if (*at(frame, hex) == 0 && hex > end + 1)
			end = hex + 1;
	}
	return end_at(frame, end);
}

static const char *check_jitmap(struct syscap_wire_frame *frame)
{
	struct syscap_wire_jitmap *jitmap = (void *)frame;
	size_t end = SYSCAP_JITMAP_FIXED;

	if (frame->len < end)
		return "it is too short for its type";
	for (uint32_t i = 0; i < jitmap->n_jitmaps; i++) {
		const unsigned char *nul;

		if (end + 9 > frame->len)
			return "its names do not fit its length";
		nul = memchr(at(frame, end + 8), 0, frame->len - end - 8);
		if (nul == NULL)
			return "one of its names has no end";
		mend_text((char *)at(frame, end + 8));
		end = (size_t)(nul - at(frame, 0)) + 1;
	}
	return end_at(frame, end);
}

static const char *check_ctrdef(struct syscap_wire_frame *frame)
{
	struct syscap_wire_ctrdef *ctrdef = (void *)frame;
	struct syscap_wire_counter *counter;
	const size_t size = sizeof(*counter);

	if (frame->len < sizeof(*ctrdef) ||
	    frame->len < sizeof(*ctrdef) + size * ctrdef->n_counters)
		return "its counters do not fit its length";
	ctrdef->padding1 = 0;
	ctrdef->padding2 = 0;
	counter = (void *)at(frame, sizeof(*ctrdef));
	for (unsigned i = 0; i < ctrdef->n_counters; i++, counter++) {
		if (counter->type > 1)
			return "one of its counters is of no known type";
		clean_text(counter->category, sizeof(counter->category));
		clean_text(counter->name, sizeof(counter->name));
		clean_text(counter->description, sizeof(counter->description));
	}
	return end_at(frame, sizeof(*ctrdef) + size * ctrdef->n_counters);
}

static const char *check_ctrset(struct syscap_wire_frame *frame)
{
	struct syscap_wire_ctrset *ctrset = (void *)frame;
	struct syscap_wire_values *group;
	const size_t size = sizeof(*group);

	if (frame->len < sizeof(*ctrset) ||
	    frame->len < sizeof(*ctrset) + size * ctrset->n_groups)
		return "its values do not fit its length";
	ctrset->padding1 = 0;
	ctrset->padding2 = 0;
	group = (void *)at(frame, sizeof(*ctrset));
	for (unsigned i = 0; i < ctrset->n_groups; i++, group++) {
		for (unsigned slot = 0; slot < 8; slot++) {
			/* Ids are 24 bits wide: this one is stale bytes. */
			if (group->ids[slot] >> 24 != 0)
				group->ids[slot] = 0;
			if (group->ids[slot] == 0)
				group->values[slot] = 0;
		}
	}
	return end_at(frame, sizeof(*ctrset) + size * ctrset->n_groups);
}

static const char *check_mark(struct syscap_wire_frame *frame)
{
	struct syscap_wire_mark *mark = (void *)frame;

	if (frame->len <= sizeof(*mark))
		return "it is too short for its type";
	clean_text(mark->group, sizeof(mark->group));
	clean_text(mark->name, sizeof(mark->name));
	return clean_last_text(frame, sizeof(*mark));
}

static const char *check_metadata(struct syscap_wire_frame *frame)
{
	struct syscap_wire_metadata *metadata = (void *)frame;

	if (frame->len <= sizeof(*metadata))
		return "it is too short for its type";
	clean_text(metadata->id, sizeof(metadata->id));
	return clean_last_text(frame, sizeof(*metadata));
}

static const char *check_log(struct syscap_wire_frame *frame)
{
	struct syscap_wire_log *log = (void *)frame;

	if (frame->len <= sizeof(*log))
		return "it is too short for its type";
	log->padding1 = 0;
	log->padding2 = 0;
	clean_text(log->domain, sizeof(log->domain));
	return clean_last_text(frame, sizeof(*log));
}

static const char *check_file_chunk(struct syscap_wire_frame *frame)
{
	struct syscap_wire_file_chunk *chunk = (void *)frame;

	if (frame->len < SYSCAP_FILE_CHUNK_FIXED)
		return "it is too short for its type";
	chunk->is_last &= 1;
	clean_text(chunk->path, sizeof(chunk->path));
	return end_at(frame, SYSCAP_FILE_CHUNK_FIXED + (size_t)chunk->len);
}

static const char *check_allocation(struct syscap_wire_frame *frame, bool ours)
{
	struct syscap_wire_allocation *allocation = (void *)frame;

	if (frame->len < sizeof(*allocation))
		return "it is too short for its type";
	allocation->padding &=
		ours ? SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED : 0;
	return end_at(frame,
	              sizeof(*allocation) + 8 * (size_t)allocation->n_addrs);
}

static const char *check_overlay(struct syscap_wire_frame *frame)
{
	struct syscap_wire_overlay *overlay = (void *)frame;
	size_t end;

	if (frame->len < SYSCAP_OVERLAY_FIXED + 2)
		return "it is too short for its type";
	memset(overlay->padding, 0, sizeof(overlay->padding));
	end = SYSCAP_OVERLAY_FIXED + (size_t)overlay->src_len +
	      (size_t)overlay->dst_len + 2;
	if (end > frame->len)
		return "its paths do not fit its length";
	*at(frame, SYSCAP_OVERLAY_FIXED + (size_t)overlay->src_len) = 0;
	*at(frame, end - 1) = 0;
	mend_text((char *)at(frame, SYSCAP_OVERLAY_FIXED));
	mend_text((char *)at(frame, SYSCAP_OVERLAY_FIXED +
	                                    (size_t)overlay->src_len + 1));
	return end_at(frame, end);
}

static const char *check_fork(struct syscap_wire_frame *frame)
{
	struct syscap_wire_fork *forked = (void *)frame;

	if (frame->len < sizeof(*forked))
		return "it is too short for its type";
	forked->padding = 0;
	return end_at(frame, sizeof(*forked));
}

static const char *check_dbus_message(struct syscap_wire_frame *frame)
{
	struct syscap_wire_dbus_message *message = (void *)frame;

	if (frame->len < SYSCAP_DBUS_FIXED)
		return "it is too short for its type";
	message->bus_type &= 7;
	return end_at(frame, SYSCAP_DBUS_FIXED + (size_t)message->message_len);
}

static const char *check_content(struct syscap_wire_frame *frame, bool ours)
{
	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP: /* also fills gaps, with any length */
	case SYSCAP_FRAME_EXIT:
	case SYSCAP_FRAME_RING_END:
		return end_at(frame, sizeof(*frame));
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		return check_sample(frame, ours);
	case SYSCAP_FRAME_MAP:
		return check_map(frame);
	case SYSCAP_FRAME_PROCESS:
		return clean_last_text(frame, sizeof(*frame));
	case SYSCAP_FRAME_FORK:
		return check_fork(frame);
	case SYSCAP_FRAME_JITMAP:
		return check_jitmap(frame);
	case SYSCAP_FRAME_CTRDEF:
		return check_ctrdef(frame);
	case SYSCAP_FRAME_CTRSET:
		return check_ctrset(frame);
	case SYSCAP_FRAME_MARK:
		return check_mark(frame);
	case SYSCAP_FRAME_METADATA:
		return check_metadata(frame);
	case SYSCAP_FRAME_LOG:
		return check_log(frame);
	case SYSCAP_FRAME_FILE_CHUNK:
		return check_file_chunk(frame);
	case SYSCAP_FRAME_ALLOCATION:
		return check_allocation(frame, ours);
	case SYSCAP_FRAME_OVERLAY:
		return check_overlay(frame);
	case SYSCAP_FRAME_DBUS_MESSAGE:
		return check_dbus_message(frame);
	default:
		return "its type is not known";
	}
}

/* Viewers crash on frames of these types that belong to no process. */
static bool needs_pid(uint8_t type)
{
	switch (type) {
	case SYSCAP_FRAME_TIMESTAMP:
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_CTRSET:
	case SYSCAP_FRAME_MARK:
	case SYSCAP_FRAME_METADATA:
	case SYSCAP_FRAME_LOG:
	case SYSCAP_FRAME_FILE_CHUNK:
	case SYSCAP_FRAME_RING_END:
		return false;
	default:
		return true;
	}
}

/* padding2 says something: only our own client's does. */
static bool is_tagged(const struct syscap_wire_frame *frame, int32_t tid)
{
	if (frame->type == SYSCAP_FRAME_SAMPLE)
		return (frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		               SYSCAP_WEIGHT_TAG &&
		       (frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK) != 0;
	return frame->type >= SYSCAP_FRAME_CTRDEF &&
	       frame->type <= SYSCAP_FRAME_FILE_CHUNK &&
	       frame->padding2 == (SYSCAP_TID_TAG | (uint32_t)tid);
}

int sc_validate_frame(void *bytes, size_t avail, int32_t tid,
                      const char **ret_why)
{
	struct syscap_wire_frame *frame = bytes;
	const char *why = NULL;
	size_t len;

	if (avail < sizeof(*frame))
		why = "it ends inside its header";
	else if (frame->len < sizeof(*frame))
		why = "its length is less than a header";
	else if (frame->len % 8 != 0)
		why = "its length is not a multiple of 8";
	else if (frame->len > avail)
		why = "it is longer than what was written";
	else if (frame->pid > SC_PID_LIMIT || frame->pid < -1 ||
	         frame->pid == 0 || (frame->pid < 0 && needs_pid(frame->type)))
		why = "its process id is impossible";
	if (why != NULL)
		goto fail;

	len = frame->len;
	memset(frame->padding1, 0, sizeof(frame->padding1));
	if (tid <= 0 || !is_tagged(frame, tid))
		frame->padding2 = 0;
	why = check_content(frame, tid > 0);
	if (why != NULL)
		goto fail;
	return (int)len;
fail:
	*ret_why = why;
	return -EBADMSG;
}
