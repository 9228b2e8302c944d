/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * followed.h - struct sl_follow of a followed Lua state, and its storage.
 *
 * The thread that runs the state makes its sl_follow.  If another thread closes
 * the state, handlers may still read the sl_follow, and the memory is never
 * freed.
 */
#ifndef SYSCAP_LUA_FOLLOWED_H
#define SYSCAP_LUA_FOLLOWED_H

#include <lua.h>
#include <pthread.h>
#include <stdint.h>

#include <syscap/runtime.h>

/** A running coroutine, which @by has resumed.  @by waits. */
struct sl_resume {
	lua_State *by;
	const struct sl_resume *older;
};

struct sl_follow {
	struct syscap_attachment *attachment;
	pthread_t thread;
	uint64_t n_samples, weight; /* counts of the recorded samples */
	int is_guest; /* the sampler also runs without this state */
	/* names have running lines, not lines of definitions */
	int shows_lines;

	/* The running coroutine, whose stack is shown, or NULL.  Handlers read
	 * this member. */
	lua_State *running;

	/* Lua 5.4.  Handlers read and write these members. */
	const struct sl_resume *resumes; /* the innermost */
	/* true while hooks change: a tick makes no request */
	int is_busy;
	/* state with syscap's hook */
	lua_State *hooked;
	lua_Hook hook; /* replaced hook of the program, or NULL */
	int mask, count;

	/* LuaJIT */
	int vmstate; /* state of LuaJIT at the profiler's tick */
	uint32_t hz;
	int64_t told_ns; /* processor time that weights have counted so far */
};

/** Make the box in the registry of @L; @collect is its finalizer. */
void sl_followed_init(lua_State *L, lua_CFunction collect);

/** The box; NULL: no box. */
struct sl_follow **sl_followed_box(lua_State *L);

/** The sl_follow of @L; NULL: not followed. */
struct sl_follow *sl_followed_by(lua_State *L);

#endif
