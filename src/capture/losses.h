/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * losses.h - what a thread could not record, and what of it has been told.
 *
 * A thread that meets a full ring counts, and puts a loss record in front of
 * its next frame: a MARK of group "syscap" and name "lost", from the time of
 * the first lost frame to that of the last, with a message like
 *
 *	frames=12 bytes=1248 tid=4711 mark=10 ctrset=2
 *
 * What was lost after the last record is in the ring's header only.  The
 * recorder sums up the records that it drained and, when the ring ends, writes
 * one for the remainder.  Pure; all numbers come from the peer, and sums stop
 * at the largest number.
 */
#ifndef SC_CAPTURE_LOSSES_H
#define SC_CAPTURE_LOSSES_H

#include <stdbool.h>

#include <syscap/format.h>

#include "ring/ring.h"

struct sc_loss {
	uint64_t frames[SYSCAP_FRAME_LAST]; /* by type; 0: abandoned emits */
	uint64_t total;                     /* of all kinds */
	uint64_t bytes;
	int32_t tid; /* 0: not said */
};

/** No loss record is longer. */
#define SC_LOSS_FRAME_MAX 1024u

/** What a record calls the frames of @type; NULL: there are none of it. */
const char *sc_loss_kind_name(unsigned type);

/** Is a mark named as a loss record is?  Its message may still be wrong. */
bool sc_loss_is_record(const char *group, const char *name);

/** Read the message of a loss record; false when it is not one. */
bool sc_loss_parse(const char *message, struct sc_loss *ret_loss);

/** *@sum += @more, or the largest number. */
void sc_loss_count_up(uint64_t *sum, uint64_t more);
/** The same for all that is counted. */
void sc_loss_add(struct sc_loss *sum, const struct sc_loss *more);

/** @all less what was @told.  False: nothing. */
bool sc_loss_less(const struct sc_loss *all, const struct sc_loss *told,
                  struct sc_loss *ret_rest);

/** What the ring says in all, less what was @told.  False: nothing. */
bool sc_loss_remainder(const struct sc_ring_losses *all,
                       const struct sc_loss *told, struct sc_loss *ret_rest);

/**
 * A loss record of @pid and the thread in @loss, at @frame, which has room for
 * SC_LOSS_FRAME_MAX bytes and is aligned to 8.  Returns its length.
 */
uint16_t sc_loss_compose_record(void *frame, const struct sc_loss *loss,
                                int32_t pid, int64_t from, int64_t to);

#endif
