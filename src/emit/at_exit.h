/* SPDX-License-Identifier: BSD-2-Clause */
/* at_exit.h - what is done when the process ends. */
#ifndef SYC_EMIT_AT_EXIT_H
#define SYC_EMIT_AT_EXIT_H

/** Runs at quick_exit(); exit() calls a destructor instead.  Context:
 * any-thread. */
void syc_at_exit_end(void);

#endif
