/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - what a thread could not record, and what of it has been told.
 *
 * A thread that meets a full ring counts, and puts a loss record in front of
 * its next frame: a MARK, group "syscap", name "lost", whose message is
 * "frames=N bytes=N tid=N" and then "KIND=N" for each kind of frame.  What
 * was lost after the last record is in the ring's header only.  The recorder
 * sums up the records that it drained and, when the ring ends, writes one
 * for the remainder.  Pure; all numbers come from the peer and saturate.
 */
#ifndef SC_CAPTURE_LOSSES_H
#define SC_CAPTURE_LOSSES_H

#include <stdbool.h>

#include <syscap/format.h>

#include "ring/ring.h"

struct sc_loss {
	uint64_t frames[SC_LOSS_KINDS]; /* by frame type; 0: abandoned */
	uint64_t total;                 /* of all kinds */
	uint64_t bytes;
	int32_t tid; /* 0: not said */
};

/** False: @mark, a cleaned frame, is no loss record. */
bool sc_loss_parse(const struct syscap_wire_mark *mark,
                   struct sc_loss *ret_loss);

void sc_loss_add(struct sc_loss *sum, const struct sc_loss *more);

/** @all less what was @told.  False: nothing. */
bool sc_loss_less(const struct sc_loss *all, const struct sc_loss *told,
                  struct sc_loss *ret_rest);

/** What the ring says in all, less what was @told.  False: nothing. */
bool sc_loss_remainder(const struct sc_ring_losses *all,
                       const struct sc_loss *told, struct sc_loss *ret_rest);

/** The message of a loss record. */
void sc_loss_message(const struct sc_loss *loss, char *text, size_t size);

#endif
