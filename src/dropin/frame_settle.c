/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_settle.c - whether a frame's content fits its length, and the host's
 * byte order for it.
 *
 * Nothing of a frame is believed: whatever a count says is first held against
 * the length.
 */
#define _GNU_SOURCE
#include <byteswap.h>
#include <string.h>

#include "dropin/reader.h"

struct bytes {
	unsigned char *at;
	size_t len;
	bool is_foreign; /* a constant, to the compiler */
};

#define INLINE static inline __attribute__((always_inline))

INLINE uint16_t get_16(const struct bytes b, size_t at)
{
	uint16_t n;

	memcpy(&n, b.at + at, sizeof(n));
	return b.is_foreign ? bswap_16(n) : n;
}

INLINE uint32_t get_32(const struct bytes b, size_t at)
{
	uint32_t n;

	memcpy(&n, b.at + at, sizeof(n));
	return b.is_foreign ? bswap_32(n) : n;
}

INLINE void turn(const struct bytes b, size_t at, unsigned size)
{
	unsigned char *const p = b.at + at;

	if (!b.is_foreign)
		return;
	for (unsigned i = 0; i < size / 2; i++) {
		const unsigned char other = p[size - 1 - i];

		p[size - 1 - i] = p[i];
		p[i] = other;
	}
}

INLINE void turn_words(const struct bytes b, size_t at, size_t n)
{
	if (!b.is_foreign)
		return;
	for (size_t i = 0; i < n; i++)
		turn(b, at + 8 * i, 8);
}

/* A field whose last byte may not be a NUL. */
INLINE void end_text(const struct bytes b, size_t at)
{
	/* A page that is not written to stays the file's */
	if (b.at[at] != '\0')
		b.at[at] = '\0';
}

/*
 * 16 bits that the other order fills from the other end: bit 0 of one is bit
 * 15 of the other.  @n_bits of them are one number, the rest another.
 */
INLINE void turn_bits(const struct bytes b, size_t at, unsigned n_bits)
{
	if (!b.is_foreign)
		return;
	const uint16_t n = get_16(b, at);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint16_t host =
		(uint16_t)(n >> (16 - n_bits) | (unsigned)n << n_bits);
#else
	const uint16_t host =
		(uint16_t)((unsigned)n << (16 - n_bits) | n >> n_bits);
#endif
	memcpy(b.at + at, &host, sizeof(host));
}

INLINE const char *settle_stack(const struct bytes b)
{
	if (b.len < 32)
		return "a stack is too short for its frame";
	if (get_16(b, 24) > (b.len - 32) / 8)
		return "a stack has more addresses than its frame";
	turn_words(b, 32, get_16(b, 24));
	turn(b, 24, 2);
	turn_bits(b, 26, 1);
	turn(b, 28, 4);
	return NULL;
}

INLINE const char *settle_map(const struct bytes b)
{
	if (b.len < 57 || b.at[b.len - 1] != '\0')
		return "a map's file name has no end";
	turn_words(b, 24, 4);
	return NULL;
}

INLINE const char *settle_process(const struct bytes b)
{
	if (b.len < 25 || b.at[b.len - 1] != '\0')
		return "a command line has no end";
	return NULL;
}

INLINE const char *settle_fork(const struct bytes b)
{
	if (b.len < 28)
		return "a fork is too short";
	turn(b, 24, 4);
	return NULL;
}

INLINE const char *settle_jitmap(const struct bytes b)
{
	size_t at = 28;

	if (b.len < 28)
		return "a table of names is too short";
	for (uint32_t n = get_32(b, 24); n != 0; n--) {
		if (b.len - at < 9)
			return "a table has more names than its frame";
		const unsigned char *const end =
			memchr(b.at + at + 8, '\0', b.len - at - 8);
		if (end == NULL)
			return "a name has no end";
		turn(b, at, 8);
		at = (size_t)(end - b.at) + 1;
	}
	turn(b, 24, 4);
	return NULL;
}

INLINE void settle_counter(const struct bytes b, size_t at)
{
	end_text(b, at + 31);
	end_text(b, at + 63);
	end_text(b, at + 115);
	if (b.is_foreign) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		const uint32_t n = get_32(b, at + 116);
		const uint32_t host = n >> 8 | n << 24;
#else
		const uint32_t n = get_32(b, at + 116);
		const uint32_t host = n << 8 | n >> 24;
#endif
		memcpy(b.at + at + 116, &host, sizeof(host));
	}
	turn(b, at + 120, 8);
}

INLINE const char *settle_ctrdef(const struct bytes b)
{
	if (b.len < 32)
		return "definitions of counters are too short";
	const unsigned n = get_16(b, 24);
	if (n > (b.len - 32) / 128)
		return "more counters are defined than the frame has";
	for (unsigned i = 0; i < n; i++)
		settle_counter(b, 32 + 128 * (size_t)i);
	turn(b, 24, 2);
	return NULL;
}

INLINE const char *settle_ctrset(const struct bytes b)
{
	if (b.len < 32)
		return "values of counters are too short";
	const unsigned n = get_16(b, 24);
	if (n > (b.len - 32) / 96)
		return "more counters are set than the frame has";
	for (unsigned i = 0; i < n && b.is_foreign; i++) {
		const size_t at = 32 + 96 * (size_t)i;

		for (unsigned k = 0; k < 8; k++)
			turn(b, at + 4 * (size_t)k, 4);
		turn_words(b, at + 32, 8);
	}
	turn(b, 24, 2);
	return NULL;
}

INLINE const char *settle_mark(const struct bytes b)
{
	if (b.len < 97)
		return "a mark is too short";
	turn(b, 24, 8);
	end_text(b, 55);
	end_text(b, 95);
	end_text(b, b.len - 1);
	return NULL;
}

INLINE const char *settle_metadata(const struct bytes b)
{
	if (b.len < 65)
		return "metadata is too short";
	end_text(b, 63);
	end_text(b, b.len - 1);
	return NULL;
}

INLINE const char *settle_log(const struct bytes b)
{
	if (b.len < 65)
		return "a log is too short";
	turn(b, 24, 2);
	end_text(b, 63);
	end_text(b, b.len - 1);
	return NULL;
}

INLINE const char *settle_file(const struct bytes b)
{
	if (b.len < 284)
		return "a part of a file is too short";
	if (get_16(b, 26) > b.len - 284)
		return "a part of a file is longer than its frame";
	turn_bits(b, 24, 1);
	turn(b, 26, 2);
	end_text(b, 283);
	return NULL;
}

INLINE const char *settle_allocation(const struct bytes b)
{
	if (b.len < 48)
		return "an allocation is too short";
	if (get_16(b, 44) > (b.len - 48) / 8)
		return "an allocation has more addresses than its frame";
	turn_words(b, 48, get_16(b, 44));
	turn_words(b, 24, 2);
	turn(b, 40, 4);
	turn(b, 44, 2);
	return NULL;
}

INLINE const char *settle_overlay(const struct bytes b)
{
	if (b.len < 34)
		return "an overlay is too short";
	const size_t src = get_16(b, 28), dst = get_16(b, 30);
	if (src + dst > b.len - 34)
		return "an overlay's paths are longer than its frame";
	end_text(b, 32 + src);
	end_text(b, 32 + src + 1 + dst);
	turn(b, 28, 2);
	turn(b, 30, 2);
	return NULL;
}

INLINE const char *settle_dbus(const struct bytes b)
{
	if (b.len < 28 || get_16(b, 26) > b.len - 28)
		return "a message is longer than its frame";
	turn_bits(b, 24, 2);
	turn(b, 26, 2);
	return NULL;
}

INLINE const char *settle_timestamp(const struct bytes b)
{
	/* The place of an index, which is none any more in the host's order */
	if (b.len >= 32 && get_32(b, 20) == SYSPROF_CAPTURE_FRAME_INDEX_MAGIC)
		turn(b, 24, 8);
	return NULL;
}

INLINE const char *settle_content(const struct bytes b)
{
	switch (b.at[16]) {
	case SYSPROF_CAPTURE_FRAME_TIMESTAMP:
		return settle_timestamp(b);
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
		return settle_stack(b);
	case SYSPROF_CAPTURE_FRAME_MAP:
		return settle_map(b);
	case SYSPROF_CAPTURE_FRAME_PROCESS:
		return settle_process(b);
	case SYSPROF_CAPTURE_FRAME_FORK:
		return settle_fork(b);
	case SYSPROF_CAPTURE_FRAME_EXIT:
		return NULL;
	case SYSPROF_CAPTURE_FRAME_JITMAP:
		return settle_jitmap(b);
	case SYSPROF_CAPTURE_FRAME_CTRDEF:
		return settle_ctrdef(b);
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		return settle_ctrset(b);
	case SYSPROF_CAPTURE_FRAME_MARK:
		return settle_mark(b);
	case SYSPROF_CAPTURE_FRAME_METADATA:
		return settle_metadata(b);
	case SYSPROF_CAPTURE_FRAME_LOG:
		return settle_log(b);
	case SYSPROF_CAPTURE_FRAME_FILE_CHUNK:
		return settle_file(b);
	case SYSPROF_CAPTURE_FRAME_ALLOCATION:
		return settle_allocation(b);
	case SYSPROF_CAPTURE_FRAME_OVERLAY:
		return settle_overlay(b);
	case SYSPROF_CAPTURE_FRAME_TRACE:
		return settle_stack(b);
	case SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE:
		return settle_dbus(b);
	default:
		return NULL;
	}
}

const char *sc_frame_settle(unsigned char *frame, size_t len)
{
	const struct bytes b = { .at = frame, .len = len, .is_foreign = false };

	return settle_content(b);
}

const char *sc_frame_settle_foreign(unsigned char *frame, size_t len)
{
	const struct bytes b = { .at = frame, .len = len, .is_foreign = true };
	const char *const why = settle_content(b);

	turn(b, 0, 2);
	turn(b, 2, 2);
	turn(b, 4, 4);
	turn(b, 8, 8);
	turn(b, 20, 4);
	return why;
}

/* ------------------------------------------------------ frames in a row */

/*
 * What the content of a frame needs, by type: a size, and some bytes for each
 * of a number of things; and whether it has a duration.  Types that need more
 * of a look, and unknown ones, need more than a frame can have.
 */
struct need {
	uint64_t duration; /* all bits, or none */
	uint16_t size;
	uint8_t count_at;
	uint8_t each;
};

#define NEED(type, ...)  [SYSPROF_CAPTURE_FRAME_##type] = { __VA_ARGS__ }
#define TOO_MUCH         .size = UINT16_MAX
#define NEEDS_LOOK(type) NEED(type, TOO_MUCH)

static const struct need needs[256] = {
	[0] = { TOO_MUCH },
	NEED(TIMESTAMP, .size = 24),
	NEED(SAMPLE, .size = 32, .count_at = 24, .each = 8),
	NEEDS_LOOK(MAP),
	NEEDS_LOOK(PROCESS),
	NEED(FORK, .size = 28),
	NEED(EXIT, .size = 24),
	NEEDS_LOOK(JITMAP),
	NEED(CTRDEF, .size = 32, .count_at = 24, .each = 128),
	NEED(CTRSET, .size = 32, .count_at = 24, .each = 96),
	NEED(MARK, .size = 97, .duration = UINT64_MAX),
	NEED(METADATA, .size = 65),
	NEED(LOG, .size = 65),
	NEED(FILE_CHUNK, .size = 284, .count_at = 26, .each = 1),
	NEED(ALLOCATION, .size = 48, .count_at = 44, .each = 8),
	NEEDS_LOOK(OVERLAY),
	NEED(TRACE, .size = 32, .count_at = 24, .each = 8),
	NEED(DBUS_MESSAGE, .size = 28, .count_at = 26, .each = 1),
	[SYSPROF_CAPTURE_FRAME_LAST... 255] = { TOO_MUCH },
};

/* All that is read of a frame before its length is known to be right. */
#define NEEDED ((size_t)48)

/* The window is larger than the nearest cache: tell the processor in time where
 * one will look next. */
#define PREFETCH 512

size_t sc_frames_check(const unsigned char *bytes, size_t size, size_t most,
                       int64_t *end_time)
{
	int64_t latest = *end_time;
	size_t at = 0;

	if (size < NEEDED)
		return 0;
	if (most > size - NEEDED)
		most = size - NEEDED;
	while (at <= most) {
		const unsigned char *const frame = bytes + at;
		const struct need *const need = &needs[frame[16]];
		uint16_t len, count;
		uint64_t time, until;

		__builtin_prefetch(frame + PREFETCH);
		__builtin_prefetch(frame + PREFETCH + 64);
		__builtin_prefetch(frame + PREFETCH + 128);
		memcpy(&len, frame, sizeof(len));
		memcpy(&count, frame + need->count_at, sizeof(count));
		memcpy(&time, frame + 8, sizeof(time));
		memcpy(&until, frame + 24, sizeof(until));
		if (need->size + (uint32_t)count * need->each > len ||
		    len % 8 != 0 || len > size - at)
			break;
		/* A sum that wraps is below time, which then counts */
		until = time + (until & need->duration);
		if ((int64_t)time > latest)
			latest = (int64_t)time;
		if ((int64_t)until > latest)
			latest = (int64_t)until;
		at += len;
	}
	*end_time = latest;
	return at;
}
