/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.h - facts about the preloaded library.  Context of everything:
 * any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_PRELOAD_H
#define SYC_PRELOAD_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the process has another C library than the build had. */
bool syc_libc_is_foreign(void);

/** Addresses of this library's code. */
void syc_own_code_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

#endif
