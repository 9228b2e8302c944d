/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h - the parts of the addon, which module.c combines. */
#ifndef SN_PARTS_H
#define SN_PARTS_H

#include "env.h"

/* Each function adds a file's functions to @exports.  False: an exception is
 * pending. */
bool sn_define_marks(napi_env env, napi_value exports, struct sn_env *self);
bool sn_define_counters(napi_env env, napi_value exports, struct sn_env *self);
bool sn_define_events(napi_env env, napi_value exports, struct sn_env *self);
bool sn_define_recording(napi_env env, napi_value exports, struct sn_env *self);
bool sn_define_sampling(napi_env env, napi_value exports, struct sn_env *self);
bool sn_define_threads(napi_env env, napi_value exports, struct sn_env *self);

#endif
