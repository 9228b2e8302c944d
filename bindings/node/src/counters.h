/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.h - numbers that change, one for all threads of the process. */
#ifndef SN_COUNTERS_H
#define SN_COUNTERS_H

#include "env.h"

bool sn_define_counters(napi_env env, napi_value exports, struct sn_env *self);

#endif
