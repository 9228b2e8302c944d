/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - begin and end of following a Lua state, so that the sampler shows
 * the state's stacks.  Lua 5.4 uses hooks (follow.c), LuaJIT its own profiler
 * (profile.c).
 */
#ifndef SYSCAP_LUA_FOLLOW_H
#define SYSCAP_LUA_FOLLOW_H

#include <syscap/sampler.h>

#include "followed.h"

/**
 * Begin to show the stacks of @L, with ticks.  @shows_lines: running lines
 * instead of lines of definitions.  On failure, returns NULL and stores the
 * reason in @options->message.
 */
struct sl_follow *sl_follow_begin(lua_State *L,
                                  struct syscap_sampler_options *options,
                                  int shows_lines);

/**
 * Begin to show the stacks of @L with ticks that the environment requests.
 * @rate is SYSCAP_SAMPLE, or NULL if ticks may come later.  Returns NULL if the
 * ticks are not usable.
 */
struct sl_follow *sl_follow_environment(lua_State *L, const char *rate,
                                        int shows_lines);

/** @L: any thread of the state.  Frees @f. */
void sl_follow_end(lua_State *L, struct sl_follow *f);

/** Return the rate and the clock of the ticks (enum syscap_sampler_clock). */
void sl_follow_rate(const struct sl_follow *f, uint32_t *ret_hz,
                    uint32_t *ret_clock);

#endif
