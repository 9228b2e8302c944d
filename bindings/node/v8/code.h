/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - names of V8's code, for the capture. */
#ifndef SN_V8_CODE_H
#define SN_V8_CODE_H

#include <v8.h>

#include "../src/functions.h"

namespace syscap_v8
{

/**
 * Record the existing code of @isolate, and its new code from here on, until
 * forget_code().
 */
void tell_code(v8::Isolate *isolate, const struct sn_functions *functions);
void forget_code(v8::Isolate *isolate);

/** Record the kept events, as far as the ring has space.  False: some events
 * are left. */
bool tell_kept();

/** Number of events that found no space and are not recorded yet. */
uint64_t n_code_lost();

} // namespace syscap_v8

#endif
