/* SPDX-License-Identifier: BSD-2-Clause */
/* handler.h - whether this may be a signal handler. */
#ifndef SYC_OS_HANDLER_H
#define SYC_OS_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Whether a signal handler may be running on the calling thread, whose stack
 * is [@low, @high) (empty: not known).  Looks for the address that handlers
 * return to in what of the stack is in use.  False is sure; true may be said
 * because of an old value, or because the stack is not known.
 *
 * Costs some microseconds.  Context: owner, signal-safe.
 */
bool syc_handler_may_run(uintptr_t low, uintptr_t high);

#endif
