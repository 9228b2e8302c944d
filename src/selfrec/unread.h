/* SPDX-License-Identifier: BSD-2-Clause */
/* unread.h - what a ring of ours holds that will not be in the capture. */
#ifndef SYC_SELFREC_UNREAD_H
#define SYC_SELFREC_UNREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"

/**
 * Add up in *@lost the frames at [@from, @to) of @body, which has @size bytes,
 * and what loss records among them tell; with @only_records nothing else.
 * Returns how many frames that nobody has counted yet.
 *
 * Context: any-thread, signal-safe.
 */
uint64_t syc_unread_sum(const unsigned char *body, uint32_t size, uint32_t from,
                        uint32_t to, bool only_records,
                        struct syc_ring_losses *lost);

/**
 * Those frames are lost: they count as stray losses, and so does what loss
 * records among them tell, and @also, if that is not NULL.
 *
 * Context: any-thread, signal-safe.
 */
void syc_unread_lose(const unsigned char *body, uint32_t size, uint32_t from,
                     uint32_t to, bool only_records,
                     const struct syc_ring_losses *also);

/**
 * @ts leaves a ring that is SYC_SLOT_OVER: what it published there and lost
 * after the drainer was done with it is stray.
 *
 * Context: owner, signal-safe.
 */
void syc_unread_count(struct syc_state *ts);

#endif
