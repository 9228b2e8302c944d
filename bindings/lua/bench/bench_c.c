/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_c.c - comparisons for bench.lua: the same events from C in the same
 * run, and a C function that does nothing.
 *
 * This module has its own copy of the library, and so its own ring.
 */
#include <lauxlib.h>
#include <lua.h>
#include <time.h>

#include <syscap.h>

SYSCAP_COUNTER(counter, "bench", "c", "of C", SYSCAP_INT64);

/* This thread's processor time, since other processes share the machine. */
static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int nop(lua_State *L)
{
	(void)L;
	return 0;
}

static int now(lua_State *L)
{
	lua_pushnumber(L, now_ns());
	return 1;
}

#pragma GCC visibility push(default)
void bench_c_nop(void);
void bench_c_nop(void)
{
}

int luaopen_bench_c(lua_State *L);
#pragma GCC visibility pop

/* pause(ms): lets the recorder empty the rings */
static int pause_here(lua_State *L)
{
	const long ms = (long)lua_tointeger(L, 1);
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
	return 0;
}

/* Each function: FUNCTION(n), returns the time of n events in ns */
static int c_mark(lua_State *L)
{
	const int n = (int)lua_tointeger(L, 1);
	const double begin = now_ns();

	for (int i = 0; i < n; i++)
		SYSCAP_MARK("bench", "mark", i, 1, "a message");
	lua_pushnumber(L, now_ns() - begin);
	return 1;
}

static int c_scope(lua_State *L)
{
	const int n = (int)lua_tointeger(L, 1);
	const double begin = now_ns();

	for (int i = 0; i < n; i++) {
		SYSCAP_SCOPE("bench", "scope");
		__asm__ volatile("" ::: "memory");
	}
	lua_pushnumber(L, now_ns() - begin);
	return 1;
}

static int c_counter(lua_State *L)
{
	const int n = (int)lua_tointeger(L, 1);
	const double begin = now_ns();

	for (int i = 0; i < n; i++)
		SYSCAP_COUNTER_SET(counter, i);
	lua_pushnumber(L, now_ns() - begin);
	return 1;
}

/* drops(): number of lost frames of this copy */
static int drops(lua_State *L)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	lua_pushnumber(L, (lua_Number)stats.n_dropped);
	return 1;
}

int luaopen_bench_c(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{ "nop", nop },          { "now", now },
		{ "pause", pause_here }, { "mark", c_mark },
		{ "scope", c_scope },    { "counter", c_counter },
		{ "drops", drops },      { NULL, NULL }
	};

	lua_newtable(L);
	luaL_setfuncs(L, functions, 0);
	return 1;
}
