/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * followed.h - what a Lua state is followed by, and where it keeps that.
 *
 * Made on the thread that runs the state.  The memory is not the state's:
 * where another thread closes it, handlers of ours may still look at it, and
 * it is left to them.
 */
#ifndef SYSCAP_LUA_FOLLOWED_H
#define SYSCAP_LUA_FOLLOWED_H

#include <lua.h>
#include <pthread.h>
#include <stdint.h>

#include <syscap/runtime.h>

/** A coroutine that runs was resumed by @by, which waits. */
struct sl_resume {
	lua_State *by;
	const struct sl_resume *older;
};

struct sl_follow {
	struct syscap_attachment *attachment;
	pthread_t thread;
	uint64_t n_samples, weight; /* told so far */
	int is_guest;               /* of a sampler that goes on without it */
	int shows_lines;            /* that run, not of definitions */

	/* Whose stack is shown: what runs, or NULL.  Handlers read it. */
	lua_State *running;

	/* Lua 5.4.  Handlers read and write these. */
	const struct sl_resume *resumes; /* the innermost */
	int is_busy;       /* hooks are being changed: no request */
	lua_State *hooked; /* has our hook in place of ... */
	lua_Hook hook;     /* ... the program's, or NULL */
	int mask, count;

	/* LuaJIT */
	int vmstate; /* of the profiler's tick */
	uint32_t hz;
	int64_t told_ns; /* processor time that weights stand for so far */
};

/** Have a place for it in the registry of @L; @collect is its finalizer. */
void sl_followed_init(lua_State *L, lua_CFunction collect);

/** That place; NULL: there is none. */
struct sl_follow **sl_followed_box(lua_State *L);

/** What @L is followed by; NULL: it is not. */
struct sl_follow *sl_followed_by(lua_State *L);

#endif
