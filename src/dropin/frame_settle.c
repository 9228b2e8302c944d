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
	bool is_foreign;
	bool settle;
};

static uint16_t get_16(const struct bytes *b, size_t at)
{
	uint16_t n;

	memcpy(&n, b->at + at, sizeof(n));
	return b->is_foreign ? bswap_16(n) : n;
}

static uint32_t get_32(const struct bytes *b, size_t at)
{
	uint32_t n;

	memcpy(&n, b->at + at, sizeof(n));
	return b->is_foreign ? bswap_32(n) : n;
}

static void turn(const struct bytes *b, size_t at, unsigned size)
{
	unsigned char *const p = b->at + at;

	if (!b->is_foreign || !b->settle)
		return;
	for (unsigned i = 0; i < size / 2; i++) {
		const unsigned char other = p[size - 1 - i];

		p[size - 1 - i] = p[i];
		p[i] = other;
	}
}

static void turn_words(const struct bytes *b, size_t at, size_t n)
{
	if (!b->is_foreign || !b->settle)
		return;
	for (size_t i = 0; i < n; i++)
		turn(b, at + 8 * i, 8);
}

/* A field whose last byte may not be a NUL. */
static void end_text(const struct bytes *b, size_t at)
{
	if (b->settle)
		b->at[at] = '\0';
}

/*
 * 16 bits that the other order fills from the other end: bit 0 of one is bit
 * 15 of the other.  @n_bits of them are one number, the rest another.
 */
static void turn_bits(const struct bytes *b, size_t at, unsigned n_bits)
{
	if (!b->is_foreign || !b->settle)
		return;
	const uint16_t n = get_16(b, at);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint16_t host =
		(uint16_t)(n >> (16 - n_bits) | (unsigned)n << n_bits);
#else
	const uint16_t host =
		(uint16_t)((unsigned)n << (16 - n_bits) | n >> n_bits);
#endif
	memcpy(b->at + at, &host, sizeof(host));
}

static const char *settle_stack(const struct bytes *b)
{
	if (b->len < 32)
		return "a stack is too short for its frame";
	if (get_16(b, 24) > (b->len - 32) / 8)
		return "a stack has more addresses than its frame";
	turn_words(b, 32, get_16(b, 24));
	turn(b, 24, 2);
	turn_bits(b, 26, 1);
	turn(b, 28, 4);
	return NULL;
}

static const char *settle_map(const struct bytes *b)
{
	if (b->len < 57 || b->at[b->len - 1] != '\0')
		return "a map's file name has no end";
	turn_words(b, 24, 4);
	return NULL;
}

static const char *settle_process(const struct bytes *b)
{
	if (b->len < 25 || b->at[b->len - 1] != '\0')
		return "a command line has no end";
	return NULL;
}

static const char *settle_fork(const struct bytes *b)
{
	if (b->len < 28)
		return "a fork is too short";
	turn(b, 24, 4);
	return NULL;
}

static const char *settle_jitmap(const struct bytes *b)
{
	size_t at = 28;

	if (b->len < 28)
		return "a table of names is too short";
	for (uint32_t n = get_32(b, 24); n != 0; n--) {
		if (b->len - at < 9)
			return "a table has more names than its frame";
		const unsigned char *const end =
			memchr(b->at + at + 8, '\0', b->len - at - 8);
		if (end == NULL)
			return "a name has no end";
		turn(b, at, 8);
		at = (size_t)(end - b->at) + 1;
	}
	turn(b, 24, 4);
	return NULL;
}

static void settle_counter(const struct bytes *b, size_t at)
{
	end_text(b, at + 31);
	end_text(b, at + 63);
	end_text(b, at + 115);
	if (b->is_foreign && b->settle) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		const uint32_t n = get_32(b, at + 116);
		const uint32_t host = n >> 8 | n << 24;
#else
		const uint32_t n = get_32(b, at + 116);
		const uint32_t host = n << 8 | n >> 24;
#endif
		memcpy(b->at + at + 116, &host, sizeof(host));
	}
	turn(b, at + 120, 8);
}

static const char *settle_ctrdef(const struct bytes *b)
{
	if (b->len < 32)
		return "definitions of counters are too short";
	const unsigned n = get_16(b, 24);
	if (n > (b->len - 32) / 128)
		return "more counters are defined than the frame has";
	for (unsigned i = 0; i < n && b->settle; i++)
		settle_counter(b, 32 + 128 * (size_t)i);
	turn(b, 24, 2);
	return NULL;
}

static const char *settle_ctrset(const struct bytes *b)
{
	if (b->len < 32)
		return "values of counters are too short";
	const unsigned n = get_16(b, 24);
	if (n > (b->len - 32) / 96)
		return "more counters are set than the frame has";
	for (unsigned i = 0; i < n && b->settle && b->is_foreign; i++) {
		const size_t at = 32 + 96 * (size_t)i;

		for (unsigned k = 0; k < 8; k++)
			turn(b, at + 4 * (size_t)k, 4);
		turn_words(b, at + 32, 8);
	}
	turn(b, 24, 2);
	return NULL;
}

static const char *settle_mark(const struct bytes *b)
{
	if (b->len < 97)
		return "a mark is too short";
	turn(b, 24, 8);
	end_text(b, 55);
	end_text(b, 95);
	end_text(b, b->len - 1);
	return NULL;
}

static const char *settle_metadata(const struct bytes *b)
{
	if (b->len < 65)
		return "metadata is too short";
	end_text(b, 63);
	end_text(b, b->len - 1);
	return NULL;
}

static const char *settle_log(const struct bytes *b)
{
	if (b->len < 65)
		return "a log is too short";
	turn(b, 24, 2);
	end_text(b, 63);
	end_text(b, b->len - 1);
	return NULL;
}

static const char *settle_file(const struct bytes *b)
{
	if (b->len < 284)
		return "a part of a file is too short";
	if (get_16(b, 26) > b->len - 284)
		return "a part of a file is longer than its frame";
	turn_bits(b, 24, 1);
	turn(b, 26, 2);
	end_text(b, 283);
	return NULL;
}

static const char *settle_allocation(const struct bytes *b)
{
	if (b->len < 48)
		return "an allocation is too short";
	if (get_16(b, 44) > (b->len - 48) / 8)
		return "an allocation has more addresses than its frame";
	turn_words(b, 48, get_16(b, 44));
	turn_words(b, 24, 2);
	turn(b, 40, 4);
	turn(b, 44, 2);
	return NULL;
}

static const char *settle_overlay(const struct bytes *b)
{
	if (b->len < 34)
		return "an overlay is too short";
	const size_t src = get_16(b, 28), dst = get_16(b, 30);
	if (src + dst > b->len - 34)
		return "an overlay's paths are longer than its frame";
	end_text(b, 32 + src);
	end_text(b, 32 + src + 1 + dst);
	turn(b, 28, 2);
	turn(b, 30, 2);
	return NULL;
}

static const char *settle_dbus(const struct bytes *b)
{
	if (b->len < 28 || get_16(b, 26) > b->len - 28)
		return "a message is longer than its frame";
	turn_bits(b, 24, 2);
	turn(b, 26, 2);
	return NULL;
}

static const char *settle_timestamp(const struct bytes *b)
{
	/* The place of an index, which is none any more in the host's order */
	if (b->len >= 32 && get_32(b, 20) == SYSPROF_CAPTURE_FRAME_INDEX_MAGIC)
		turn(b, 24, 8);
	return NULL;
}

static const char *settle_empty(const struct bytes *b)
{
	(void)b;
	return NULL;
}

static const char *(*const by_type[])(const struct bytes *) = {
	[SYSPROF_CAPTURE_FRAME_TIMESTAMP] = settle_timestamp,
	[SYSPROF_CAPTURE_FRAME_SAMPLE] = settle_stack,
	[SYSPROF_CAPTURE_FRAME_MAP] = settle_map,
	[SYSPROF_CAPTURE_FRAME_PROCESS] = settle_process,
	[SYSPROF_CAPTURE_FRAME_FORK] = settle_fork,
	[SYSPROF_CAPTURE_FRAME_EXIT] = settle_empty,
	[SYSPROF_CAPTURE_FRAME_JITMAP] = settle_jitmap,
	[SYSPROF_CAPTURE_FRAME_CTRDEF] = settle_ctrdef,
	[SYSPROF_CAPTURE_FRAME_CTRSET] = settle_ctrset,
	[SYSPROF_CAPTURE_FRAME_MARK] = settle_mark,
	[SYSPROF_CAPTURE_FRAME_METADATA] = settle_metadata,
	[SYSPROF_CAPTURE_FRAME_LOG] = settle_log,
	[SYSPROF_CAPTURE_FRAME_FILE_CHUNK] = settle_file,
	[SYSPROF_CAPTURE_FRAME_ALLOCATION] = settle_allocation,
	[SYSPROF_CAPTURE_FRAME_OVERLAY] = settle_overlay,
	[SYSPROF_CAPTURE_FRAME_TRACE] = settle_stack,
	[SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE] = settle_dbus,
};

const char *sc_frame_settle(unsigned char *frame, size_t len, bool is_foreign,
                            bool settle)
{
	const struct bytes b = { .at = frame,
		                 .len = len,
		                 .is_foreign = is_foreign,
		                 .settle = settle };
	const unsigned type = frame[16];
	const char *why = NULL;

	if (type < sizeof(by_type) / sizeof(by_type[0]) &&
	    by_type[type] != NULL)
		why = by_type[type](&b);
	if (why == NULL) {
		turn(&b, 0, 2);
		turn(&b, 2, 2);
		turn(&b, 4, 4);
		turn(&b, 8, 8);
		turn(&b, 20, 4);
	}
	return why;
}
