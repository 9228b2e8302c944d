/* SPDX-License-Identifier: BSD-2-Clause */
/* tid.h - threads of this process, by their ids. */
#ifndef SYC_OS_TID_H
#define SYC_OS_TID_H

#include <stdbool.h>
#include <stdint.h>

/** Whether this process has no thread @tid (any more).  One that has ended and
 * stays listed is still there.  Context: any-thread, signal-safe. */
bool syc_tid_is_gone(int32_t tid);

#endif
