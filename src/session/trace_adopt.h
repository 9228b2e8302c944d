/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_adopt.h - check whether the fd of SYSPROF_TRACE_FD may be written to,
 * and a new open of its file. */
#ifndef SYC_SESSION_TRACE_ADOPT_H
#define SYC_SESSION_TRACE_ADOPT_H

#include "session/trace.h"

/**
 * Check fd @number, which the environment names.  Returns NULL, and fills
 * @target; or the reason of a refusal (a static sentence).  Refused are: fds
 * that are not open or not writable, terminals and other devices, and kernel
 * interfaces.  Refused are also sockets that are no streams, or that another
 * process writes to, and non-empty files that are no captures, or not readable.
 *
 * Context: setup.
 */
const char *syc_trace_adopt(int number, struct syc_trace_target *target);

/**
 * Open the file of fd @number of the calling thread's fd table anew with
 * @flags: a description of our own, which never blocks.  Returns the new fd; -1
 * and errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_trace_open_again(int number, int flags);

#endif
