/* SPDX-License-Identifier: BSD-2-Clause */
/* tables.h - a step of a walk by the tables of .eh_frame. */
#ifndef SYC_STACK_TABLES_H
#define SYC_STACK_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/walk.h"

/** A step by the tables themselves.  Context: any-thread, signal-safe. */
enum syc_step syc_tables_step(struct syc_walk *walk);

/**
 * @pc is behind a call, in a function that has tables: something that words
 * on a stack rarely are by chance.  Context: any-thread, signal-safe.
 */
bool syc_tables_is_return(uintptr_t pc);

/** @pc is behind what may be a call.  Context: any-thread, signal-safe. */
bool syc_tables_follows_call(uintptr_t pc);

/** Begin of the function at @pc; 0: it is not in the tables.
 * Context: any-thread, signal-safe. */
uintptr_t syc_tables_function(uintptr_t pc);

/**
 * The rule for the current frame from its tables, never SYC_RULE_NONE; it is
 * in the cache then.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_tables_learn(struct syc_walk *walk);

#endif
