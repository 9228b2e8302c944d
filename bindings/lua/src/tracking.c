/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracking.c - the running coroutine in Lua 5.4, by replacements of
 * coroutine.create, resume and wrap, and of debug.sethook and gethook.
 *
 * The replacements behave like the originals.  While the state is followed,
 * resume() sets the running coroutine, and all replacements hide syscap's hook
 * from the program.  Originals that a program kept, and lua_resume() in C code,
 * work as before.  Ticks in a coroutine that they resumed go to the function
 * that called them.
 */
#include "core.h"

#if LUA_VERSION_NUM == 504

#include <lauxlib.h>

#include "followed.h"
#include "hooks.h"
#include "tracking.h"

/* key in the registry: table of the originals */
static const char saved_key = 0;

/* From hold() to let_go(), ticks request no hook. */
static void hold(struct sl_follow *f, lua_State *L)
{
	__atomic_store_n(&f->is_busy, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sl_hooks_settle(f, L);
}

/* Ends hold(), with @running as the running coroutine. */
static void let_go(struct sl_follow *f, lua_State *running)
{
	__atomic_store_n(&f->running, running, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&f->is_busy, 0, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------- coroutines */

static int run(lua_State *L, lua_State *co, int n, int *ret_n)
{
	struct sl_follow *const f = sl_followed_by(L);

	if (f == NULL)
		return lua_resume(co, L, n, ret_n);
	const struct sl_resume link = { .by = L, .older = f->resumes };
	lua_State *const before = f->running;
	hold(f, L);
	f->resumes = &link;
	let_go(f, co);
	const int status = lua_resume(co, L, n, ret_n);
	/* The coroutine may have ended sampling */
	if (sl_followed_by(L) == f) {
		hold(f, co);
		f->resumes = link.older;
		let_go(f, before);
	}
	return status;
}

/* Resume @co with the @n values on top of @L, and push its results or the error
 * value.  Returns the number of results, or -1. */
static int resume_with(lua_State *L, lua_State *co, int n)
{
	int n_results;

	if (!lua_checkstack(co, n)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	lua_xmove(L, co, n);
	const int status = run(L, co, n, &n_results);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_xmove(co, L, 1);
		return -1;
	}
	if (!lua_checkstack(L, n_results + 1)) {
		lua_pop(co, n_results);
		lua_pushliteral(L, "too many results to resume");
		return -1;
	}
	lua_xmove(co, L, n_results);
	return n_results;
}

static lua_State *check_thread(lua_State *L)
{
	lua_State *const co = lua_tothread(L, 1);

	luaL_argexpected(L, co != NULL, 1, "thread");
	return co;
}

static int resume(lua_State *L)
{
	lua_State *const co = check_thread(L);
	const int n = resume_with(L, co, lua_gettop(L) - 1);

	lua_pushboolean(L, n >= 0);
	if (n < 0) {
		lua_insert(L, -2);
		return 2;
	}
	lua_insert(L, -(n + 1));
	return n + 1;
}

static int create(lua_State *L)
{
	struct sl_follow *const f = sl_followed_by(L);

	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_State *const co = lua_newthread(L);
	if (f != NULL)
		sl_hooks_disown(f, co);
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	return 1;
}

/* The function that wrap() returns.  The upvalue is the coroutine. */
static int wrapped(lua_State *L)
{
	lua_State *const co = lua_tothread(L, lua_upvalueindex(1));
	const int n = resume_with(L, co, lua_gettop(L));

	if (n >= 0)
		return n;
	const int status = lua_status(co);
	if (status != LUA_OK && status != LUA_YIELD) {
		/* After an error, closes the coroutine's variables, which may
		 * change the error value */
		lua_resetthread(co);
		lua_xmove(co, L, 1);
	}
	if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

static int wrap(lua_State *L)
{
	create(L);
	lua_pushcclosure(L, wrapped, 1);
	return 1;
}

/* ------------------------------------------------------------------ hooks */

/*
 * Calls the original, the upvalue, without syscap's hook.  The call is a direct
 * C call, since lua_call() would trigger the program's hook a second time.
 */
static int guarded(lua_State *L)
{
	struct sl_follow *const f = sl_followed_by(L);
	const lua_CFunction original = lua_tocfunction(L, lua_upvalueindex(1));

	if (f == NULL)
		return original(L);
	hold(f, L);
	const int n = original(L);
	let_go(f, f->running);
	return n;
}

static int gethook(lua_State *L)
{
	return guarded(L);
}

/* Checks arguments first, because an error after hold() would skip let_go(). */
static int sethook(lua_State *L)
{
	const int arg = lua_isthread(L, 1) ? 1 : 0;

	if (!lua_isnoneornil(L, arg + 1)) {
		luaL_checkstring(L, arg + 2);
		luaL_checktype(L, arg + 1, LUA_TFUNCTION);
		luaL_optinteger(L, arg + 3, 0);
	}
	return guarded(L);
}

/* ------------------------------------------------------------ replacement */

struct replacement {
	const char *table, *name;
	lua_CFunction function;
	int calls_original;
};

static const struct replacement replacements[] = {
	{ "debug", "sethook", sethook, 1 },
	{ "debug", "gethook", gethook, 1 },
	{ "coroutine", "create", create, 0 },
	{ "coroutine", "wrap", wrap, 0 },
	{ "coroutine", "resume", resume, 0 },
};
#define N_REPLACEMENTS (sizeof(replacements) / sizeof(replacements[0]))

/* Push the table of @r in package.loaded, or nil. */
static void push_library(lua_State *L, const struct replacement *r)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_getfield(L, -1, r->table);
	lua_remove(L, -2);
}

/* True if the function on top of the stack is a C function of Lua itself. */
static int is_plain(lua_State *L)
{
	if (lua_tocfunction(L, -1) == NULL)
		return 0;
	if (lua_getupvalue(L, -1, 1) == NULL)
		return 1;
	lua_pop(L, 1);
	return 0;
}

static void replace(lua_State *L, unsigned i)
{
	const struct replacement *const r = &replacements[i];

	lua_getfield(L, -1, r->name);
	if (!r->calls_original || is_plain(L)) {
		lua_pushvalue(L, -1);
		lua_rawseti(L, -4, 2 * (int)i);
		lua_pushcclosure(L, r->function, 1);
		lua_pushvalue(L, -1);
		lua_rawseti(L, -4, 2 * (int)i + 1);
		lua_setfield(L, -2, r->name);
	} else {
		lua_pop(L, 1);
	}
}

void sl_tracking_add(lua_State *L, int is_full)
{
	lua_newtable(L); /* [2i]: the original, [2i + 1]: the replacement */
	for (unsigned i = 0; i < N_REPLACEMENTS; i++) {
		const struct replacement *const r = &replacements[i];

		push_library(L, r);
		if (lua_istable(L, -1) && (is_full || r->calls_original))
			replace(L, i);
		lua_pop(L, 1);
	}
	lua_rawsetp(L, LUA_REGISTRYINDEX, &saved_key);
}

/* Keep a function of the program that has replaced the replacement. */
void sl_tracking_remove(lua_State *L)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &saved_key) != LUA_TTABLE) {
		lua_pop(L, 1);
		return;
	}
	for (unsigned i = 0; i < N_REPLACEMENTS; i++) {
		const struct replacement *const r = &replacements[i];

		push_library(L, r);
		if (lua_istable(L, -1)) {
			lua_getfield(L, -1, r->name);
			lua_rawgeti(L, -3, 2 * (int)i + 1);
			if (!lua_isnil(L, -1) && lua_rawequal(L, -1, -2)) {
				lua_rawgeti(L, -4, 2 * (int)i);
				lua_setfield(L, -4, r->name);
			}
			lua_pop(L, 2);
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	lua_pushnil(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &saved_key);
}

#endif
