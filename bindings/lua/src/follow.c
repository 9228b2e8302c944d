/* SPDX-License-Identifier: BSD-2-Clause */
/* follow.c - begin and end of following a state of Lua 5.4 (follow.h), by its
 * provider (hooks.c) and the sampler. */
#include "core.h"

#if LUA_VERSION_NUM == 504

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "follow.h"
#include "hooks.h"

/* Several states of the process may be followed, each on its own thread.  The
 * first state starts the sampler, and the last state stops it. */
static struct {
	pthread_mutex_t lock;
	int n;
	int has_started; /* false: the sampler ran before, and continues */
} followed = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* True if the environment or the host has started the sampler of this copy of
 * the library.  This state then uses its ticks.  The sampler may be just
 * starting. */
static int is_sampled(void)
{
	for (int i = 0; i < 50; i++) {
		const struct timespec pause = { 0, 5000000 };
		struct syscap_sampler_stats stats = { .size = sizeof(stats) };

		syscap_sampler_get_stats(&stats);
		if (stats.n_threads > 0)
			return 1;
		if (stats.hz == 0)
			return 0;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int start_sampler(struct syscap_sampler_options *options)
{
	int r = 0;

	pthread_mutex_lock(&followed.lock);
	if (followed.n == 0) {
		r = syscap_sampler_start(options);
		followed.has_started = r == 0;
		if (r == -EALREADY && is_sampled())
			r = 0;
	}
	if (r == 0 && (followed.n > 0 || !followed.has_started))
		snprintf(options->message, sizeof(options->message),
		         "the process is sampled already: joined");
	if (r == 0)
		followed.n++;
	pthread_mutex_unlock(&followed.lock);
	return r;
}

static void stop_sampler(void)
{
	pthread_mutex_lock(&followed.lock);
	if (--followed.n == 0 && followed.has_started)
		syscap_sampler_stop();
	pthread_mutex_unlock(&followed.lock);
}

void sl_follow_rate(const struct sl_follow *f, uint32_t *ret_hz,
                    uint32_t *ret_clock)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	(void)f;
	syscap_sampler_get_stats(&stats);
	*ret_hz = stats.hz;
	*ret_clock = stats.clock;
}

/* Begins with the main coroutine, even if another coroutine is running, since
 * the end of a running coroutine would be unnoticed. */
static struct sl_follow *attach(lua_State *L, int shows_lines)
{
	struct sl_follow *const f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
	f->running = lua_tothread(L, -1);
	lua_pop(L, 1);
	f->thread = pthread_self();
	f->shows_lines = shows_lines;
	f->attachment = syscap_attach_thread(&sl_hooks_provider, f);
	if (f->attachment != NULL)
		return f;
	free(f);
	return NULL;
}

struct sl_follow *sl_follow_environment(lua_State *L, const char *rate,
                                        int shows_lines)
{
	struct sl_follow *const f = attach(L, shows_lines);

	(void)rate;
	if (f != NULL)
		f->is_guest = 1;
	return f;
}

struct sl_follow *sl_follow_begin(lua_State *L,
                                  struct syscap_sampler_options *options,
                                  int shows_lines)
{
	struct sl_follow *const f = attach(L, shows_lines);

	if (f == NULL) {
		snprintf(options->message, sizeof(options->message),
		         "no memory, or more than 8 runtimes in a thread");
		return NULL;
	}
	if (start_sampler(options) == 0)
		return f;
	syscap_detach_thread(f->attachment);
	free(f);
	return NULL;
}

void sl_follow_end(lua_State *L, struct sl_follow *f)
{
	(void)L;
	if (!f->is_guest)
		stop_sampler();
	if (!pthread_equal(pthread_self(), f->thread)) {
		/* Only the state's thread can detach.  Without `running` its
		 * ticks find no stack */
		__atomic_store_n(&f->running, NULL, __ATOMIC_SEQ_CST);
		return;
	}
	__atomic_store_n(&f->is_busy, 1, __ATOMIC_SEQ_CST);
	if (f->hooked != NULL)
		sl_hooks_settle(f, f->hooked);
	syscap_detach_thread(f->attachment);
	free(f);
}

#endif
