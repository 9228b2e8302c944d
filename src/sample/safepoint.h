/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * safepoint.h - samples that are not finished in the handler of their tick:
 * those of runtimes that can only be looked at when they say so, and those
 * whose frames get their names then.
 */
#ifndef SYC_SAFEPOINT_H
#define SYC_SAFEPOINT_H

#include "sample/compose.h"

/**
 * A tick of @weight: true if it is added to a sample that waits, or a runtime
 * was asked for a safe point; then nothing is taken now.
 *
 * Context: owner, signal-safe.
 */
bool syc_safepoint_defer(struct syc_take *take, struct syc_runtimes *runtimes,
                         uint32_t weight);

/**
 * The stack in @take->merge has handles.  Name those that can be named now;
 * if others are left, keep the stack until they can be, and return true.
 *
 * Context: owner, signal-safe where the occasion is in a handler.
 */
bool syc_safepoint_keep(struct syc_take *take,
                        const struct syc_occasion *occasion, unsigned flags);

/** The last safe point of all: what waits is recorded now.  owner. */
void syc_safepoint_last(struct syscap_attachment *attachment);

#endif
