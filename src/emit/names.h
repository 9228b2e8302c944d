/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - a table of names that only grows, and the addresses that stand
 * for them in stacks.
 *
 * Insert-only, open addressing.  A name's bytes are complete before one
 * compare-exchange puts it into its slot; the loser compares with the winner
 * and goes on.  No state says "wait", for the waiting one may be a handler on
 * top of the one that is waited for.
 *
 * There is one for all copies of the library that act as one, and one of this
 * copy for names that it was told before.
 */
#ifndef SYC_EMIT_NAMES_H
#define SYC_EMIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/table.h"

/** The table is there, and may be filled by a handler.  0 or -ENOMEM. */
int syc_names_prepare(void);

/** Any name was ever taken; false: no stack can hold one. */
bool syc_names_any(void);

/**
 * An address is one of this table's.  @ret_index: of its name, from 0; from
 * SYC_NAMES_MAX on those that this copy of the library has since before there
 * was anything to record into.
 */
bool syc_names_index(uint64_t address, uint32_t *ret_index);

/** The name at @index, with a NUL behind its @ret_len bytes. */
const char *syc_names_text(uint32_t index, size_t *ret_len);

/** How many had no room. */
uint32_t syc_names_lost(void);

#endif
