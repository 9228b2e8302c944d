/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boxed.h - whether the program has asked for a filter of its system calls:
 * from then on nothing of ours calls what may be forbidden.
 *
 * Context: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_BOXED_H
#define SYC_PRELOAD_BOXED_H

#include <stdbool.h>

bool syc_boxed_is(void);

#endif
