/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.h - strings of JavaScript as texts of C. */
#ifndef SN_TEXTS_H
#define SN_TEXTS_H

#include "env.h"

/**
 * @value into @to of @size bytes, cut between characters, NULs as spaces.
 * False: it is no string, and a TypeError that names it @what waits.
 */
bool sn_text(napi_env env, napi_value value, char *to, size_t size,
             const char *what);

/** The same for a text that may be undefined or null: then *@ret is NULL. */
bool sn_message(napi_env env, struct sn_env *self, napi_value value,
                const char **ret);

#endif
