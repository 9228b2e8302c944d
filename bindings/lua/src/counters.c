/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - syscap.counter() of the Lua module. */
#include <syscap.h>

#include "core.h"

#define COUNTER "syscap.counter"

/* The metatable is the upvalue of all functions in this file.  NULL: the
 * library's table has no space for the counter. */
static struct syscap_counter *check_counter(lua_State *L)
{
	if (!lua_getmetatable(L, 1) ||
	    !lua_rawequal(L, -1, lua_upvalueindex(1)))
		luaL_argerror(L, 1, COUNTER " expected");
	lua_pop(L, 1);
	return *(struct syscap_counter **)lua_touserdata(L, 1);
}

/* counter:set(value) */
static int set(lua_State *L)
{
	if (!syscap_is_active())
		return 0;
	struct syscap_counter *const counter = check_counter(L);
	if (counter == NULL)
		return 0;
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_set_double(counter, luaL_checknumber(L, 2));
	else
		syscap_counter_set_int64(counter, sl_check_whole(L, 2));
	return 0;
}

/* counter:update(value) */
static int update(lua_State *L)
{
	if (!syscap_is_active())
		return 0;
	struct syscap_counter *const counter = check_counter(L);
	if (counter == NULL)
		return 0;
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_update_double(counter, luaL_checknumber(L, 2));
	else
		syscap_counter_update_int64(counter, sl_check_whole(L, 2));
	return 0;
}

/* counter:add([n]), also without a recording */
static int add(lua_State *L)
{
	struct syscap_counter *const counter = check_counter(L);

	if (counter != NULL && counter->type == SYSCAP_DOUBLE) {
		syscap_counter_add_double(counter, luaL_optnumber(L, 2, 1));
		return 0;
	}
	const int64_t n = lua_isnoneornil(L, 2) ? 1 : sl_check_whole(L, 2);

	if (counter != NULL)
		syscap_counter_add(counter, n);
	return 0;
}

static int to_string(lua_State *L)
{
	const struct syscap_counter *const counter = check_counter(L);

	if (counter == NULL)
		lua_pushliteral(L, COUNTER " (not recorded)");
	else
		lua_pushfstring(L, COUNTER " %s.%s", counter->category,
		                counter->name);
	return 1;
}

/* counter(category, name [, description [, type]]) */
static int counter(lua_State *L)
{
	static const char *const types[] = { "integer", "float", NULL };
	const char *const category = luaL_checkstring(L, 1);
	const char *const name = luaL_checkstring(L, 2);
	const char *const description = luaL_optstring(L, 3, "");
	const int type = luaL_checkoption(L, 4, "integer", types);
	struct syscap_counter *const c =
		syscap_counter_get(category, name, description,
	                           type == 1 ? SYSCAP_DOUBLE : SYSCAP_INT64);

	if (c == NULL && syscap_is_active())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "there are too many counters for \"%s\" of "
		                  "category \"%s\"",
		                  name, category);
	struct syscap_counter **const box = lua_newuserdata(L, sizeof(*box));
	*box = c;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_setmetatable(L, -2);
	return 1;
}

void sl_counters_add(lua_State *L)
{
	static const luaL_Reg methods[] = { { "set", set },
		                            { "update", update },
		                            { "add", add },
		                            { NULL, NULL } };

	lua_newtable(L);
	lua_newtable(L);
	lua_pushvalue(L, -2);
	luaL_setfuncs(L, methods, 1);
	lua_setfield(L, -2, "__index");
	lua_pushliteral(L, COUNTER);
	lua_setfield(L, -2, "__metatable");
	lua_pushvalue(L, -1);
	lua_pushcclosure(L, to_string, 1);
	lua_setfield(L, -2, "__tostring");
	lua_pushcclosure(L, counter, 1);
	lua_setfield(L, -2, "counter");
}
