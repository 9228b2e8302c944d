/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.c - the clock of captures. */
#define _GNU_SOURCE
#include <time.h>

#include <syscap.h>
#include <sysprof-6/sysprof-clock.h>

SysprofClock sysprof_clock = -1;

void sysprof_clock_init(void)
{
	__atomic_store_n(&sysprof_clock, CLOCK_MONOTONIC, __ATOMIC_RELAXED);
}

SysprofTimeStamp syscap_dropin_time(void)
{
	return syscap_clock();
}
