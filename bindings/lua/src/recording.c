/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.c - recording of the process itself: syscap.start(), stop(),
 * drain(), stats(). */
#include <string.h>

#include <syscap.h>

#include "core.h"
#include "options.h"

static int refuse(lua_State *L, const char *why)
{
	lua_pushnil(L);
	lua_pushstring(L, why);
	return 2;
}

/* start{ output =, ... } or start(output): the file's name, or nil and the
 * reason */
static int start(lua_State *L)
{
	static const char *const known[] = { "output",   "max_bytes",
		                             "ring_kib", "interval_ms",
		                             "thread",   NULL };
	struct syscap_options options = { .size = sizeof(options) };

	if (lua_type(L, 1) == LUA_TSTRING) {
		options.output = lua_tostring(L, 1);
	} else {
		luaL_checktype(L, 1, LUA_TTABLE);
		sl_options_check(L, 1, known);
		options.output = sl_options_string(L, 1, "output", NULL);
		luaL_argcheck(L, options.output != NULL, 1,
		              "output: the name of the capture is missing");
		options.max_bytes = sl_options_integer(L, 1, "max_bytes");
		options.ring_kib =
			(uint32_t)sl_options_integer(L, 1, "ring_kib");
		options.interval_ms =
			(uint32_t)sl_options_integer(L, 1, "interval_ms");
		if (!sl_options_boolean(L, 1, "thread", 1))
			options.flags = SYSCAP_NO_THREAD;
	}
	if (syscap_start(&options) != 0)
		return refuse(L, options.message);
	lua_pushstring(L, options.message);
	return 1;
}

static int answer(lua_State *L, int r)
{
	if (r != 0)
		return refuse(L, strerror(-r));
	lua_pushboolean(L, 1);
	return 1;
}

static int stop(lua_State *L)
{
	return answer(L, syscap_stop());
}

static int drain(lua_State *L)
{
	return answer(L, syscap_drain());
}

/* stats(): counts of the process's events */
static int stats(lua_State *L)
{
	struct syscap_stats s = { .size = sizeof(s) };

	syscap_get_stats(&s);
	lua_createtable(L, 0, 8);
	lua_pushboolean(L, s.is_active);
	lua_setfield(L, -2, "is_active");
	lua_pushstring(L, s.reason);
	lua_setfield(L, -2, "reason");
	lua_pushstring(L, s.output);
	lua_setfield(L, -2, "output");
	sl_push_time(L, (int64_t)s.n_dropped);
	lua_setfield(L, -2, "dropped");
	sl_push_time(L, (int64_t)s.n_untold);
	lua_setfield(L, -2, "untold");
	sl_push_time(L, (int64_t)s.n_written);
	lua_setfield(L, -2, "written");
	sl_push_time(L, s.n_rings);
	lua_setfield(L, -2, "rings");
	return 1;
}

void sl_recording_add(lua_State *L)
{
	static const luaL_Reg functions[] = { { "start", start },
		                              { "stop", stop },
		                              { "drain", drain },
		                              { "stats", stats },
		                              { NULL, NULL } };

	luaL_setfuncs(L, functions, 0);
}
