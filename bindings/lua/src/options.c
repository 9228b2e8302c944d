/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - tables of named options (options.h). */
#include "options.h"

#include <string.h>

#include "core.h"

/* Raises an error about the option @key, at the Lua caller's position. */
static int complain(lua_State *L, int arg, const char *key, const char *what)
{
	return luaL_argerror(L, arg, lua_pushfstring(L, "%s: %s", key, what));
}

void sl_options_check(lua_State *L, int arg, const char *const *known)
{
	lua_pushnil(L);
	while (lua_next(L, arg) != 0) {
		const char *key = "?";
		int i = 0;

		lua_pop(L, 1);
		if (lua_type(L, -1) == LUA_TSTRING)
			key = lua_tostring(L, -1);
		while (known[i] != NULL && strcmp(known[i], key) != 0)
			i++;
		if (known[i] == NULL)
			complain(L, arg, key, "there is no such option");
	}
}

const char *sl_options_string(lua_State *L, int arg, const char *key,
                              const char *otherwise)
{
	const char *text = otherwise;

	lua_getfield(L, arg, key);
	if (lua_type(L, -1) == LUA_TSTRING)
		text = lua_tostring(L, -1);
	else if (!lua_isnil(L, -1))
		complain(L, arg, key, "a string was expected");
	lua_pop(L, 1);
	return text;
}

uint64_t sl_options_integer(lua_State *L, int arg, const char *key)
{
	lua_Number number = 0;

	lua_getfield(L, arg, key);
	if (lua_type(L, -1) == LUA_TNUMBER)
		number = lua_tonumber(L, -1);
	else if (!lua_isnil(L, -1))
		complain(L, arg, key, "a number was expected");
	lua_pop(L, 1);
	if (!(number >= 0 && number <= 9007199254740992.0) ||
	    (lua_Number)(uint64_t)number != number)
		complain(L, arg, key, "not a whole number, or out of range");
	return (uint64_t)number;
}

int sl_options_boolean(lua_State *L, int arg, const char *key, int otherwise)
{
	int value = otherwise;

	lua_getfield(L, arg, key);
	if (lua_isboolean(L, -1))
		value = lua_toboolean(L, -1);
	else if (!lua_isnil(L, -1))
		complain(L, arg, key, "true or false was expected");
	lua_pop(L, 1);
	return value;
}

unsigned sl_options_choice(lua_State *L, int arg, const char *key,
                           const char *const *names)
{
	const char *const text = sl_options_string(L, arg, key, names[0]);
	unsigned i = 0;

	while (names[i] != NULL && strcmp(names[i], text) != 0)
		i++;
	if (names[i] == NULL)
		complain(L, arg, key,
		         lua_pushfstring(L, "there is no '%s'", text));
	return i;
}
