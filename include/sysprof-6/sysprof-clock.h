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

typedef int SysprofClock;
typedef int64_t SysprofTimeStamp;
typedef int32_t SysprofTimeStampDiff;
/* A misspelling that callers know. */
typedef SysprofTimeStampDiff SysprofTimeSysprofan;

#define SYSPROF_NSEC_PER_SEC SYSPROF_INT64_CONSTANT(1000000000)

/** -1 until sysprof_clock_init(), then CLOCK_MONOTONIC.  For reading only. */
_SYSPROF_EXTERN SysprofClock sysprof_clock;

/**
 * Fill sysprof_clock.  Nothing needs it.
 *
 * Context: any-thread, signal-safe.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_clock_init(void);

/**
 * Now.  While something is recorded the processor's time stamp counter is
 * read where the kernel does that too (error at most 5 us); else, and
 * otherwise, this is clock_gettime(CLOCK_MONOTONIC).  Never goes back within
 * a thread.
 *
 * Context: any-thread, signal-safe; keeps errno.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofTimeStamp syscap_dropin_time(void);

static inline SysprofTimeStamp sysprof_clock_get_current_time(void)
{
	return syscap_dropin_time();
}

/** From @epoch until now.  32 bits: wraps after 2.1 s. */
static inline SysprofTimeStampDiff
sysprof_clock_get_relative_time(SysprofTimeStamp epoch)
{
	return (SysprofTimeStampDiff)(sysprof_clock_get_current_time() - epoch);
}

SYSPROF_END_DECLS

#endif
