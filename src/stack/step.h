/* SPDX-License-Identifier: BSD-2-Clause */
/* step.h - a slow step of a walk, by whatever its frame has. */
#ifndef SYC_STACK_STEP_H
#define SYC_STACK_STEP_H

#include <stdint.h>

#include "stack/walk.h"

/**
 * Go from the current frame to its caller; @rule is what its place in the
 * cache holds, or 0.
 *
 * Context: any-thread, signal-safe.
 */
enum syc_step syc_step_outwards(struct syc_walk *walk, uint64_t rule);

#endif
