/* SPDX-License-Identifier: BSD-2-Clause */
/* backtrace.h - the walk as a call, with the reason of its end. */
#ifndef SYC_STACK_BACKTRACE_H
#define SYC_STACK_BACKTRACE_H

#include <stdint.h>

/**
 * As syscap_backtrace(), and SYSCAP_STACK_* in @ret_flags.
 *
 * Context: any-thread, signal-safe.
 */
int syc_backtrace(uint64_t *addrs, unsigned n, unsigned leave_out,
                  unsigned *ret_flags);

#endif
