/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - a Lua state whose stacks the sampler shows.  By hooks in
 * Lua 5.4 (hooks.c), by the profiler that LuaJIT has in LuaJIT (profile.c).
 *
 * Made on the thread that runs the state.  The memory is not the state's:
 * where another thread closes it, handlers of ours may still look at it, and
 * it is left to them.
 */
#ifndef SYSCAP_LUA_FOLLOW_H
#define SYSCAP_LUA_FOLLOW_H

#include <pthread.h>
#include <stdint.h>

#include <lua.h>

#include <syscap/runtime.h>
#include <syscap/sampler.h>

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

/**
 * Begin to show the stacks of @L, and have ticks come.  NULL:
 * @options->message says why not.
 */
struct sl_follow *sl_follow_begin(lua_State *L,
                                  struct syscap_sampler_options *options);

/**
 * The same, for ticks that the environment has asked for: @rate is
 * SYSCAP_SAMPLE, or NULL where ticks may come later.  NULL: there are none
 * that could be followed.
 */
struct sl_follow *sl_follow_environment(lua_State *L, const char *rate);

/** @L: the state's, any of its threads.  Frees @f. */
void sl_follow_end(lua_State *L, struct sl_follow *f);

/** How often it ticks, by which clock (enum syscap_sampler_clock). */
void sl_follow_rate(const struct sl_follow *f, uint32_t *ret_hz,
                    uint32_t *ret_clock);

/** What @L is followed by; NULL: it is not.  (sampling.c) */
struct sl_follow *sl_follow_of(lua_State *L);

/* --------------------------------------------------- Lua 5.4: hooks.c */

extern const struct syscap_provider sl_hooks_provider;

/** Take away our hook, if @L has it, and have the tick told now. */
void sl_hooks_settle(struct sl_follow *f, lua_State *L);

/** A new thread has got the hook of who made it: let it be the program's. */
void sl_hooks_disown(struct sl_follow *f, lua_State *L);

/* ------------------------------------------------ Lua 5.4: tracking.c */

/**
 * Put our functions in the place of those of coroutine and debug; @is_full:
 * those of coroutine too.
 */
void sl_tracking_add(lua_State *L, int is_full);
void sl_tracking_remove(lua_State *L);

/* -------------------------------------------------------------- names.c */

/** Push the frame that @ar describes.  0: there is no more room. */
int sl_names_push(struct syscap_stack_sink *sink, const char *name,
                  const char *source, int line);

#endif
