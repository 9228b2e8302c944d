/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_totals.h - totals of what was lost, added to and moved.
 *
 * syscap_get_stats() and the recorder read them: relaxed, each number stands
 * for itself.  A thread's own are added to by it and by handlers on it alone.
 */
#ifndef SYC_EMIT_LOSS_TOTALS_H
#define SYC_EMIT_LOSS_TOTALS_H

#include <stdint.h>

#include "ring/ring.h"

/** Context of these: any-thread, signal-safe. */

/** @time is in the range of @to, or in [*@from, *@to], from now on. */
void syc_loss_totals_extend(struct syc_ring_losses *to, int64_t time);
void syc_loss_totals_reach(int64_t *from, int64_t *to, int64_t time);

/** One more frame of @kind and @len bytes; the second one where @to is the
 * calling thread's. */
void syc_loss_totals_add(struct syc_ring_losses *to, uint8_t kind, uint32_t len,
                         int64_t time);
void syc_loss_totals_add_own(struct syc_ring_losses *to, uint8_t kind,
                             uint32_t len, int64_t time);

/** Frames of all kinds. */
uint64_t syc_loss_totals_sum(const struct syc_ring_losses *losses);

/** Copy the totals of @from, and take its range: it begins anew. */
void syc_loss_totals_take(struct syc_ring_losses *to,
                          struct syc_ring_losses *from);

/** The range that was taken for a record that was not told goes back. */
void syc_loss_totals_return_range(struct syc_ring_losses *to,
                                  const struct syc_ring_losses *untold);

/** The totals, without the range: less than they are, or the same. */
void syc_loss_totals_subtract(struct syc_ring_losses *from,
                              const struct syc_ring_losses *less);
void syc_loss_totals_copy(struct syc_ring_losses *to,
                          const struct syc_ring_losses *from);

#endif
