/* SPDX-License-Identifier: BSD-2-Clause */
/* followed.c - storage of a Lua state's sl_follow in a box of the registry. */
#include "followed.h"

#include "core.h"

static const char box_key = 0;

void sl_followed_init(lua_State *L, lua_CFunction collect)
{
	if (sl_followed_box(L) != NULL)
		return;
	struct sl_follow **const box = lua_newuserdata(L, sizeof(*box));
	*box = NULL;
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, collect);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	sl_registry_set(L, &box_key);
}

struct sl_follow **sl_followed_box(lua_State *L)
{
	sl_registry_get(L, &box_key);
	struct sl_follow **const box = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return box;
}

struct sl_follow *sl_followed_by(lua_State *L)
{
	struct sl_follow **const box = sl_followed_box(L);

	return box != NULL ? *box : NULL;
}
