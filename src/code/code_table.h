/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_table.h - JIT code of one process: names by address and time.
 *
 * JIT compilers reuse addresses, so a name is valid for a time only.
 *
 *	syc_code_table_new(&table);
 *	syc_code_table_add(table, 1000, 0x7f0000, 64, "alpha", 5);
 *	syc_code_table_add(table, 5000, 0x7f0000, 64, "beta", 4);
 *	syc_code_table_settle(table);
 *	syc_code_table_find(table, 0x7f0010, 4999, &range);	alpha
 *	syc_code_table_find(table, 0x7f0010, 5000, &range);	beta
 *
 * Events may be added in any order; those with equal times take effect in the
 * order of their addition.  New code replaces older code at its addresses; the
 * rest of the older code keeps its name.
 *
 * One thread at a time.  Context of all: offline.
 */
#ifndef SYC_CODE_CODE_TABLE_H
#define SYC_CODE_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest name that is kept, as in stacks of runtimes. */
#define SYC_CODE_NAME_MAX 4095u

/**
 * Copy the name in @len bytes at @from, up to a NUL, to @to, which has space
 * for SYC_CODE_NAME_MAX + 1 bytes.  The input is untrusted.  A long name is cut
 * between characters, invalid UTF-8 becomes U+FFFD, control characters become
 * spaces, and spaces at the ends are removed.  Returns the length; a NUL
 * follows.
 *
 * Context: offline.
 */
size_t syc_code_text_clean(char *to, const char *from, size_t len);

/** The time of code that existed from the beginning. */
#define SYC_CODE_ALWAYS INT64_MIN

/** The end of user code: the kernel and encoded names are above. */
#define SYC_CODE_ADDRESS_END (UINT64_C(1) << 63)
struct syc_code_table;

struct syc_code_range {
	uint64_t start, len;
	int64_t from, until; /* until is exclusive */
	const char *name;    /* lives as long as the table */
};

int syc_code_table_new(struct syc_code_table **ret_table);

void syc_code_table_free(struct syc_code_table *table);

/**
 * Returns 0; -EINVAL: an empty name, or a range that is empty or out of bounds;
 * -ENOSPC: more than 2^23 events or a GiB of names; -ENOMEM.
 */
int syc_code_table_add(struct syc_code_table *table, int64_t time,
                       uint64_t start, uint64_t len, const char *name,
                       size_t name_len);

/**
 * The same for code without a time.  It was noticed at @time, and may have
 * existed since @maybe_from.  Before @time it is valid at addresses with no
 * other code.
 */
int syc_code_table_add_late(struct syc_code_table *table, int64_t time,
                            int64_t maybe_from, uint64_t start, uint64_t len,
                            const char *name, size_t name_len);

/** Move or remove all code in the range.  A range without code is no error. */
int syc_code_table_move(struct syc_code_table *table, int64_t time,
                        uint64_t from, uint64_t to, uint64_t len);

int syc_code_table_remove(struct syc_code_table *table, int64_t time,
                          uint64_t start, uint64_t len);

/** Make the events so far searchable.  0 or -ENOMEM. */
int syc_code_table_settle(struct syc_code_table *table);

/** The number of events. */
size_t syc_code_table_events(const struct syc_code_table *table);

/** The bounds of all code.  False: the table is not settled, or empty. */
bool syc_code_table_span(const struct syc_code_table *table, uint64_t *ret_low,
                         uint64_t *ret_last);

bool syc_code_table_find(const struct syc_code_table *table, uint64_t addr,
                         int64_t time, struct syc_code_range *ret_range);

#endif
