/* SPDX-License-Identifier: BSD-2-Clause */
/* segments.h - code ranges of a module, by its own program headers. */
#ifndef SYC_STACK_SEGMENTS_H
#define SYC_STACK_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/modules.h"

/**
 * @pc is in an executable segment of @module and can be read.  Its headers are
 * read in place.  Without mapped headers the ranges are unknown.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_segments_has_code(const struct syc_loaded_module *module,
                           uintptr_t pc);

#endif
