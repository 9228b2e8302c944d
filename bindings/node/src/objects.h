/* SPDX-License-Identifier: BSD-2-Clause */
/* objects.h - plain objects of JavaScript, made field by field. */
#ifndef SN_OBJECTS_H
#define SN_OBJECTS_H

#include "env.h"

/** @function as @object's @name, called with @data.  False: it is not. */
bool sn_define(napi_env env, napi_value object, const char *name,
               napi_callback function, void *data);

void sn_put_number(napi_env env, napi_value object, const char *name,
                   double number);
void sn_put_bool(napi_env env, napi_value object, const char *name, bool value);
void sn_put_text(napi_env env, napi_value object, const char *name,
                 const char *text);

/** { errno: @error, message: @message }: what lib/recording.js looks at. */
napi_value sn_outcome(napi_env env, int error, const char *message);

/** @value as a number that fits; 0 where it is none. */
double sn_number(napi_env env, napi_value value);

#endif
