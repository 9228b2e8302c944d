/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_timer.h - the calling thread's timer: of a thread that looks at no other.
 *
 * Called by whoever holds the round.  Signal-safe.
 */
#ifndef SYC_SAMPLE_OWN_TIMER_H
#define SYC_SAMPLE_OWN_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A timer for the calling thread, which is the only one; in a forked child none
 * of its ticks comes within 10 ms.  0 or -errno.
 */
int syc_own_timer_begin_alone(bool is_child);

/** A child's first tick came: the calling thread gets the clock it is to
 * have.  Where syc_sampler->is_new_child. */
void syc_own_timer_settle(void);

/** The calling thread has begun, with these signals @blocked: a timer for it. */
void syc_own_timer_begin(uint64_t blocked);

/** The same, and it is to have no ticks: its stack is too small. */
void syc_own_timer_begin_cramped(uint64_t blocked);

/** The calling thread now has an alternate stack with too little room, or no
 * longer has one like that. */
void syc_own_timer_note_room(bool is_cramped);

/** The calling thread is about to block fewer signals.  A look (scan.h) may have
 * taken its timer away while it waited with ours blocked: it gets one again. */
void syc_own_timer_resume(void);

/** The calling thread ends with these signals @blocked, and its timer with it. */
void syc_own_timer_end(uint64_t blocked);

#endif
