/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * states.c - a host of Lua that opens and closes states during sampling.
 *
 * States are open one after another, several in a thread, or in their own
 * threads.  A foreign thread closes one of the states.
 *
 * The last state works for half a second of processor time, since the kernel
 * may have only 100 ticks per second.
 *
 * The program exits with 0 if all states did their work.  sampling() may report
 * that LuaJIT's only profiler is already in use, which is not a failure.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char program[] =
	"local syscap = require 'syscap'\n"
	"local sampling, why = syscap.sampling{ hz = 1000 }\n"
	"assert(sampling or why:find 'another', why)\n"
	"open = syscap.scope('states', 'open')\n"
	"local function leaf(x)\n"
	"  local h = x\n"
	"  for i = 1, 60 do h = (h * 31 + i) % 4294967291 end\n"
	"  return h\n"
	"end\n"
	"function work(n)\n"
	"  if jit and n >= 20000 then n = n * 20 end\n"
	"  local co = coroutine.wrap(function()\n"
	"    for i = 1, n do coroutine.yield(leaf(i)) end\n"
	"  end)\n"
	"  for i = 1, n do co() end\n"
	"  syscap.instant('states', 'worked')\n"
	"end\n"
	"function work_on(seconds)\n"
	"  local stop = os.clock() + seconds\n"
	"  repeat work(20000) until os.clock() >= stop\n"
	"end\n";

static void fail(const char *what)
{
	fprintf(stderr, "states: %s\n", what);
	exit(1);
}

static lua_State *open_state(void)
{
	lua_State *const L = luaL_newstate();

	if (L == NULL)
		fail("no state");
	luaL_openlibs(L);
	if (luaL_dostring(L, program) != 0)
		fail(lua_tostring(L, -1));
	return L;
}

static void call(lua_State *L, const char *function, lua_Number n)
{
	lua_getglobal(L, function);
	lua_pushnumber(L, n);
	if (lua_pcall(L, 1, 0, 0) != 0)
		fail(lua_tostring(L, -1));
}

static void work(lua_State *L, int n)
{
	call(L, "work", n);
}

static void *run_thread(void *unused)
{
	for (int i = 0; i < 5; i++) {
		lua_State *const L = open_state();

		work(L, 3000);
		lua_close(L);
	}
	return unused;
}

static void *run_and_leave(void *ret_state)
{
	lua_State *const L = open_state();

	work(L, 5000);
	*(lua_State **)ret_state = L;
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	lua_State *left = NULL;

	for (int i = 0; i < 20; i++) {
		lua_State *const L = open_state();
		lua_State *const inner = open_state();

		work(L, 1000);
		work(inner, 1000);
		lua_close(L);
		work(inner, 1000);
		lua_close(inner);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&threads[0], NULL, run_and_leave, &left);
	pthread_join(threads[0], NULL);
	lua_close(left);
	lua_State *const last = open_state();
	call(last, "work_on", 0.5);
	return 0; /* the program exits while sampled, with the state open */
}
