/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf_reader.h - reader of tables, byte by byte.
 *
 * Parsers of tables never follow a pointer.  A parser has a cursor over
 * addresses, and a source provides the bytes at an address.  In a process the
 * source is a module.  In a test the source is an array with any addresses.
 * The module may be unmapped during the parse, so its bytes are copied
 * (memory.h).
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_UNWIND_DWARF_READER_H
#define SYC_UNWIND_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_loaded_module;

#define SYC_BYTES_WINDOW 256u

struct syc_bytes {
	uintptr_t low, high; /* valid addresses */
	/* The fetched bytes: @n bytes from the address @start on, stored at
	 * @data */
	const unsigned char *data;
	uintptr_t start;
	size_t n;
	/*
	 * Function that fetches the bytes at @at, which is in [low, high).
	 * False: the bytes can't be read.  NULL: all bytes are already at data.
	 */
	bool (*fetch)(struct syc_bytes *bytes, uintptr_t at);
	const void *user; /* data for fetch() */
	unsigned char window[SYC_BYTES_WINDOW];
};

/**
 * A position in [at, end).  A read beyond the end, or a failed read, returns
 * zeroes and sets bad.
 */
struct syc_cursor {
	struct syc_bytes *bytes;
	uintptr_t at, end;
	bool bad;
};

/** Set @bytes to the @n bytes at @data, with addresses from @low on. */
void syc_bytes_init_array(struct syc_bytes *bytes, uintptr_t low,
                          const void *data, size_t n);

/** Set @bytes to the bytes of @module, which are read in place if the module is
 * never unmapped, or copied. */
void syc_bytes_init_module(struct syc_bytes *bytes,
                           const struct syc_loaded_module *module);

/** Set the cursor to the valid addresses from @at to @end. */
void syc_cursor_init(struct syc_cursor *cursor, struct syc_bytes *bytes,
                     uintptr_t at, uintptr_t end);

/** Like syc_cursor_u8(), for a byte that is not yet fetched. */
unsigned syc_cursor_far(struct syc_cursor *cursor);

static inline unsigned syc_cursor_u8(struct syc_cursor *cursor)
{
	const struct syc_bytes *const bytes = cursor->bytes;
	const size_t i = cursor->at - bytes->start;

	if (__builtin_expect(cursor->at < cursor->end && i < bytes->n, 1)) {
		cursor->at++;
		return bytes->data[i];
	}
	return syc_cursor_far(cursor);
}

/** Read a number of @size bytes, 1 to 8. */
uint64_t syc_cursor_fixed(struct syc_cursor *cursor, unsigned size);
int64_t syc_cursor_fixed_signed(struct syc_cursor *cursor, unsigned size);

uint64_t syc_cursor_uleb(struct syc_cursor *cursor);
int64_t syc_cursor_sleb(struct syc_cursor *cursor);

/** Skip @n bytes; sets bad if fewer bytes are left. */
void syc_cursor_skip(struct syc_cursor *cursor, uint64_t n);

/**
 * Read a pointer with @encoding, of DW_EH_PE_*.  The pointer may be relative to
 * @data_base.  Sets bad for encodings that need memory or other bases.
 */
uintptr_t syc_cursor_pointer(struct syc_cursor *cursor, unsigned encoding,
                             uintptr_t data_base);

#define SYC_POINTER_OMIT 0xffu

#endif
