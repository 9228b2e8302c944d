/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - tables of named options, as start{} and sampling{} take them.
 * All raise errors that name the option. */
#ifndef SYSCAP_LUA_OPTIONS_H
#define SYSCAP_LUA_OPTIONS_H

#include <lua.h>
#include <stdint.h>

/** Every key of the table at @arg is one of @known, which ends in NULL. */
void sl_options_check(lua_State *L, int arg, const char *const *known);

/** @otherwise where it is not there.  The table keeps the text. */
const char *sl_options_string(lua_State *L, int arg, const char *key,
                              const char *otherwise);

/** A number from 0 to 2^53; 0 where it is not there. */
uint64_t sl_options_integer(lua_State *L, int arg, const char *key);

int sl_options_boolean(lua_State *L, int arg, const char *key, int otherwise);

/** Where it stands in @names, which ends in NULL; 0 where it is not there. */
unsigned sl_options_choice(lua_State *L, int arg, const char *key,
                           const char *const *names);

#endif
