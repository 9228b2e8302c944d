/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - sums of what was lost, and what of it has been told.
 *
 * What was lost after a thread's last loss record (base/loss_record.h) is in
 * its ring's header only.  The recorder sums up the records that it drained
 * and, when the ring ends, writes one for the remainder.  Pure; all numbers
 * come from the peer, and sums stop at the largest number.
 */
#ifndef SYC_CAPTURE_LOSSES_H
#define SYC_CAPTURE_LOSSES_H

#include "base/loss_record.h"
#include "ring/ring.h"

/** No loss record is longer. */
#define SYC_LOSS_FRAME_MAX 1024u

/** *@sum += @more, or the largest number. */
void syc_losses_count_up(uint64_t *sum, uint64_t more);
/** The same for all that is counted. */
void syc_losses_add(struct syc_loss *sum, const struct syc_loss *more);

/** @all less what was @told.  False: nothing. */
bool syc_losses_less(const struct syc_loss *all, const struct syc_loss *told,
                     struct syc_loss *ret_rest);

/** What the ring says in all, less what was @told.  False: nothing. */
bool syc_losses_remainder(const struct syc_ring_losses *all,
                          const struct syc_loss *told,
                          struct syc_loss *ret_rest);

/**
 * A loss record of @pid and the thread in @loss, at @frame, which has room for
 * SYC_LOSS_FRAME_MAX bytes and is aligned to 8.  Returns its length.
 */
uint16_t syc_losses_compose(void *frame, const struct syc_loss *loss,
                            int32_t pid, int64_t from, int64_t to);

#endif
