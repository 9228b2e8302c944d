/* SPDX-License-Identifier: BSD-2-Clause */
/* kin.c - whether a relative of this process still runs its image. */
#define _GNU_SOURCE
#include "os/kin.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/proc_stat.h"

/* Both 0 where they may not be seen. */
static bool is_same_image(const uint64_t *a, const uint64_t *b)
{
	if (a[SYC_STAT_STACK] == 0 || b[SYC_STAT_STACK] == 0)
		return true;
	return a[SYC_STAT_STACK] == b[SYC_STAT_STACK] &&
	       a[SYC_STAT_CODE] == b[SYC_STAT_CODE];
}

static bool is_there(int32_t pid)
{
	return syscall(SYS_kill, pid, 0) == 0 || errno != ESRCH;
}

static bool looks_alive(struct syc_kin *kin)
{
	struct syc_proc_stat it, us;

	/* or there is no /proc */
	if (syc_proc_stat_read("/proc/", kin->pid, &it) != 0)
		return is_there(kin->pid);
	/* Threads may live on when the first one has ended */
	const bool is_without_first = syc_proc_stat_has_ended(&it);
	if (is_without_first && it.fields[SYC_STAT_THREADS] <= 1)
		return false;
	__atomic_store_n(&kin->is_without_first, is_without_first,
	                 __ATOMIC_RELAXED);
	if (kin->start_ticks != 0 &&
	    it.fields[SYC_STAT_START] != kin->start_ticks)
		return false;
	if (syc_proc_stat_read("/proc/", getpid(), &us) == 0 &&
	    !is_same_image(it.fields, us.fields))
		return false;
	kin->start_ticks = it.fields[SYC_STAT_START];
	kin->parent = (int32_t)it.fields[SYC_STAT_PARENT];
	return true;
}

bool syc_kin_lives(struct syc_kin *kin)
{
	const int saved = errno;
	const bool lives = looks_alive(kin);

	errno = saved;
	return lives;
}
