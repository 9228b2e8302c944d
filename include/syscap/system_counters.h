/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * system_counters.h - what the kernel counts, in a recording that the process
 * makes by itself: use of processors, memory, disks, network, energy, pressure,
 * and what of that is the process's own.
 *
 * From outside, of any program, by the recorder:
 *
 *	syscap record --counters -- program
 *
 * in one that has this linked and records itself:
 *
 *	SYSCAP_OUTPUT=app.syscap SYSCAP_COUNTERS=cpu,memory,hz=10 ./program
 *
 * and from inside, before or while it does:
 *
 *	syscap_system_counters_choose("cpu,memory,hz=10");
 *
 * The thread that drains the rings reads them (<syscap.h>): it makes the
 * process wake up as often as was asked for, and nothing of it happens in threads
 * of the program.  So there are none where there is no such thread: with
 * SYSCAP_THREAD=0 or SYSCAP_NO_THREAD, which the capture says then.  There are
 * none towards a recorder, which reads them itself when it is asked to; nor
 * into SYSPROF_TRACE_FD.  A forked child that records into its parent's file
 * has its parent's.
 *
 * The linker takes this (some 23 KiB) out of the archive where the program
 * calls it, or says SYSCAP_WITH_SYSTEM_COUNTERS.  docs/collectors.md has a
 * table of what is read from where.
 */
#ifndef SYSCAP_SYSTEM_COUNTERS_H
#define SYSCAP_SYSTEM_COUNTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Read what @what says, from now on and in every recording that begins later:
 * names of groups (cpu, memory, disk, net, energy, battery, sched, psi; none
 * of them: all) and how often, "hz=1" to "hz=100", with commas between; 10 times
 * a second where it does not say.  NULL: no more.
 *
 * Returns 0; -EINVAL, it makes no sense, and what was chosen before stays.
 *
 * Context: any-thread.
 */
int syscap_system_counters_choose(const char *what);

/**
 * Have it linked, for SYSCAP_COUNTERS in the environment to count in a program
 * that calls nothing of here.  Once, outside of functions:
 *
 *	SYSCAP_WITH_SYSTEM_COUNTERS;
 */
#define SYSCAP_WITH_SYSTEM_COUNTERS                                   \
	static int (*const syscap_with_system_counters)(const char *) \
		__attribute__((used)) = syscap_system_counters_choose

#ifdef __cplusplus
}
#endif

#endif
