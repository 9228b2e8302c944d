/* SPDX-License-Identifier: BSD-2-Clause */
/* own_proc.h - facts about this process from /proc. */
#ifndef SYC_OS_OWN_PROC_H
#define SYC_OS_OWN_PROC_H

#include <stddef.h>

/** Context of both: any-thread, signal-safe. */

/** A descriptor of the one or the other file, to read it; or -1. */
int syc_own_proc_open(const char *of_thread, const char *of_process);

/** The command line, as much as fits into @size, the arguments joined by
 * spaces.  Returns its length, without a NUL; 0: nobody knows. */
size_t syc_own_proc_cmdline(char *text, size_t size);

#endif
