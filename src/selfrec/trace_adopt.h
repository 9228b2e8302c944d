/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_adopt.h - whether the descriptor of SYSPROF_TRACE_FD is one to write
 * to, and opening it anew. */
#ifndef SYC_SELFREC_TRACE_ADOPT_H
#define SYC_SELFREC_TRACE_ADOPT_H

#include "selfrec/trace.h"

/**
 * Look at descriptor @number, which the environment names.  NULL, and @target
 * is filled; or why it is refused (a sentence that lives): not open, not
 * writable, a terminal or another device, a file of the kernel's, a socket
 * that is no stream or that another process writes to; not empty and not a
 * capture; or not empty and not readable.
 *
 * Context: setup.
 */
const char *syc_trace_adopt(int number, struct syc_trace_target *target);

/**
 * Descriptor @number of the calling thread's table, opened anew with @flags: a
 * description of our own, which never blocks.  Returns it; -1 and errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_trace_open_again(int number, int flags);

#endif
