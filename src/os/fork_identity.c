/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork_identity.c - test whether a forked child or parent still runs this
 * process's image.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/process.h"

/* The kernel hides both fields, as 0, from a process without permission to read
 * them. */
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

static bool looks_alive(struct syc_fork_identity *relative)
{
	struct syc_proc_stat it, us;

	/* Either the process does not exist, or /proc is missing */
	if (syc_proc_stat_read("/proc/", relative->pid, &it) != 0)
		return is_there(relative->pid);
	/* Other threads may continue after the end of the first thread */
	const bool is_without_first = syc_proc_stat_has_ended(&it);
	if (is_without_first && it.fields[SYC_STAT_THREADS] <= 1)
		return false;
	__atomic_store_n(&relative->is_without_first, is_without_first,
	                 __ATOMIC_RELAXED);
	if (relative->start_ticks != 0 &&
	    it.fields[SYC_STAT_START] != relative->start_ticks)
		return false;
	if (syc_proc_stat_read("/proc/", getpid(), &us) == 0 &&
	    !is_same_image(it.fields, us.fields))
		return false;
	relative->start_ticks = it.fields[SYC_STAT_START];
	relative->parent = (int32_t)it.fields[SYC_STAT_PARENT];
	return true;
}

bool syc_fork_identity_is_running(struct syc_fork_identity *relative)
{
	const int saved = errno;
	const bool lives = looks_alive(relative);

	errno = saved;
	return lives;
}
