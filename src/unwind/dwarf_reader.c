/* SPDX-License-Identifier: BSD-2-Clause */
/* dwarf_reader.c - cursors over tables, and their bytes.  All functions are
 * signal-safe. */
#define _GNU_SOURCE
#include <string.h>

#include "unwind/cfi.h"
#include "unwind/memory.h"

#define LEB_MOST 10u /* maximum size of a padded LEB128 number, in bytes */

void syc_bytes_init_array(struct syc_bytes *bytes, uintptr_t low,
                          const void *data, size_t n)
{
	bytes->low = low;
	bytes->high = low + n;
	bytes->data = data;
	bytes->start = low;
	bytes->n = n;
	bytes->fetch = NULL;
	bytes->user = NULL;
}

static bool fetch_bytes(struct syc_bytes *bytes, uintptr_t at)
{
	const struct syc_loaded_module *const module = bytes->user;

	if (at >= module->stays && at < module->stays_end) {
		bytes->data = (const unsigned char *)module->stays;
		bytes->start = module->stays;
		bytes->n = module->stays_end - module->stays;
		return true;
	}
	/*
	 * A search reads in both directions, other reads only forward.  The
	 * window may exceed the valid addresses, because cursors check
	 * addresses.
	 */
	bytes->data = bytes->window;
	bytes->start = at & ~(uintptr_t)(SYC_BYTES_WINDOW - 1);
	bytes->n = syc_memory_copy_in_page(bytes->window, bytes->start,
	                                   SYC_BYTES_WINDOW, &bytes->pages);
	return bytes->n > 0;
}

void syc_bytes_init_module(struct syc_bytes *bytes,
                           const struct syc_loaded_module *module)
{
	bytes->low = module->low;
	bytes->high = module->high;
	bytes->data = bytes->window;
	bytes->start = module->low;
	bytes->n = 0;
	bytes->fetch = fetch_bytes;
	bytes->user = module;
	bytes->pages = (struct syc_memory_pages){ { 0 } };
}

void syc_cursor_init(struct syc_cursor *cursor, struct syc_bytes *bytes,
                     uintptr_t at, uintptr_t end)
{
	cursor->bytes = bytes;
	cursor->bad = at < bytes->low || at > bytes->high || end < at;
	cursor->at = cursor->bad ? bytes->high : at;
	cursor->end = end > bytes->high || cursor->bad ? bytes->high : end;
}

static unsigned fail_cursor(struct syc_cursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
	return 0;
}

unsigned syc_cursor_far(struct syc_cursor *cursor)
{
	struct syc_bytes *const bytes = cursor->bytes;

	if (cursor->at >= cursor->end || bytes->fetch == NULL ||
	    !bytes->fetch(bytes, cursor->at))
		return fail_cursor(cursor);
	const size_t i = cursor->at - bytes->start;

	if (i >= bytes->n)
		return fail_cursor(cursor);
	cursor->at++;
	return bytes->data[i];
}

uint64_t syc_cursor_fixed(struct syc_cursor *cursor, unsigned size)
{
	uint64_t value = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const struct syc_bytes *const bytes = cursor->bytes;
	const size_t at = cursor->at - bytes->start;

	if (size == 4 && cursor->end - cursor->at >= 4 && at < bytes->n &&
	    bytes->n - at >= 4) {
		uint32_t word;

		memcpy(&word, bytes->data + at, sizeof(word));
		cursor->at += 4;
		return word;
	}
#endif
	for (unsigned i = 0; i < size; i++)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		value |= (uint64_t)syc_cursor_u8(cursor) << (8 * i);
#else
		value = value << 8 | syc_cursor_u8(cursor);
#endif
	return value;
}

int64_t syc_cursor_fixed_signed(struct syc_cursor *cursor, unsigned size)
{
	const unsigned spare = 64 - 8 * size;

	return (int64_t)(syc_cursor_fixed(cursor, size) << spare) >> spare;
}

uint64_t syc_cursor_uleb(struct syc_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (unsigned i = 0; i < LEB_MOST; i++, shift += 7) {
		const unsigned byte = syc_cursor_u8(cursor);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return fail_cursor(cursor);
}

int64_t syc_cursor_sleb(struct syc_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (unsigned i = 0; i < LEB_MOST; i++) {
		const unsigned byte = syc_cursor_u8(cursor);

		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte < 0x80) {
			if (shift < 64 && (byte & 0x40) != 0)
				value |= ~UINT64_C(0) << shift;
			return (int64_t)value;
		}
	}
	return fail_cursor(cursor);
}

void syc_cursor_skip(struct syc_cursor *cursor, uint64_t n)
{
	if (n > cursor->end - cursor->at)
		fail_cursor(cursor);
	else
		cursor->at += (uintptr_t)n;
}

static uint64_t pointer_value(struct syc_cursor *cursor, unsigned form)
{
	switch (form) {
	case 0x00: /* absolute */
		return syc_cursor_fixed(cursor, sizeof(uintptr_t));
	case 0x04:
	case 0x0c:
		return syc_cursor_fixed(cursor, 8);
	case 0x01:
		return syc_cursor_uleb(cursor);
	case 0x02:
		return syc_cursor_fixed(cursor, 2);
	case 0x03:
		return syc_cursor_fixed(cursor, 4);
	case 0x09:
		return (uint64_t)syc_cursor_sleb(cursor);
	case 0x0a:
		return (uint64_t)syc_cursor_fixed_signed(cursor, 2);
	case 0x0b:
		return (uint64_t)syc_cursor_fixed_signed(cursor, 4);
	default:
		return fail_cursor(cursor);
	}
}

uintptr_t syc_cursor_pointer(struct syc_cursor *cursor, unsigned encoding,
                             uintptr_t data_base)
{
	uintptr_t base;

	if (encoding == 0x50) { /* absolute pointer, at the next multiple of
	                         * its size */
		syc_cursor_skip(cursor, -cursor->at & (sizeof(base) - 1));
		return (uintptr_t)syc_cursor_fixed(cursor, sizeof(base));
	}
	switch (encoding & 0xf0) {
	case 0x00:
		base = 0;
		break;
	case 0x10: /* pointer relative to its own position */
		base = cursor->at;
		break;
	case 0x30:
		base = data_base;
		break;
	default:
		return (uintptr_t)fail_cursor(cursor);
	}
	return base + (uintptr_t)pointer_value(cursor, encoding & 0x0f);
}
