/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scopes.c - syscap.scope(), within() and traced() in Lua 5.4, by to-be-closed
 * variables.
 *
 * A scope is a userdata, and holds its texts as user values, since the
 * collector owns the texts.  Without a recording, all calls return the same
 * ended scope, and do not allocate.
 */
#include "core.h"

#if LUA_VERSION_NUM == 504

#include <stddef.h>

#include <syscap.h>

#define SCOPE "syscap.scope"

struct scope {
	int64_t begin; /* start time; 0: the scope has ended */
	struct sl_site site;
	const char *message;
};

/* Upvalues: all functions of this file have the first, and functions that make
 * scopes have the second */
#define METATABLE lua_upvalueindex(1)
#define ENDED     lua_upvalueindex(2)

static void end(const struct scope *s, const char *message)
{
	const int64_t duration = syscap_clock() - s->begin;

	if (s->site.id != 0)
		syscap_mark_by_id(s->site.id, s->begin, duration, message);
	else
		syscap_mark(s->site.group, s->site.name, s->begin, duration,
		            message);
}

/* Push a scope for @site, whose clock does not run yet. */
static struct scope *push_scope(lua_State *L, const struct sl_site *site,
                                int arg, int message_arg)
{
	struct scope *s;

	if (site->id != 0 && message_arg == 0) {
		s = lua_newuserdatauv(L, sizeof(*s), 0);
	} else {
		s = lua_newuserdatauv(L, sizeof(*s), message_arg != 0 ? 3 : 2);
		for (int i = 0; site->id == 0 && i < 2; i++) {
			lua_pushvalue(L, arg + i);
			lua_setiuservalue(L, -2, i + 1);
		}
		if (message_arg != 0) {
			lua_pushvalue(L, message_arg);
			lua_setiuservalue(L, -2, 3);
		}
	}
	s->begin = 0;
	s->site = *site;
	s->message = message_arg != 0 ? lua_tostring(L, message_arg) : NULL;
	lua_pushvalue(L, METATABLE);
	lua_setmetatable(L, -2);
	return s;
}

/* The scope that is argument 1: a userdata with this file's metatable. */
static struct scope *check_scope(lua_State *L)
{
	if (lua_getmetatable(L, 1) && lua_rawequal(L, -1, METATABLE)) {
		lua_pop(L, 1);
		return lua_touserdata(L, 1);
	}
	luaL_typeerror(L, 1, SCOPE);
	return NULL;
}

/* scope(SITE [, message]) */
static int scope(lua_State *L)
{
	struct sl_site site;

	if (!syscap_is_active()) {
		lua_pushvalue(L, ENDED);
		return 1;
	}
	const int arg = sl_site_check(L, 1, &site);
	const int message = lua_isnoneornil(L, arg) ? 0 : arg;
	if (message != 0)
		luaL_checkstring(L, message);
	push_scope(L, &site, 1, message)->begin = syscap_clock();
	return 1;
}

static int close_scope(lua_State *L)
{
	struct scope *const s = check_scope(L);

	if (s->begin != 0) {
		end(s, s->message);
		s->begin = 0;
	}
	return 0;
}

/* scope:finish([message]) */
static int finish(lua_State *L)
{
	struct scope *const s = check_scope(L);

	if (s->begin != 0) {
		end(s, luaL_optstring(L, 2, s->message));
		s->begin = 0;
	}
	return 0;
}

static int to_string(lua_State *L)
{
	const struct scope *const s = check_scope(L);

	lua_pushfstring(L, SCOPE " (%s)", s->begin != 0 ? "open" : "finished");
	return 1;
}

/* ---------------------------------------------------- around a function */

/* Returns the call's results: all values above the function's own. */
static int give_results(lua_State *L, int status, lua_KContext n_own)
{
	(void)status;
	return lua_gettop(L) - (int)n_own;
}

/*
 * Call the function below the @n arguments on top of the stack, within the
 * scope in the slot below the function.  An error passes through unchanged, so
 * that the caller's message handlers see the whole stack.
 */
static int call_within(lua_State *L, struct scope *s, int slot, int n)
{
	lua_toclose(L, slot);
	s->begin = syscap_clock();
	lua_callk(L, n, LUA_MULTRET, slot, give_results);
	return give_results(L, LUA_OK, slot);
}

/* within(SITE, f, ...): returns the results of f(...) */
static int within(lua_State *L)
{
	struct sl_site site;
	const int by_id = lua_type(L, 1) == LUA_TNUMBER;
	const int at = by_id ? 2 : 3; /* of f */
	const int n = lua_gettop(L) - at;

	if (n < 0)
		luaL_argerror(L, at, "a function was expected");
	if (!syscap_is_active()) {
		lua_callk(L, n, LUA_MULTRET, at - 1, give_results);
		return give_results(L, LUA_OK, at - 1);
	}
	sl_site_check(L, 1, &site);
	struct scope *const s = push_scope(L, &site, 1, 0);
	lua_insert(L, at);
	return call_within(L, s, at, n);
}

/* The function that traced() returns.  Upvalues 3 and 4: the traced function,
 * and its id. */
static int traced_call(lua_State *L)
{
	const int n = lua_gettop(L);

	lua_pushvalue(L, lua_upvalueindex(3));
	lua_insert(L, 1);
	if (!syscap_is_active()) {
		lua_callk(L, n, LUA_MULTRET, 0, give_results);
		return lua_gettop(L);
	}
	const struct sl_site site = { .id = (uint32_t)lua_tointeger(
					      L, lua_upvalueindex(4)) };
	luaL_checkstack(L, 4, NULL);
	struct scope *const s = push_scope(L, &site, 0, 0);
	lua_insert(L, 1);
	return call_within(L, s, 1, n);
}

/* The id for a function without a site: the place of its definition. */
static uint32_t id_of_function(lua_State *L)
{
	lua_Debug ar;

	luaL_argcheck(L, lua_isnoneornil(L, 2), 2,
	              "traced(f) or traced(group, name, f) was expected");
	lua_pushvalue(L, 1);
	lua_getinfo(L, ">S", &ar);
	return sl_id_get("lua",
	                 *ar.what == 'C'
	                         ? ar.short_src
	                         : lua_pushfstring(L, "%s:%d", ar.short_src,
	                                           ar.linedefined));
}

/* traced(f), traced(SITE, f): returns f with a mark for each call */
static int traced(lua_State *L)
{
	struct sl_site site = { .id = 0 };
	int at = 1; /* of f */

	if (lua_type(L, 1) == LUA_TFUNCTION) {
		site.id = id_of_function(L);
	} else {
		at = sl_site_check(L, 1, &site);
		luaL_checktype(L, at, LUA_TFUNCTION);
		if (site.id == 0)
			site.id = sl_id_get(site.group, site.name);
	}
	lua_pushvalue(L, METATABLE);
	lua_pushvalue(L, ENDED);
	lua_pushvalue(L, at);
	lua_pushinteger(L, (lua_Integer)site.id);
	lua_pushcclosure(L, traced_call, 4);
	return 1;
}

void sl_scopes_add(lua_State *L)
{
	static const luaL_Reg methods[] = { { "finish", finish },
		                            { NULL, NULL } };
	static const luaL_Reg events[] = { { "__close", close_scope },
		                           { "__tostring", to_string },
		                           { NULL, NULL } };
	static const luaL_Reg functions[] = { { "scope", scope },
		                              { "within", within },
		                              { "traced", traced },
		                              { NULL, NULL } };

	lua_newtable(L);
	lua_pushvalue(L, -1);
	luaL_setfuncs(L, events, 1);
	lua_newtable(L);
	lua_pushvalue(L, -2);
	luaL_setfuncs(L, methods, 1);
	lua_setfield(L, -2, "__index");
	lua_pushliteral(L, SCOPE);
	lua_setfield(L, -2, "__metatable");
	struct scope *const ended = lua_newuserdatauv(L, sizeof(*ended), 0);
	*ended = (struct scope){ .begin = 0 };
	lua_pushvalue(L, -2);
	lua_setmetatable(L, -2);
	lua_pushvalue(L, -3);
	lua_insert(L, -3); /* module, module, metatable, ended */
	luaL_setfuncs(L, functions, 2);
	lua_pop(L, 1);
}

#endif
