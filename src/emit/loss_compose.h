/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_compose.h - loss records, composed of totals. */
#ifndef SYC_EMIT_LOSS_COMPOSE_H
#define SYC_EMIT_LOSS_COMPOSE_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

#include "ring/ring.h"

/** The message of a record: what some totals have more than others. */
struct syc_loss_text {
	uint64_t n_lost; /* frames that it tells of */
	size_t n;
	char text[SYC_LOSS_RECORD_MAX - sizeof(struct syscap_wire_mark)];
};

/** Context of these: signal-safe. */

/** What @now has more than @told. */
void syc_loss_compose_text(struct syc_loss_text *message,
                           const struct syc_ring_losses *now,
                           const struct syc_ring_losses *told, int32_t tid);

/** Give losses a range that were counted after a record had taken theirs. */
void syc_loss_compose_range(struct syc_ring_losses *lost);

/** Fill in what is behind the head of a frame of @len bytes. */
void syc_loss_compose_fill(unsigned char *frame, uint32_t len,
                           const struct syc_ring_losses *lost,
                           const struct syc_loss_text *message);

/**
 * What @lost has more than @told as a loss record of @tid (0: of no thread),
 * at @frame, SYC_LOSS_RECORD_MAX bytes.  Returns its length; 0: nothing.
 *
 * Context: drainer.
 */
uint32_t syc_loss_compose(unsigned char *frame,
                          const struct syc_ring_losses *lost,
                          const struct syc_ring_losses *told, int32_t pid,
                          int32_t tid);

/** The same for what no thread of the process has told.  It is told now.
 * Waits for a thread that tells at this moment, not for long.
 * Context: any-thread. */
uint32_t syc_loss_compose_last(unsigned char *frame, int32_t pid);

#endif
