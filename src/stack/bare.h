/* SPDX-License-Identifier: BSD-2-Clause */
/* bare.h - a step of a walk from code that has no tables. */
#ifndef SYC_STACK_BARE_H
#define SYC_STACK_BARE_H

#include "stack/walk.h"

/** One from code that has none.  Context: any-thread, signal-safe. */
enum syc_step syc_bare_step(struct syc_walk *walk);

#endif
