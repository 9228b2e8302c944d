/* SPDX-License-Identifier: BSD-2-Clause */
/* objects.h - plain objects of JavaScript, made field by field. */
#ifndef SN_OBJECTS_H
#define SN_OBJECTS_H

#include "env.h"

/** Define @function as @object's @name, called with @data.  False: an error. */
bool sn_define(napi_env env, napi_value object, const char *name,
               napi_callback function, void *data);

void sn_put_number(napi_env env, napi_value object, const char *name,
                   double number);
void sn_put_bool(napi_env env, napi_value object, const char *name, bool value);
void sn_put_text(napi_env env, napi_value object, const char *name,
                 const char *text);

/** { errno: @error, message: @message }: read by lib/recording.js. */
napi_value sn_outcome(napi_env env, int error, const char *message);

/** @value as a number; 0 for other types. */
double sn_number(napi_env env, napi_value value);

#endif
