/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * told.h - what the roles "io" and "stalls" find out and write.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_TOLD_H
#define SYC_PRELOAD_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/** As many addresses of a stack, from the innermost on. */
#define SYC_TOLD_DEPTH 256u

/** The calling thread is the first of its process. */
bool syc_told_is_main(void);

/** A handler runs on its alternate stack; or that can't be known. */
bool syc_told_is_on_signal_stack(void);

/** False on a small alternate stack of a handler's, where a walk may not
 * fit. */
bool syc_told_has_room(void);

/** Where the code of this library is. */
void syc_told_own_code(uintptr_t *ret_low, uintptr_t *ret_high);

/** Leave our frames out of the @n frames of a stack.  Returns how many remain. */
unsigned syc_told_leave_out_ours(uint64_t *addrs, unsigned n);

/** padding2 of a SAMPLE that stands for @ns; @tag: SYSCAP_BLOCKED_TAG or
 * SYSCAP_STALLED_TAG. */
uint32_t syc_told_wait(uint32_t tag, int64_t ns);

#endif
