/* SPDX-License-Identifier: BSD-2-Clause */
/* unread.h - what a ring of ours holds that will not be in the capture. */
#ifndef SYC_UNREAD_H
#define SYC_UNREAD_H

#include <stdint.h>

#include "emit/thread.h"

/**
 * The frames at [@from, @to) of @body, which has @size bytes, are lost: they
 * count as stray losses, and so does what loss records among them tell, and
 * @also, if that is not NULL.
 *
 * Context: any-thread, signal-safe.
 */
void syc_unread_lose(const unsigned char *body, uint32_t size, uint32_t from,
                     uint32_t to, const struct syc_ring_losses *also);

/**
 * @ts leaves a ring that is SYC_SLOT_OVER: what it published there and lost
 * after the drainer was done with it is stray.
 *
 * Context: owner, signal-safe.
 */
void syc_unread_count(struct syc_state *ts);

#endif
