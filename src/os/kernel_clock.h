/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_clock.h - the kernel's clocks, read from the vDSO or by the system
 * call. clock_gettime() may be interposed by a library that changes the time
 * (libfaketime).
 */
#ifndef SYC_OS_KERNEL_CLOCK_H
#define SYC_OS_KERNEL_CLOCK_H

#include <stdint.h>
#include <time.h>

/** The time of @id in ns; 0: the kernel refuses.  Context: any-thread,
 * signal-safe. */
int64_t syc_kernel_clock(clockid_t id);

#endif
