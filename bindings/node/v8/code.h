/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - names of the code that V8 makes, for the capture. */
#ifndef SN_V8_CODE_H
#define SN_V8_CODE_H

#include <v8.h>

#include "../src/functions.h"

namespace syscap_v8
{

/**
 * Tell the capture of the code that @isolate has, and of what it makes from
 * here on, until forget_code().
 */
void tell_code(v8::Isolate *isolate, const struct sn_functions *functions);
void forget_code(v8::Isolate *isolate);

/** Tell what was kept, as far as there is room.  False: some is left. */
bool tell_kept();

/** What the capture had no room for, and has not got so far. */
uint64_t n_code_lost();

} // namespace syscap_v8

#endif
