/* SPDX-License-Identifier: BSD-2-Clause */
/* segments.h - what of a module is code, by its own program headers. */
#ifndef SYC_SEGMENTS_H
#define SYC_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/modules.h"

/**
 * @pc is in an executable segment of @module and can be read.  Its headers
 * are read where they are mapped; of a module without them it is not told.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_segments_has_code(const struct syc_loaded_module *module,
                           uintptr_t pc);

#endif
