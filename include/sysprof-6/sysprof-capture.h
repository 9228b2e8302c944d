/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture.h - the whole interface of libsysprof-capture-4 in syscap.
 * A program may also include each header separately.
 */
#ifndef SYSPROF_CAPTURE_H
#define SYSPROF_CAPTURE_H

#define SYSPROF_CAPTURE_INSIDE

#include "sysprof-address.h"
#include "sysprof-capture-condition.h"
#include "sysprof-capture-cursor.h"
#include "sysprof-capture-reader.h"
#include "sysprof-capture-types.h"
#include "sysprof-capture-writer.h"
#include "sysprof-clock.h"
#include "sysprof-collector.h"
#include "sysprof-macros.h"
#include "sysprof-platform.h"
#include "sysprof-version-macros.h"
#include "sysprof-version.h"

#undef SYSPROF_CAPTURE_INSIDE

#endif
