/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - begin and end following a Lua state, so that the sampler shows
 * its stacks.  By hooks in Lua 5.4 (follow.c), by the profiler that LuaJIT has
 * in LuaJIT (profile.c).
 */
#ifndef SYSCAP_LUA_FOLLOW_H
#define SYSCAP_LUA_FOLLOW_H

#include <syscap/sampler.h>

#include "followed.h"

/**
 * Begin to show the stacks of @L, and have ticks come.  @shows_lines: those
 * that run, not of definitions.  NULL: @options->message says why not.
 */
struct sl_follow *sl_follow_begin(lua_State *L,
                                  struct syscap_sampler_options *options,
                                  int shows_lines);

/**
 * The same, for ticks that the environment has asked for: @rate is
 * SYSCAP_SAMPLE, or NULL where ticks may come later.  NULL: there are none
 * that could be followed.
 */
struct sl_follow *sl_follow_environment(lua_State *L, const char *rate,
                                        int shows_lines);

/** @L: the state's, any of its threads.  Frees @f. */
void sl_follow_end(lua_State *L, struct sl_follow *f);

/** How often it ticks, by which clock (enum syscap_sampler_clock). */
void sl_follow_rate(const struct sl_follow *f, uint32_t *ret_hz,
                    uint32_t *ret_clock);

#endif
