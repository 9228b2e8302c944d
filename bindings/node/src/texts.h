/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.h - JavaScript strings as C strings. */
#ifndef SN_TEXTS_H
#define SN_TEXTS_H

#include "env.h"

/**
 * Copy @value into @to of @size bytes, cut between characters, with spaces for
 * NULs.  False: @value is not a string, and a TypeError that names @what is
 * pending.
 */
bool sn_text(napi_env env, napi_value value, char *to, size_t size,
             const char *what);

/** Copy a string, undefined or null; for the last two *@ret is NULL. */
bool sn_message(napi_env env, struct sn_env *self, napi_value value,
                const char **ret);

#endif
