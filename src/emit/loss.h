/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss.h - count what could not be kept; what of it is untold.
 *
 * A loss is counted in three places: the thread's totals, the ring header
 * (so that the recorder can tell of losses that no record could tell, after
 * a kill), and the process' sum.  A loss record goes in front of the
 * thread's next surviving frame (loss_tell.h).
 *
 * Without a ring there is nobody to whom the thread's own totals would be of
 * use: such losses are stray, the process has them, and any thread that has a
 * ring tells them.
 */
#ifndef SYC_EMIT_LOSS_H
#define SYC_EMIT_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"

/** kind 0 of struct syc_ring_losses: emits begun and never finished. */
#define SYC_LOSS_ABANDONED 0

/** telling_at of a record that has no room yet. */
#define SYC_TELLING_NOWHERE UINT64_MAX

/** Count a lost frame of @ts.  Context: owner, signal-safe. */
void syc_loss_count(struct syc_state *ts, uint8_t type, uint32_t len,
                    int64_t time);

/** Count a lost frame of a thread that has no state, or no ring: a stray one.
 * Context: any-thread, signal-safe. */
void syc_loss_count_stray(uint8_t type, uint32_t len, int64_t time);

/** Add what @ts never reported to the process' stray losses.  Owner; or any
 * thread, as the process exits. */
void syc_loss_leave_behind(struct syc_state *ts);

/** Something is lost that no record tells.  owner. */
bool syc_loss_is_pending(const struct syc_state *ts);

/** The same of the thread's own totals alone.  As syc_loss_leave_behind(). */
bool syc_loss_is_own_pending(const struct syc_state *ts);

/** The same of stray losses alone.  Context: any-thread, signal-safe. */
bool syc_loss_is_stray_pending(void);

/**
 * Under a recorder: have the next event of whichever thread that has a ring
 * tell of stray losses, now or (not @at_once) if it is some time since the
 * last call.
 *
 * Context: any-thread, signal-safe.
 */
void syc_loss_call_for_teller(bool at_once);

/**
 * @frame, @len contiguous bytes, does not reach the capture.  If it is a loss
 * record, what it tells is added to @to: true.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_loss_take_back(const unsigned char *frame, uint32_t len, int64_t time,
                        struct syc_ring_losses *to);

/** These are stray losses, too, of which @n_frames were not counted anywhere
 * before.  Context: any-thread, signal-safe. */
void syc_loss_add_stray(const struct syc_ring_losses *more, uint64_t n_frames);

/** Write what @ts has told into its own ring's header, for the drainer.
 * owner. */
void syc_loss_mirror(const struct syc_state *ts);

/** Decide whether a record whose writer is gone was told.  owner. */
void syc_loss_resolve(struct syc_state *ts);

#endif
