/* SPDX-License-Identifier: BSD-2-Clause */
/* hooks.h - stacks of Lua 5.4 at safe points. */
#ifndef SYSCAP_LUA_HOOKS_H
#define SYSCAP_LUA_HOOKS_H

#include "followed.h"

extern const struct syscap_provider sl_hooks_provider;

/** Remove syscap's hook, if @L has it, and record the tick now. */
void sl_hooks_settle(struct sl_follow *f, lua_State *L);

/** Set the program's hook in a new thread, which inherits its maker's hook. */
void sl_hooks_disown(struct sl_follow *f, lua_State *L);

#endif
