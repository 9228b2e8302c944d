/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core.h - interface of the files of the module syscap.core.  Lua 5.4 and
 * LuaJIT 2.1 share the sources.  A file for only one interpreter includes this
 * header first, and is empty for the other interpreter.
 */
#ifndef SYSCAP_LUA_CORE_H
#define SYSCAP_LUA_CORE_H

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>

#if LUA_VERSION_NUM == 501
#include <luajit.h>
#elif LUA_VERSION_NUM != 504
#error "syscap.core is for Lua 5.4 and LuaJIT 2.1"
#endif

/* Each of these functions adds a file's functions to the table on top of the
 * stack. */
void sl_events_add(lua_State *L);
void sl_counters_add(lua_State *L);
void sl_recording_add(lua_State *L);
void sl_sampling_add(lua_State *L);
void sl_scopes_add(lua_State *L); /* Lua 5.4 */

/** Group and name of a mark: a number of syscap.id(), or two texts. */
struct sl_site {
	uint32_t id; /* number of the texts; 0: use the texts */
	const char *group, *name;
};

/**
 * Read @ret_site from argument @arg on.  Returns the next argument.  Raises an
 * error for other types.
 */
int sl_site_check(lua_State *L, int arg, struct sl_site *ret_site);

/** The number of two texts; SL_ID_NONE if the table is full. */
uint32_t sl_id_get(const char *group, const char *name);

/** A number that syscap_mark_id() never returns.  Marks with this number are
 * not recorded. */
#define SL_ID_NONE UINT32_MAX

/**
 * Times are integers in Lua 5.4.  In LuaJIT times are doubles, exact for 104
 * days after boot, and rounded to even numbers from then on.
 */
static inline void sl_push_time(lua_State *L, int64_t time)
{
#if LUA_VERSION_NUM == 501
	lua_pushnumber(L, (lua_Number)time);
#else
	lua_pushinteger(L, (lua_Integer)time);
#endif
}

/** The 64-bit integer nearest to @number; NaN is 0. */
static inline int64_t sl_whole(lua_Number number)
{
	if (!(number > -0x1p63))
		return number != number ? 0 : INT64_MIN;
	return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

/** A number, such as a time, as a 64-bit integer. */
static inline int64_t sl_check_whole(lua_State *L, int arg)
{
#if LUA_VERSION_NUM >= 503
	if (lua_isinteger(L, arg))
		return lua_tointeger(L, arg);
#endif
	return sl_whole(luaL_checknumber(L, arg));
}

/** Push registry[@key], for the address of a static variable. */
static inline void sl_registry_get(lua_State *L, const void *key)
{
	lua_pushlightuserdata(L, (void *)(uintptr_t)key);
	lua_rawget(L, LUA_REGISTRYINDEX);
}

/** registry[@key] = the value on top of the stack; pops the value. */
static inline void sl_registry_set(lua_State *L, const void *key)
{
	lua_pushlightuserdata(L, (void *)(uintptr_t)key);
	lua_insert(L, -2);
	lua_rawset(L, LUA_REGISTRYINDEX);
}

#endif
