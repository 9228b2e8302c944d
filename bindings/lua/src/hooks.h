/* SPDX-License-Identifier: BSD-2-Clause */
/* hooks.h - stacks of Lua 5.4, at safe points. */
#ifndef SYSCAP_LUA_HOOKS_H
#define SYSCAP_LUA_HOOKS_H

#include "followed.h"

extern const struct syscap_provider sl_hooks_provider;

/** Take away our hook, if @L has it, and have the tick told now. */
void sl_hooks_settle(struct sl_follow *f, lua_State *L);

/** A new thread has got the hook of who made it: let it be the program's. */
void sl_hooks_disown(struct sl_follow *f, lua_State *L);

#endif
