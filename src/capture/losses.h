/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - sums of what was lost, and what of it has been told.
 *
 * What was lost after a thread's last loss record (base/loss_record.h) is in
 * its ring's header only.  The recorder sums up the records that it drained
 * and, when the ring ends, writes one for the remainder.  Pure; all numbers
 * come from the peer, and sums stop at the largest number.
 */
#ifndef SC_CAPTURE_LOSSES_H
#define SC_CAPTURE_LOSSES_H

#include "base/loss_record.h"
#include "ring/ring.h"

/** No loss record is longer. */
#define SC_LOSS_FRAME_MAX 1024u

/** *@sum += @more, or the largest number. */
void sc_losses_count_up(uint64_t *sum, uint64_t more);
/** The same for all that is counted. */
void sc_losses_add(struct sc_loss *sum, const struct sc_loss *more);

/** @all less what was @told.  False: nothing. */
bool sc_losses_less(const struct sc_loss *all, const struct sc_loss *told,
                    struct sc_loss *ret_rest);

/** What the ring says in all, less what was @told.  False: nothing. */
bool sc_losses_remainder(const struct sc_ring_losses *all,
                         const struct sc_loss *told, struct sc_loss *ret_rest);

/**
 * A loss record of @pid and the thread in @loss, at @frame, which has room for
 * SC_LOSS_FRAME_MAX bytes and is aligned to 8.  Returns its length.
 */
uint16_t sc_losses_compose(void *frame, const struct sc_loss *loss, int32_t pid,
                           int64_t from, int64_t to);

#endif
