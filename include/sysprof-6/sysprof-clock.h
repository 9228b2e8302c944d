/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-clock.h - the clock of captures: CLOCK_MONOTONIC, in nanoseconds.
 */
#ifndef SYSPROF_CLOCK_H
#define SYSPROF_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** Types of times in ns. */
typedef int SysprofClock;
typedef int64_t SysprofTimeStamp;
typedef int32_t SysprofTimeStampDiff;
typedef SysprofTimeStampDiff SysprofTimeSysprofan; /* a known misspelling */

#define SYSPROF_NSEC_PER_SEC SYSPROF_INT64_CONSTANT(1000000000)

/** -1 until sysprof_clock_init(), then CLOCK_MONOTONIC.  Read-only. */
_SYSPROF_EXTERN SysprofClock sysprof_clock;

/**
 * Set sysprof_clock.  Programs need not call this function.
 *
 * Context: any-thread, signal-safe.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_clock_init(void);

/**
 * Get the current time, which never goes back within a thread.  While events
 * are recorded, the call reads the processor's time stamp counter if the
 * kernel's clock does (error at most 5 us).  Otherwise the call reads
 * clock_gettime(CLOCK_MONOTONIC).
 *
 * Context: any-thread, signal-safe; keeps errno.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofTimeStamp syscap_dropin_time(void);

/** Get the current time. */
static inline SysprofTimeStamp sysprof_clock_get_current_time(void)
{
	return syscap_dropin_time();
}

/** Get the time since @epoch.  The result has 32 bits and wraps after 2.1 s. */
static inline SysprofTimeStampDiff
sysprof_clock_get_relative_time(SysprofTimeStamp epoch)
{
	const SysprofTimeStamp since = sysprof_clock_get_current_time() - epoch;

#ifdef __cplusplus
	return static_cast<SysprofTimeStampDiff>(since);
#else
	return (SysprofTimeStampDiff)since;
#endif
}

SYSPROF_END_DECLS

#endif
