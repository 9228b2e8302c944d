/* SPDX-License-Identifier: BSD-2-Clause */
/* tracking.h - the running coroutine in Lua 5.4. */
#ifndef SYSCAP_LUA_TRACKING_H
#define SYSCAP_LUA_TRACKING_H

#include <lua.h>

/**
 * Replace functions of debug and, if @is_full, of coroutine.
 */
void sl_tracking_add(lua_State *L, int is_full);
void sl_tracking_remove(lua_State *L);

#endif
