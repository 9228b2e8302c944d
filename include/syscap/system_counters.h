/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * system_counters.h - kernel counters for a process that records itself.
 *
 * Counters describe the processors, memory, disks, network, energy and pressure
 * of the machine and of the process.
 *
 * For any program, the recorder reads the counters:
 *
 *	syscap record --counters -- program
 *
 * A program that contains this code and records itself:
 *
 *	SYSCAP_OUTPUT=app.syscap SYSCAP_COUNTERS=cpu,memory,hz=10 ./program
 *
 * A call in the program, before or during its recording:
 *
 *	syscap_system_counters_choose("cpu,memory,hz=10");
 *
 * A thread of the library reads the counters, at the requested rate.  The
 * program's threads do not read counters.  Without the library's thread
 * (SYSCAP_THREAD=0 or SYSCAP_NO_THREAD) the capture has no counters, and
 * reports the reason.  With SYSPROF_TRACE_FD the program reads no counters.
 * Under a recorder, the program reads no counters, either: the recorder reads
 * the counters on request.  A forked child that records into its parent's file
 * has its parent's counters.
 *
 * The linker takes this code (some 23 KiB) out of the archive if the program
 * calls a function of this header or uses SYSCAP_WITH_SYSTEM_COUNTERS.
 * docs/collectors.md lists the sources.
 */
#ifndef SYSCAP_SYSTEM_COUNTERS_H
#define SYSCAP_SYSTEM_COUNTERS_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Choose the counters of this and all later recordings.  @what is a
 * comma-separated list of groups (cpu, memory, disk, net, energy, battery,
 * sched, psi), optionally with a rate, "hz=1" to "hz=100".  Without a group,
 * the library reads all groups; the default rate is 10 times a second.  NULL:
 * none.
 *
 * Returns 0.  -EINVAL: @what is invalid, and the choice stays the same.
 *
 * Context: any-thread.
 */
int syscap_system_counters_choose(const char *what);

/**
 * Link this code into a program that calls no function of this header, so that
 * SYSCAP_COUNTERS has an effect.  Write this line once, outside functions:
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
