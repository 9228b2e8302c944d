/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.h - facts about the preloaded library, and MAP frames for libraries
 * that the program unloads.
 *
 * Context: any-thread, signal-safe, except where stated.
 */
#ifndef SYC_PRELOAD_PRELOAD_H
#define SYC_PRELOAD_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the process has another C library than the build had. */
bool syc_libc_is_foreign(void);

/** Addresses of this library's code. */
void syc_own_code_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

/** Note the time at which this library, and all libraries that the program was
 * linked with, were loaded. Context: a constructor. */
void syc_unloads_begin(void);

/**
 * Write frames for libraries that were loaded or unloaded since the last call.
 * Called before and after the program's dlclose().
 *
 * Context: any-thread; not in a handler.
 */
void syc_unloads_look(void);

#endif
