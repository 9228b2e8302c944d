/* SPDX-License-Identifier: BSD-2-Clause */
/* other_libc.h - a C library that is not the one we were built with. */
#ifndef SYC_PRELOAD_OTHER_LIBC_H
#define SYC_PRELOAD_OTHER_LIBC_H

#include <stdbool.h>

/** Whether this process has one.  Context: any-thread, signal-safe. */
bool syc_other_libc_is(void);

#endif
