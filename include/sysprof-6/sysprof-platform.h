/* SPDX-License-Identifier: BSD-2-Clause */
/* sysprof-platform.h - two things that systems do differently. */
#ifndef SYSPROF_PLATFORM_H
#define SYSPROF_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/**
 * A new file in memory, named @desc for people (NULL: "[sysprof]").  It is
 * inherited by programs that are executed; that is what callers want it for.
 * Where memfd_create() is refused, a file without a name in $TMPDIR or /tmp.
 * -1 and errno.
 *
 * Context: any-thread.
 */
SYSPROF_AVAILABLE_IN_ALL
int sysprof_memfd_create(const char *desc);

/** Bytes of a page. */
SYSPROF_AVAILABLE_IN_3_36
size_t sysprof_getpagesize(void);

SYSPROF_END_DECLS

#endif
