/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending.h - what waits for a safe point: ticks of runtimes that can only be
 * looked at when they say so, and one stack whose handles get their names then.
 */
#ifndef SYC_SAMPLE_PENDING_H
#define SYC_SAMPLE_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/runtimes.h"

/**
 * A tick of @weight: true if it is added to a sample that waits, or a runtime
 * was asked for a safe point; then nothing is taken now.
 *
 * Context: owner, signal-safe.
 */
bool syc_pending_defer(struct syc_workspace *take,
                       struct syc_runtimes *runtimes, uint32_t weight);

/**
 * The stack in @take->merge has handles.  Name those that can be named now;
 * if others are left, keep the stack until they can be, and return true.
 *
 * Context: owner, signal-safe where the occasion is in a handler.
 */
bool syc_pending_keep(struct syc_workspace *take,
                      const struct syc_occasion *occasion, unsigned flags);

/** Whether ticks wait for @attachment, or a stack for any.  owner. */
bool syc_pending_is_any(const struct syscap_attachment *attachment);

/**
 * At a safe point: name what waits of @attachment's.  Returns the whole weight
 * if the stack waits no more, and has been emitted.
 *
 * Context: owner, in no handler.
 */
uint32_t syc_pending_name(const struct syscap_attachment *attachment);

/** The weight of the ticks that wait for @attachment, which takes them. */
uint32_t syc_pending_take_due(struct syscap_attachment *attachment);

#endif
