/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - tables of named options for start{} and sampling{}.  All
 * functions raise errors that name the option. */
#ifndef SYSCAP_LUA_OPTIONS_H
#define SYSCAP_LUA_OPTIONS_H

#include <lua.h>
#include <stdint.h>

/** Check that every key of the table at @arg is in @known, which ends with
 * NULL. */
void sl_options_check(lua_State *L, int arg, const char *const *known);

/** A text, or @otherwise if the key is missing.  The table keeps the text. */
const char *sl_options_string(lua_State *L, int arg, const char *key,
                              const char *otherwise);

/** A number from 0 to 2^53, or 0 if the key is missing. */
uint64_t sl_options_integer(lua_State *L, int arg, const char *key);

int sl_options_boolean(lua_State *L, int arg, const char *key, int otherwise);

/** The value's index in @names, which ends with NULL, or 0 if the key is
 * missing. */
unsigned sl_options_choice(lua_State *L, int arg, const char *key,
                           const char *const *names);

#endif
