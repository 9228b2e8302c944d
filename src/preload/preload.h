/* SPDX-License-Identifier: BSD-2-Clause */
/* preload.h - state of the preloaded library. */
#ifndef SYC_PRELOAD_PRELOAD_H
#define SYC_PRELOAD_PRELOAD_H

#include <stdbool.h>

/**
 * The process has a C library other than the one of the build.  Context:
 * any-thread, signal-safe.
 */
bool syc_libc_is_foreign(void);

#endif
