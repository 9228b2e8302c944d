/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - sums of losses, and of reported losses.
 *
 * Losses after a thread's last loss record (base/loss_record.h) are only in the
 * header of its ring.  The recorder adds up the drained records.  At the ring's
 * end, the recorder writes a record for the remainder.
 *
 * The functions have no side effects.  All numbers come from the peer, so sums
 * saturate.
 */
#ifndef SYC_CAPTURE_LOSSES_H
#define SYC_CAPTURE_LOSSES_H

#include <syscap/capture.h>

#include "base/loss_record.h"
#include "ring/ring.h"

/** Greatest length of a loss record. */
#define SYC_LOSS_FRAME_MAX 1024u

/** Read the loss record in the decoded @frame.  Returns false if the record has
 * no losses. */
static inline bool syc_losses_read(const struct syscap_frame *frame,
                                   struct syc_loss *ret_loss)
{
	return frame->type == SYSCAP_FRAME_MARK &&
	       syc_loss_record_is(frame->mark.group, frame->mark.name) &&
	       syc_loss_record_parse(frame->mark.message, ret_loss);
}

/** Add @more to *@sum, up to the largest number. */
void syc_losses_count_up(uint64_t *sum, uint64_t more);
/**
 * Add each field of @more to the same field of @sum, as syc_losses_count_up().
 */
void syc_losses_add(struct syc_loss *sum, const struct syc_loss *more);

/** Subtract @reported from @all.  Returns false if no losses are left. */
bool syc_losses_less(const struct syc_loss *all,
                     const struct syc_loss *reported,
                     struct syc_loss *ret_rest);

/** Subtract @reported from the totals of the ring.  Returns false if no losses
 * are left. */
bool syc_losses_remainder(const struct syc_ring_losses *all,
                          const struct syc_loss *reported,
                          struct syc_loss *ret_rest);

/**
 * Compose a loss record of @pid and the thread in @loss, at @frame, which is
 * aligned to 8 and has space for SYC_LOSS_FRAME_MAX bytes.  Returns the
 * record's length.
 */
uint16_t syc_losses_compose(void *frame, const struct syc_loss *loss,
                            int32_t pid, int64_t from, int64_t to);

/*
 * Frames that a writer could not write, for the losses in the file's header.
 *
 * A full disk has no space for a loss record, but the header exists already.
 * Readers make the record from the header (base/loss_record.h).
 */

/**
 * Count the frame at @frame, whose len is valid.  If the frame is a loss
 * record, count its losses instead.
 */
void syc_unwritten_count(struct syc_header_losses *losses, const void *frame);

#endif
