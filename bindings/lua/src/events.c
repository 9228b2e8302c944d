/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.c - marks, logs, metadata and embedded files of the Lua module.
 *
 * Without a recording, each function returns before it reads its arguments.
 */
#include <errno.h>
#include <string.h>

#include <syscap.h>

#include "core.h"

/* ------------------------------------------------------------------ sites */

uint32_t sl_id_get(const char *group, const char *name)
{
	const uint32_t id = syscap_mark_id(group, name);

	if (id != 0)
		return id;
	if (syscap_is_active())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "there are too many places for \"%s\" of "
		                  "group \"%s\"",
		                  name, group);
	return SL_ID_NONE;
}

int sl_site_check(lua_State *L, int arg, struct sl_site *ret_site)
{
	if (lua_type(L, arg) == LUA_TNUMBER) {
		const lua_Integer id = luaL_checkinteger(L, arg);

		luaL_argcheck(L, id >= 1 && id <= UINT32_MAX, arg,
		              "not an id of syscap.id()");
		ret_site->id = (uint32_t)id;
		return arg + 1;
	}
	ret_site->id = 0;
	ret_site->group = luaL_checkstring(L, arg);
	ret_site->name = luaL_checkstring(L, arg + 1);
	return arg + 2;
}

/* Works like luaL_optstring(), with a single call for a string. */
static const char *message_at(lua_State *L, int arg)
{
	const char *const message = lua_tostring(L, arg);

	return message != NULL ? message : luaL_optstring(L, arg, NULL);
}

static void emit(const struct sl_site *site, int64_t begin, int64_t duration,
                 const char *message)
{
	if (site->id != 0)
		syscap_mark_by_id(site->id, begin, duration, message);
	else
		syscap_mark(site->group, site->name, begin, duration, message);
}

/* id(group, name) */
static int id(lua_State *L)
{
	const char *const group = luaL_checkstring(L, 1);
	const char *const name = luaL_checkstring(L, 2);

	lua_pushinteger(L, (lua_Integer)sl_id_get(group, name));
	return 1;
}

/* ------------------------------------------------------------------ marks */

static int is_active(lua_State *L)
{
	lua_pushboolean(L, syscap_is_active());
	return 1;
}

static int now(lua_State *L)
{
	sl_push_time(L, syscap_clock());
	return 1;
}

static int begin(lua_State *L)
{
	sl_push_time(L, syscap_begin());
	return 1;
}

/* instant(SITE [, message]) */
static int instant(lua_State *L)
{
	struct sl_site site;

	if (!syscap_is_active())
		return 0;
	const int arg = sl_site_check(L, 1, &site);
	emit(&site, syscap_clock(), 0, message_at(L, arg));
	return 0;
}

/* mark(SITE, begin, duration [, message]) */
static int mark(lua_State *L)
{
	struct sl_site site;

	if (!syscap_is_active())
		return 0;
	const int arg = sl_site_check(L, 1, &site);
	const int64_t from = sl_check_whole(L, arg);
	const int64_t duration = sl_check_whole(L, arg + 1);
	emit(&site, from, duration, message_at(L, arg + 2));
	return 0;
}

/* since(SITE, begin [, message]) */
static int since(lua_State *L)
{
	struct sl_site site;

	if (!syscap_is_active())
		return 0;
	const int arg = sl_site_check(L, 1, &site);
	const int64_t from = sl_check_whole(L, arg);
	const char *const message = message_at(L, arg + 1);
	if (from != 0)
		emit(&site, from, syscap_clock() - from, message);
	return 0;
}

/* link(group, name, kind, number [, message]) */
static int link_mark(lua_State *L)
{
	static const char *const kinds[] = { "begin", "step", "end",
		                             "out",   "in",   NULL };

	if (!syscap_is_active())
		return 0;
	const char *const group = luaL_checkstring(L, 1);
	const char *const name = luaL_checkstring(L, 2);
	const unsigned kind = SYSCAP_LINK_BEGIN +
	                      (unsigned)luaL_checkoption(L, 3, NULL, kinds);
	const uint64_t number = (uint64_t)sl_check_whole(L, 4);
	syscap_linked(group, name, kind, number, message_at(L, 5));
	return 0;
}

/* ------------------------------------------------------------------- logs */

/* The severity of a name.  Unknown names count as a message. */
static unsigned severity_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned severity;
	} all[] = {
		{ "debug", SYSCAP_DEBUG },       { "info", SYSCAP_INFO },
		{ "warning", SYSCAP_WARNING },   { "error", SYSCAP_ERROR },
		{ "critical", SYSCAP_CRITICAL },
	};

	for (size_t i = 0; name != NULL && i < sizeof(all) / sizeof(all[0]);
	     i++)
		if (strcmp(name, all[i].name) == 0)
			return all[i].severity;
	return SYSCAP_MESSAGE;
}

/* log(domain, severity, message, ...): with further arguments, @message is a
 * format for string.format, the upvalue. */
static int log_line(lua_State *L)
{
	if (!syscap_is_active())
		return 0;
	const char *const domain = luaL_checkstring(L, 1);
	const unsigned severity = severity_of(lua_tostring(L, 2));
	luaL_checkstring(L, 3);
	const int n = lua_gettop(L);
	if (n > 3) {
		lua_pushvalue(L, lua_upvalueindex(1));
		lua_insert(L, 3);
		lua_call(L, n - 2, 1);
	}
	syscap_log(severity, domain, lua_tostring(L, 3));
	return 0;
}

/* metadata(id, value) */
static int metadata(lua_State *L)
{
	if (!syscap_is_active())
		return 0;
	const char *const key = luaL_checkstring(L, 1);
	syscap_metadata(key, luaL_checkstring(L, 2));
	return 0;
}

/* file(path, bytes): true, or nil and the reason */
static int file(lua_State *L)
{
	size_t size;
	const char *const path = luaL_checkstring(L, 1);
	const char *const data = luaL_checklstring(L, 2, &size);
	const int r = syscap_file(path, data, size);

	if (r == 0) {
		lua_pushboolean(L, 1);
		return 1;
	}
	lua_pushnil(L);
	lua_pushfstring(L, "%s: %s", path, strerror(-r));
	return 2;
}

void sl_events_add(lua_State *L)
{
	static const luaL_Reg functions[] = { { "is_active", is_active },
		                              { "now", now },
		                              { "begin", begin },
		                              { "id", id },
		                              { "instant", instant },
		                              { "mark", mark },
		                              { "since", since },
		                              { "link", link_mark },
		                              { "metadata", metadata },
		                              { "file", file },
		                              { NULL, NULL } };

	luaL_setfuncs(L, functions, 0);
	lua_getglobal(L, "string");
	lua_getfield(L, -1, "format");
	lua_remove(L, -2);
	lua_pushcclosure(L, log_line, 1);
	lua_setfield(L, -2, "log");
}
