/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi.h - call frame information of a module, in .eh_frame: entries by pc,
 * unwind rules from an entry's instructions, and expressions.
 *
 * All tables are untrusted.  The cursor checks each offset that it reads, and
 * every loop has a limit.
 */
#ifndef SYC_UNWIND_CFI_H
#define SYC_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/machine.h"
#include "unwind/memory.h"

/*
 * Reader of tables, byte by byte.
 *
 * Parsers of tables never follow a pointer.  A parser has a cursor over
 * addresses, and a source provides the bytes at an address.  In a process the
 * source is a module, whose bytes are copied (memory.h), because another thread
 * may unmap the module.  In a test the source is an array with any addresses.
 *
 * Context of the reader: any-thread, signal-safe.
 */

struct syc_loaded_module;

#define SYC_BYTES_WINDOW 256u /* divides the page size */

struct syc_bytes {
	uintptr_t low, high; /* valid addresses */
	/* The fetched bytes: @n bytes from the address @start on, stored at
	 * @data */
	const unsigned char *data;
	uintptr_t start;
	size_t n;
	/*
	 * Function that fetches the bytes at @at, which is in [low, high).
	 * Returns false if the bytes can't be read.  The pointer is NULL if all
	 * bytes are already at data.
	 */
	bool (*fetch)(struct syc_bytes *bytes, uintptr_t at);
	const void *user; /* data for fetch() */
	struct syc_memory_pages pages;
	unsigned char window[SYC_BYTES_WINDOW];
};

/**
 * A position, @at, and the end of the range that may be read.  A read beyond
 * the end, or a failed read, returns zeroes and sets bad.
 */
struct syc_cursor {
	struct syc_bytes *bytes;
	uintptr_t at, end;
	bool bad;
};

/** Set @bytes to the @n bytes at @data, with addresses from @low on. */
void syc_bytes_init_array(struct syc_bytes *bytes, uintptr_t low,
                          const void *data, size_t n);

/** Set @bytes to the bytes of @module.  The bytes are read in place if the
 * module is never unmapped, and copied otherwise. */
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

/** Skip @n bytes, or set bad if fewer bytes are left. */
void syc_cursor_skip(struct syc_cursor *cursor, uint64_t n);

/**
 * Read a pointer with @encoding, of DW_EH_PE_*.  The pointer may be relative to
 * @data_base.  Sets bad for encodings that need memory or other bases.
 */
uintptr_t syc_cursor_pointer(struct syc_cursor *cursor, unsigned encoding,
                             uintptr_t data_base);

#define SYC_POINTER_OMIT 0xffu

/** A frame description entry, with its common entry. */
struct syc_fde {
	uintptr_t begin, end;           /* the code that the entry covers */
	uintptr_t common, common_end;   /* the common entry's instructions */
	uintptr_t program, program_end; /* the entry's own instructions */
	uintptr_t code_align;
	int64_t data_align;
	unsigned ra;      /* column of the return address */
	uint8_t encoding; /* encoding of pointers in the instructions */
	bool signal;      /* the frame returns to the instruction that a signal
	                   * interrupted */
};

/**
 * Find the entry for @pc, by the table of PT_GNU_EH_FRAME at @header.
 *
 * Returns 0, -ENOENT if the table has no entry for @pc, or -EINVAL if the table
 * is invalid.
 *
 * Context: signal-safe, any-thread.
 */
int syc_eh_frame_find(struct syc_bytes *bytes, uintptr_t header, uintptr_t pc,
                      struct syc_fde *ret_fde);

/**
 * Make an index of the running program's .eh_frame, for a program without
 * PT_GNU_EH_FRAME.  The program is loaded @bias above the addresses in its
 * file.  The function reads the file's section headers.  If the index exists,
 * or the file can't be opened, the function does nothing.  The finished index
 * is never changed.
 *
 * Context: any-thread.
 */
void syc_frame_index_make(uintptr_t bias);

/**
 * Like syc_eh_frame_find(), but search the index, and set @bytes to the
 * program's .eh_frame.  Returns -ENOENT if no index exists.
 *
 * Context: any-thread, signal-safe.
 */
int syc_frame_index_find(struct syc_bytes *bytes, uintptr_t pc,
                         struct syc_fde *ret_fde);

/*
 * A row has the unwind rules for one pc: the frame's fixed address (the CFA),
 * and the caller's registers relative to the CFA.
 */
enum syc_row_kind {
	SYC_ROW_SAME,      /* the caller's register has the same value */
	SYC_ROW_UNDEFINED, /* the register is unknown */
	SYC_ROW_AT,        /* the register is stored at CFA + value */
	SYC_ROW_IS,        /* the register is CFA + value */
	SYC_ROW_REGISTER,  /* the register is in this frame's register
	                    * `value` */
	SYC_ROW_AT_EXPR,   /* the register is stored at the result of the
	                    * expression at value */
	SYC_ROW_IS_EXPR    /* the result of the expression at value */
};

/** A kind and its value in one word, because rows are copied on small
 * stacks. */
struct syc_row_rule {
	int64_t word;
};

static inline struct syc_row_rule syc_row_rule(enum syc_row_kind kind,
                                               int64_t value)
{
	return (struct syc_row_rule){ (int64_t)((uint64_t)value << 3 |
		                                (unsigned)kind) };
}

static inline enum syc_row_kind syc_row_kind(struct syc_row_rule rule)
{
	return (enum syc_row_kind)(rule.word & 7);
}

static inline int64_t syc_row_value(struct syc_row_rule rule)
{
	return rule.word >> 3;
}

struct syc_row {
	/* The CFA: the expression at cfa_expr, or, if cfa_expr is 0, register
	 * cfa_reg + cfa_offset. */
	uintptr_t cfa_expr;
	int64_t cfa_offset;
	unsigned cfa_reg;
	struct syc_row_rule slots[SYC_ROW_SLOTS]; /* rules of registers from
	                                           * SYC_ROW_FIRST on */
};

static inline struct syc_row_rule syc_row_get(const struct syc_row *row,
                                              unsigned reg)
{
	const unsigned slot = reg - SYC_ROW_FIRST;

	return slot < SYC_ROW_SLOTS ? row->slots[slot]
	                            : syc_row_rule(SYC_ROW_SAME, 0);
}

/**
 * Run the instructions of @fde up to @pc.  Returns 0, or -EINVAL if the
 * instructions are invalid, too many, or nested too deeply.
 *
 * Context: signal-safe, any-thread.
 */
int syc_row_find(struct syc_bytes *bytes, const struct syc_fde *fde,
                 uintptr_t pc, struct syc_row *ret_row);

/** Environment of an expression. */
struct syc_expr_env {
	const struct syc_regs *regs;
	/* Load @size bytes (1, 2, 4, 8) of memory.  Returns false if the bytes
	 * can't be read.  The pointer is NULL if no memory can be read. */
	bool (*load)(void *user, uintptr_t at, unsigned size,
	             uintptr_t *ret_value);
	void *user;
	/* Output: registers that the expression uses, known or not */
	uint64_t used;
};

/**
 * Evaluate the expression at @at: a length and as many bytes.  The stack begins
 * with @first, unless @first is NULL.
 *
 * Returns 0, -EINVAL if the expression is invalid or does not end, -EFAULT if
 * it reads unreadable memory, or -ENODATA if a register is unknown.
 *
 * Context: signal-safe, any-thread.
 */
int syc_expr_eval(struct syc_bytes *bytes, uintptr_t at,
                  struct syc_expr_env *env, const uintptr_t *first,
                  uintptr_t *ret_value);

#endif
