/* SPDX-License-Identifier: BSD-2-Clause */
/* unread.h - count of frames in our rings that will not be in the capture. */
#ifndef SYC_SESSION_UNREAD_H
#define SYC_SESSION_UNREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"

/**
 * Add to *@lost the frames at [@from, @to) of @body, which has @size bytes, and
 * the losses of their loss records. With @only_records, add only the losses of
 * loss records. Returns the number of frames that were not counted before.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_unread_sum(const unsigned char *body, uint32_t size, uint32_t from,
                        uint32_t to, bool only_records,
                        struct syc_ring_losses *lost);

/**
 * Count the frames at [@from, @to) as stray losses, with the losses of their
 * loss records, and with @also unless @also is NULL.
 *
 * Context: any-thread, signal-safe.
 */
void syc_unread_lose(const unsigned char *body, uint32_t size, uint32_t from,
                     uint32_t to, bool only_records,
                     const struct syc_ring_losses *also);

/**
 * @ts leaves a ring that is SYC_SLOT_OVER. Frames and losses of @ts after the
 * drainer's last read are counted as stray losses.
 *
 * Context: owner, signal-safe.
 */
void syc_unread_count(struct syc_state *ts);

#endif
