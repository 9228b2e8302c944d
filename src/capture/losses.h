/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - sums of losses, and of reported losses.
 *
 * Losses after a thread's last loss record (base/loss_record.h) are only in the
 * header of its ring.  The recorder adds up the records that it drained. When
 * the ring ends, the recorder writes a record for the remainder.
 *
 * Pure; all numbers come from the peer, and sums saturate.
 */
#ifndef SYC_CAPTURE_LOSSES_H
#define SYC_CAPTURE_LOSSES_H

#include <syscap/capture.h>

#include "base/loss_record.h"
#include "ring/ring.h"

/** No loss record is longer. */
#define SYC_LOSS_FRAME_MAX 1024u

/** Read the loss record in @frame, which is decoded.  False: the record has no
 * losses. */
static inline bool syc_losses_read(const struct syscap_frame *frame,
                                   struct syc_loss *ret_loss)
{
	return frame->type == SYSCAP_FRAME_MARK &&
	       syc_loss_record_is(frame->mark.group, frame->mark.name) &&
	       syc_loss_record_parse(frame->mark.message, ret_loss);
}

/** *@sum += @more, or the largest number. */
void syc_losses_count_up(uint64_t *sum, uint64_t more);
/**
 * Add each field of @more to the same field of @sum, as syc_losses_count_up().
 */
void syc_losses_add(struct syc_loss *sum, const struct syc_loss *more);

/** Subtract @reported from @all.  False: nothing is left. */
bool syc_losses_less(const struct syc_loss *all,
                     const struct syc_loss *reported,
                     struct syc_loss *ret_rest);

/** Subtract @reported from the totals of the ring.  False: nothing is left. */
bool syc_losses_remainder(const struct syc_ring_losses *all,
                          const struct syc_loss *reported,
                          struct syc_loss *ret_rest);

/**
 * Compose a loss record of @pid and the thread in @loss, at @frame, which has
 * room for SYC_LOSS_FRAME_MAX bytes and is aligned to 8.  Returns its length.
 */
uint16_t syc_losses_compose(void *frame, const struct syc_loss *loss,
                            int32_t pid, int64_t from, int64_t to);

/*
 * Frames that a writer could not write, for the losses in the file's header.
 *
 * On a full disk there is no room for a loss record, but the header exists
 * already.  Readers synthesize the record: base/loss_record.h.
 */

/**
 * Count the frame at @frame, whose len is valid.  If the frame is a loss
 * record, count its losses instead.
 */
void syc_unwritten_count(struct syc_header_losses *losses, const void *frame);

#endif
