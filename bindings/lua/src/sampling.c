/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling.c - syscap.sampling{}, which shows the functions of a state in
 * samples.
 *
 * A state is followed at most once.  A box in the registry holds the state's
 * sl_follow, and the box's finalizer ends sampling when the state is closed.
 */
#include <stdlib.h>
#include <string.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "core.h"
#include "follow.h"
#include "options.h"
#include "tracking.h"

#define SAMPLING "syscap.sampling"

/* The result of sampling().  The pointer distinguishes samplings. */
struct handle {
	const struct sl_follow *follow;
};

static void end(lua_State *L, struct sl_follow **box)
{
	struct sl_follow *const f = *box;

	if (f == NULL)
		return;
#if LUA_VERSION_NUM == 504
	sl_tracking_remove(L);
#endif
	sl_follow_end(L, f);
	*box = NULL;
}

/* Runs when the state is closed. */
static int collect_box(lua_State *L)
{
	end(L, lua_touserdata(L, 1));
	return 0;
}

static int begin(lua_State *L, struct syscap_sampler_options *options,
                 int with_coroutines, int shows_lines)
{
	struct sl_follow **const box = sl_followed_box(L);

	(void)with_coroutines;
	if (*box != NULL && (*box)->is_guest) {
		strcpy(options->message, "sampled by SYSCAP_SAMPLE: joined");
		return 0;
	}
	if (*box != NULL) {
		strcpy(options->message, "this state is sampled already");
		return -1;
	}
	*box = sl_follow_begin(L, options, shows_lines);
	if (*box == NULL)
		return -1;
#if LUA_VERSION_NUM == 504
	sl_tracking_add(L, with_coroutines);
#endif
	return 0;
}

/* sampling{ ... }: a handle, and a description; or nil, and the reason */
static int sampling(lua_State *L)
{
	static const char *const known[] = { "hz",        "clock",
		                             "stacks",    "signal",
		                             "max_depth", "coroutines",
		                             "lines",     NULL };
	static const char *const clocks[] = { "auto", "cpu", "wall", "perf",
		                              NULL };
	static const char *const stacks[] = { "merged", "managed", "native",
		                              NULL };
	struct syscap_sampler_options options = { .size = sizeof(options) };
	int with_coroutines = 1, shows_lines = 0;

	if (!lua_isnoneornil(L, 1)) {
		luaL_checktype(L, 1, LUA_TTABLE);
		sl_options_check(L, 1, known);
		options.hz = (uint32_t)sl_options_integer(L, 1, "hz");
		options.clock = sl_options_choice(L, 1, "clock", clocks);
		options.stacks = sl_options_choice(L, 1, "stacks", stacks);
		options.signal = (int)sl_options_integer(L, 1, "signal");
		options.max_depth =
			(uint32_t)sl_options_integer(L, 1, "max_depth");
		with_coroutines = sl_options_boolean(L, 1, "coroutines", 1);
		shows_lines = sl_options_boolean(L, 1, "lines", 0);
	}
	struct handle *const handle = lua_newuserdata(L, sizeof(*handle));
	if (begin(L, &options, with_coroutines, shows_lines) != 0) {
		lua_pushnil(L);
		lua_pushstring(L, options.message);
		return 2;
	}
	handle->follow = sl_followed_by(L);
	luaL_setmetatable(L, SAMPLING);
	lua_pushstring(L, options.message);
	return 2;
}

/* handle:stop(): true if the sampling was running */
static int stop(lua_State *L)
{
	struct handle *const handle = luaL_checkudata(L, 1, SAMPLING);
	struct sl_follow **const box = sl_followed_box(L);
	const int is_on = handle->follow != NULL && *box == handle->follow;

	if (is_on && !(*box)->is_guest)
		end(L, box);
	handle->follow = NULL;
	lua_pushboolean(L, is_on);
	return 1;
}

/* handle:stats(): the counts; nil after the end */
static int stats(lua_State *L)
{
	static const char *const clocks[] = { "auto", "cpu", "wall", "perf" };
	const struct handle *const handle = luaL_checkudata(L, 1, SAMPLING);
	const struct sl_follow *const f = sl_followed_by(L);
	uint32_t hz, clock;

	if (f == NULL || f != handle->follow)
		return 0;
	sl_follow_rate(f, &hz, &clock);
	lua_createtable(L, 0, 4);
	sl_push_time(L, (int64_t)f->n_samples);
	lua_setfield(L, -2, "samples");
	sl_push_time(L, (int64_t)f->weight);
	lua_setfield(L, -2, "weight");
	sl_push_time(L, hz);
	lua_setfield(L, -2, "hz");
	lua_pushstring(L, clocks[clock & 3]);
	lua_setfield(L, -2, "clock");
	return 1;
}

/* Attaches this Lua state to a sampler that the environment has started, and
 * that ticks from the beginning.  SYSCAP_DEBUG=1 prints the result. */
static void follow_environment(lua_State *L)
{
	const char *const rate = getenv("SYSCAP_SAMPLE");
	const char *const toggle = getenv("SYSCAP_TOGGLE_SIGNAL");
	const char *const lines = getenv("SYSCAP_LINES");
	struct sl_follow **const box = sl_followed_box(L);

	if (*box != NULL || ((rate == NULL || *rate == '\0') &&
	                     (toggle == NULL || *toggle == '\0')))
		return;
	*box = sl_follow_environment(L, rate,
	                             lines != NULL && strcmp(lines, "1") == 0);
#if LUA_VERSION_NUM == 504
	if (*box != NULL)
		sl_tracking_add(L, 1);
#endif
}

void sl_sampling_add(lua_State *L)
{
	static const luaL_Reg methods[] = { { "stop", stop },
		                            { "stats", stats },
		                            { NULL, NULL } };

	sl_followed_init(L, collect_box);
	luaL_newmetatable(L, SAMPLING);
	lua_newtable(L);
	luaL_setfuncs(L, methods, 0);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, stop);
	lua_setfield(L, -2, "__close");
	lua_pushliteral(L, SAMPLING);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
	lua_pushcfunction(L, sampling);
	lua_setfield(L, -2, "sampling");
	follow_environment(L);
}
