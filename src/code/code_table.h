/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_table.h - what machine code one process had where and when, by name.
 *
 * For code that no file has: what JIT compilers make.  They reuse addresses,
 * so a name is good for a time only.
 *
 *	syc_code_table_new(&table);
 *	syc_code_table_add(table, 1000, 0x7f0000, 64, "alpha", 5);
 *	syc_code_table_add(table, 5000, 0x7f0000, 64, "beta", 4);
 *	syc_code_table_settle(table);
 *	syc_code_table_find(table, 0x7f0010, 4999, &range);	alpha
 *	syc_code_table_find(table, 0x7f0010, 5000, &range);	beta
 *
 * Events may come in any order; those of one time happen in the order they
 * were told.  What was added last has its addresses from its time on; what
 * it leaves of others keeps its name.
 *
 * One thread at a time.  Context of all: offline.
 */
#ifndef SYC_CODE_CODE_TABLE_H
#define SYC_CODE_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The time of what was there from the beginning. */
#define SYC_CODE_ALWAYS INT64_MIN

/** Code ends here at most: above is the kernel, and what names addresses. */
#define SYC_CODE_ADDRESS_END (UINT64_C(1) << 63)

struct syc_code_table;

struct syc_code_range {
	uint64_t start, len;
	int64_t from, until; /* the time before until included */
	const char *name;    /* lives as long as the table */
};

int syc_code_table_new(struct syc_code_table **ret_table);
void syc_code_table_free(struct syc_code_table *table);

/**
 * 0; -EINVAL, a range that is empty or not in the address space, or a name
 * that is; -ENOSPC, more than 2^23 events or a GiB of names; -ENOMEM.
 */
int syc_code_table_add(struct syc_code_table *table, int64_t time,
                       uint64_t start, uint64_t len, const char *name,
                       size_t name_len);
/**
 * The same for what is told without its time: seen at @time for the first
 * time, it may have been there since @maybe_from.  It is taken to have been
 * where until @time nothing else was.
 */
int syc_code_table_add_late(struct syc_code_table *table, int64_t time,
                            int64_t maybe_from, uint64_t start, uint64_t len,
                            const char *name, size_t name_len);
/** All code in @from, @len; what is told of no code is no error. */
int syc_code_table_move(struct syc_code_table *table, int64_t time,
                        uint64_t from, uint64_t to, uint64_t len);
int syc_code_table_remove(struct syc_code_table *table, int64_t time,
                          uint64_t start, uint64_t len);

/** All is told for now; needed before a look.  0 or -ENOMEM. */
int syc_code_table_settle(struct syc_code_table *table);

/** How many events were told. */
size_t syc_code_table_events(const struct syc_code_table *table);

/** Whether the table is settled and any code ever was between these. */
bool syc_code_table_span(const struct syc_code_table *table, uint64_t *ret_low,
                         uint64_t *ret_last);

bool syc_code_table_find(const struct syc_code_table *table, uint64_t addr,
                         int64_t time, struct syc_code_range *ret_range);

#endif
