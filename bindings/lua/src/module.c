/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - the table returned by require "syscap.core". */
#include "core.h"

#define STRING(x)  #x
#define VERSION(x) STRING(x)

#include <syscap.h>

#pragma GCC visibility push(default)
int luaopen_syscap_core(lua_State *L);
#pragma GCC visibility pop

int luaopen_syscap_core(lua_State *L)
{
	lua_newtable(L);
	lua_pushliteral(
		L,
		VERSION(SYSCAP_VERSION_MAJOR) "." VERSION(
			SYSCAP_VERSION_MINOR) "." VERSION(SYSCAP_VERSION_MICRO));
	lua_setfield(L, -2, "_VERSION");
	sl_events_add(L);
	sl_counters_add(L);
	sl_recording_add(L);
#if LUA_VERSION_NUM == 504
	sl_scopes_add(L);
#endif
	sl_sampling_add(L);
	return 1;
}
