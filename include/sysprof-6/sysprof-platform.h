/* SPDX-License-Identifier: BSD-2-Clause */
/* sysprof-platform.h - functions that differ between systems. */
#ifndef SYSPROF_PLATFORM_H
#define SYSPROF_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/**

 * Create a file in memory, called @desc in /proc (NULL: "[sysprof]").  Executed
 * programs inherit the fd.  If memfd_create() fails, the call creates an
 * unnamed file in $TMPDIR or /tmp.  On failure, returns -1 and sets errno.
 *
 * Context: any-thread.
 */
SYSPROF_AVAILABLE_IN_ALL
int sysprof_memfd_create(const char *desc);

/** Get the size of a page in bytes. */
SYSPROF_AVAILABLE_IN_3_36
size_t sysprof_getpagesize(void);

SYSPROF_END_DECLS

#endif
