/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - the copies that act as one, and their own words.
 *
 * Off costs a copy one load, of a word of its own (syc_active); one that
 * publishes looks at another of its own (syc_drain_sleeping).  So whoever
 * changes the process' word stores it into each copy's.
 *
 *	who changes                     who enters
 *	STORE block->active  (A1)       STORE copy->active   (E1)
 *	LOAD  copy->active   (A2)       LOAD  block->active  (E2)
 *	STORE *copy->active             STORE *copy->active
 *	LOAD  block->active  (A3)       LOAD  block->active  (E3)
 *
 * All sequentially consistent.  Either A2 sees the copy or E2 the new value;
 * and nobody is done while what it stored last is not what the block says
 * (A3, E3), so that the last store is of the newest value.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_COPIES_COPIES_H
#define SYC_COPIES_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct syc_block;

/** What syc_active is until this copy has looked whether something is recorded:
 * events before its constructor come to syc_thread_first(). */
#define SYC_NOT_LOOKED (-2)

/** What it is where that is left open (emit/left_open.h). */
#define SYC_LEFT_OPEN (-1)

/** This copy's words. */
extern int syc_active __attribute__((visibility("hidden")));
extern uint32_t syc_drain_sleeping __attribute__((visibility("hidden")));

/**
 * Enter a copy, and let it have the present value: entered before, it only
 * gets that.  False: there are SYC_COPIES_MAX.
 */
bool syc_copies_enter(struct syc_block *block, int32_t *active,
                      uint32_t *sleeping);

/** The epoch, or 0. */
void syc_copies_set_active(int32_t active);

/** The same if it is @from.  False: it is not. */
bool syc_copies_change_active(int32_t from, int32_t to);

/** The drain thread falls asleep (1), or is awake. */
void syc_copies_set_sleeping(uint32_t sleeping);

/** This copy's destructors run.  True: those of all others have. */
bool syc_copies_end(void);

/** How many act as one with this, this one too. */
uint32_t syc_copies_count(void);

#endif
