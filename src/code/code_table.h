/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_table.h - names of one process' JIT code by address and time.
 *
 * JIT compilers reuse addresses, so a name is valid only for some time.
 *
 *	syc_code_table_new(&table);
 *	syc_code_table_add(table, 1000, 0x7f0000, 64, "alpha", 5);
 *	syc_code_table_add(table, 5000, 0x7f0000, 64, "beta", 4);
 *	syc_code_table_settle(table);
 *	syc_code_table_find(table, 0x7f0010, 4999, &range);	alpha
 *	syc_code_table_find(table, 0x7f0010, 5000, &range);	beta
 *
 * The caller adds events in any order.  Events with equal times take effect in
 * the order of their addition.  New code replaces older code at its addresses.
 * The rest of the older code keeps its name.
 *
 * Only one thread at a time uses a table.  Context of all functions: offline.
 */
#ifndef SYC_CODE_CODE_TABLE_H
#define SYC_CODE_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/containers.h"

/** Greatest length of a kept name, as in stacks of runtimes. */
#define SYC_CODE_NAME_MAX 4095u

/**
 * Copy the name in @len bytes at @from, up to a NUL, to @to, which has space
 * for SYC_CODE_NAME_MAX + 1 bytes.  The input is untrusted.  A long name is cut
 * between characters, invalid UTF-8 becomes U+FFFD, control characters become
 * spaces, and spaces at the ends are removed.  Returns the length of the text,
 * without its NUL.
 *
 * Context: offline.
 */
size_t syc_code_text_clean(char *to, const char *from, size_t len);

/** Time of code that existed from the start. */
#define SYC_CODE_ALWAYS INT64_MIN

/** End of user code.  The kernel's addresses and encoded names are above. */
#define SYC_CODE_ADDRESS_END (UINT64_C(1) << 63)
struct syc_code_table;

struct syc_code_range {
	uint64_t start, len;
	int64_t from, until; /* until is exclusive */
	const char *name;    /* valid as long as the table */
};

int syc_code_table_new(struct syc_code_table **ret_table);

void syc_code_table_free(struct syc_code_table *table);

/**
 * Add code.  Returns 0 or -ENOMEM, -EINVAL for an empty name or an invalid
 * range, or -ENOSPC for more than 2^23 events or a GiB of names.
 */
int syc_code_table_add(struct syc_code_table *table, int64_t time,
                       uint64_t start, uint64_t len, const char *name,
                       size_t name_len);

/**
 * Add code without a time.  The caller noticed the code at @time, but the code
 * may have existed since @maybe_from.  Before @time the code is valid at
 * addresses without other code.
 */
int syc_code_table_add_late(struct syc_code_table *table, int64_t time,
                            int64_t maybe_from, uint64_t start, uint64_t len,
                            const char *name, size_t name_len);

/** Move or remove all code in the range.  A range without code is not an
 * error. */
int syc_code_table_move(struct syc_code_table *table, int64_t time,
                        uint64_t from, uint64_t to, uint64_t len);

int syc_code_table_remove(struct syc_code_table *table, int64_t time,
                          uint64_t start, uint64_t len);

/** Make the added events searchable.  Returns 0 or -ENOMEM. */
int syc_code_table_settle(struct syc_code_table *table);

/** Return the number of events. */
size_t syc_code_table_events(const struct syc_code_table *table);

/** Store the bounds of all code.  Returns false if the table is not settled, or
 * empty. */
bool syc_code_table_span(const struct syc_code_table *table, uint64_t *ret_low,
                         uint64_t *ret_last);

bool syc_code_table_find(const struct syc_code_table *table, uint64_t addr,
                         int64_t time, struct syc_code_range *ret_range);

/*
 * Current pieces of code by address, and a search index by address and time.
 *
 * struct syc_code_live has the current pieces of code, which never overlap.
 * A piece that ends becomes a rectangle of addresses and time.  So the
 * rectangles do not overlap either.  struct syc_code_index finds a rectangle.
 */

/** Whole range to which a piece belongs. */
struct syc_code_origin {
	uint64_t start, len;
	/* The code may have existed, unnoticed, since maybe_from, unless
	 * maybe_from is INT64_MAX. */
	int64_t maybe_from;
	uint32_t name;
};

/** Addresses and times of a piece, with @last, but without @until. */
struct syc_code_rect {
	uint64_t low, last;
	int64_t from, until;
	uint32_t origin;
};

struct syc_code_piece; /* a current piece */

struct syc_code_part; /* a piece that is being moved */

/** The current pieces.  A zero-initialized struct is empty. */
struct syc_code_live {
	/* The treap; index 0 is not a piece. */
	SYC_ARRAY(struct syc_code_piece) pieces;
	uint32_t root, unused;
	uint64_t random;
	int64_t now;
	SYC_ARRAY(struct syc_code_part) parts;
	/* The result.  The caller owns both arrays. */
	SYC_ARRAY(struct syc_code_origin) origins;
	SYC_ARRAY(struct syc_code_rect) rects;
	size_t most_rects; /* limit, beyond which results of moves are
	                    * omitted */
};

/*
 * Times must not decrease.  Ranges are not empty, and end at 2^63 at most.  The
 * functions return 0 or -ENOMEM.  After -ENOMEM, the caller may only call
 * syc_code_live_fini().  Context of all functions: offline.
 */
int syc_code_live_add(struct syc_code_live *live, int64_t time,
                      const struct syc_code_origin *origin);

int syc_code_live_remove(struct syc_code_live *live, int64_t time,
                         uint64_t start, uint64_t len);

int syc_code_live_move(struct syc_code_live *live, int64_t time, uint64_t from,
                       uint64_t to, uint64_t len);

/** End the recording of pieces, so that the current pieces have no end. */
int syc_code_live_end(struct syc_code_live *live);

/** Free all memory except the result. */
void syc_code_live_fini(struct syc_code_live *live);

/**
 * A segment tree over all addresses at which a rectangle begins or ends.  Each
 * rectangle is in the few nodes that make up its addresses.  The rectangles of
 * one node share all addresses of the node, so these rectangles follow each
 * other in time.  A search takes O(log^2 n).  The nodes hold at most O(n log n)
 * items, and about n if few rectangles overlap in addresses.
 */
struct syc_code_index {
	uint64_t *bounds; /* sorted addresses; bounds[i] is the start of leaf
	                   * i */
	size_t n_leaves;
	uint32_t *heads; /* node i has items[heads[i]] to items[heads[i + 1] -
	                  * 1] */
	uint32_t *items; /* numbers of rectangles */
};

/** Build an index of @rects, which are sorted by from.  Returns 0 or
 * -ENOMEM. */
int syc_code_index_build(struct syc_code_index *index,
                         const struct syc_code_rect *rects, size_t n);

void syc_code_index_fini(struct syc_code_index *index);

/** Return the rectangle that contains @addr and @time, or NULL. */
const struct syc_code_rect *
syc_code_index_find(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

/** Return the first rectangle that contains @addr and begins after @time, or
 * NULL. */
const struct syc_code_rect *
syc_code_index_next(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

#endif
