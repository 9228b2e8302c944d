/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.c - stacks of LuaJIT by its own profiler, since compiled code ignores
 * hooks.
 *
 * The profiler ticks by SIGPROF and the processor time of the process, at the
 * kernel's own tick (100 to 1,000 a second).  The profiler calls back when the
 * stack is complete.  A sample's weight is its thread's work since the previous
 * sample, so that weights add up to the requested rate.
 *
 * A process has one profiler, whose only output is a dump of the stack as text.
 */
#include "core.h"

#if LUA_VERSION_NUM == 501

#include <ctype.h>
#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "follow.h"
#include "names.h"

#define MAX_HZ    1000u
#define MAX_DEPTH 512

static struct {
	pthread_mutex_t lock;
	struct sl_follow *owner;
} profiler = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* -------------------------------------------------------------- the stack */

/* Push a frame from LuaJIT's text.  The text is "file:name", "file:line" of an
 * unnamed function (0: the main chunk), "name" of LuaJIT's own functions, or
 * "@address" of C functions.  @runs: "file:line" of the running line, or NULL.
 */
static int push_frame(struct syscap_stack_sink *sink, char *text,
                      const char *runs)
{
	char *const colon = strrchr(text, ':');
	int line = 0;

	if (colon == NULL)
		return sl_names_push(sink, *text == '@' ? NULL : text, "", -1);
	*colon = '\0';
	runs = runs != NULL ? strrchr(runs, ':') : NULL;
	if (runs != NULL)
		line = atoi(runs + 1);
	if (!isdigit((unsigned char)colon[1]))
		return sl_names_push(sink, colon + 1, text,
		                     line > 0 ? line : -2);
	const int defined = atoi(colon + 1);
	return sl_names_push(sink, defined == 0 ? "main chunk" : NULL, text,
	                     line > 0 ? line : defined);
}

static int push_label(struct syscap_stack_sink *sink, const char *name)
{
	const struct syscap_stack_frame frame = {
		.kind = SYSCAP_CALL_NAME,
		.flags = SYSCAP_CALL_LABEL,
		.value = syscap_jit_intern(name, strlen(name)),
	};

	return syscap_stack_push(sink, &frame);
}

static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *data)
{
	const struct sl_follow *const f = data;
	size_t size, room;

	(void)regs;
	if (f->running == NULL)
		return SYSCAP_WALK_GONE;
	if (f->vmstate == 'G' && !push_label(sink, "[garbage collector]"))
		return 0;
	if (f->vmstate == 'J' && !push_label(sink, "[JIT compiler]"))
		return 0;
	/* Characters other than format characters appear unchanged */
	const char *at = luaJIT_profile_dumpstack(
		f->running, f->shows_lines ? "pF\nl;" : "pF;", MAX_DEPTH,
		&size);
	const char *const end = at + size;
	char *const text = syscap_stack_scratch(sink, &room);
	while (at < end) {
		const char *const next = memchr(at, ';', (size_t)(end - at));
		size_t n = (size_t)((next != NULL ? next : end) - at);

		if (n > room - 1)
			n = room - 1;
		memcpy(text, at, n);
		text[n] = '\0';
		char *const newline = strchr(text, '\n');
		if (newline != NULL)
			*newline = '\0';
		if (!push_frame(sink, text,
		                newline != NULL ? newline + 1 : NULL) ||
		    next == NULL)
			break;
		at = next + 1;
	}
	return 0;
}

static const struct syscap_provider provider = {
	.size = sizeof(provider),
	.caps = SYSCAP_PROVIDER_PUSH,
	.name = "LuaJIT",
	.walk = walk,
};

/* --------------------------------------------------------------- the ticks */

static int64_t worked_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The interpreter calls this function, not in a handler.  If the host moves the
 * state to another thread, the other thread is not attached. */
static void on_profile(void *data, lua_State *L, int n, int vmstate)
{
	struct sl_follow *const f = data;
	const int64_t period_ns = 1000000000 / f->hz;

	(void)n;
	if (!pthread_equal(pthread_self(), f->thread))
		return;
	const int64_t weight = (worked_ns() - f->told_ns) / period_ns;
	if (weight <= 0) /* other threads have run in between */
		return;
	f->told_ns += weight * period_ns;
	f->running = L;
	f->vmstate = vmstate;
	if (syscap_sample_push(f->attachment, NULL, (uint32_t)weight) == 0) {
		f->n_samples++;
		f->weight += (uint64_t)weight;
	}
}

static int take_profiler(struct sl_follow *f)
{
	int is_free;

	pthread_mutex_lock(&profiler.lock);
	is_free = profiler.owner == NULL;
	if (is_free)
		profiler.owner = f;
	pthread_mutex_unlock(&profiler.lock);
	return is_free;
}

static void give_profiler(void)
{
	pthread_mutex_lock(&profiler.lock);
	profiler.owner = NULL;
	pthread_mutex_unlock(&profiler.lock);
}

/* The reason why the profiler can't start, or NULL. */
static const char *refuse(const struct syscap_sampler_options *o)
{
	if (o->hz > MAX_HZ)
		return "hz: LuaJIT's profiler ticks up to 1000 times a second";
	if (o->clock > SYSCAP_SAMPLER_CPU)
		return "clock: LuaJIT's profiler has \"cpu\" only";
	if (o->signal != 0 || o->stacks != 0 || o->max_depth != 0)
		return "signal, stacks and max_depth are not for LuaJIT, "
		       "whose own profiler is used";
	return NULL;
}

static void on_late_tick(int signal)
{
	(void)signal;
}

/*
 * Sets an empty handler for SIGPROF.  When LuaJIT's profiler ends, LuaJIT
 * restores the previous action.  The default action would kill the process at a
 * pending tick, and executed programs would inherit an ignored signal.  This
 * module is never unloaded, so the handler stays valid.
 */
static void outlive_late_ticks(void)
{
	const struct sigaction action = { .sa_handler = on_late_tick,
		                          .sa_flags = SA_RESTART };
	struct sigaction is;

	if (sigaction(SIGPROF, NULL, &is) == 0 && is.sa_handler == SIG_DFL)
		sigaction(SIGPROF, &action, NULL);
}

struct sl_follow *sl_follow_begin(lua_State *L,
                                  struct syscap_sampler_options *options,
                                  int shows_lines)
{
	struct sl_follow *f = NULL;
	const char *why = refuse(options);
	char mode[16];

	if (why == NULL)
		f = calloc(1, sizeof(*f));
	if (f != NULL) {
		f->hz = options->hz != 0 ? options->hz : MAX_HZ;
		f->thread = pthread_self();
		f->running = L;
		f->shows_lines = shows_lines;
		f->told_ns = worked_ns();
		f->attachment = syscap_attach_thread(&provider, f);
		why = "no memory, or more than 8 runtimes in a thread";
	}
	if (f != NULL && f->attachment != NULL) {
		if (take_profiler(f)) {
			/* f: compiled code checks for ticks at functions;
			 * l: at lines */
			snprintf(mode, sizeof(mode), "%ci%u",
			         shows_lines ? 'l' : 'f', 1000 / f->hz);
			outlive_late_ticks();
			luaJIT_profile_start(L, mode, on_profile, f);
			snprintf(
				options->message, sizeof(options->message),
				"%u Hz of processor time, by the profiler of " LUAJIT_VERSION,
				f->hz);
			return f;
		}
		syscap_detach_thread(f->attachment);
		why = "LuaJIT has one profiler in a process, and another "
		      "state has it";
	}
	snprintf(options->message, sizeof(options->message), "%s", why);
	free(f);
	return NULL;
}

/* The environment's sampler does not see compiled code.  LuaJIT's profiler
 * replaces the sampler, since each tick would otherwise be recorded twice. */
struct sl_follow *sl_follow_environment(lua_State *L, const char *rate,
                                        int shows_lines)
{
	struct syscap_sampler_options options = { .size = sizeof(options) };

	if (rate == NULL)
		return NULL;
	const unsigned long hz = strtoul(rate, NULL, 10);
	options.hz = hz == 0 || hz > MAX_HZ ? MAX_HZ : (uint32_t)hz;
	struct sl_follow *const f = sl_follow_begin(L, &options, shows_lines);
	if (f != NULL) {
		f->is_guest = 1;
		syscap_sampler_stop();
	}
	return f;
}

void sl_follow_rate(const struct sl_follow *f, uint32_t *ret_hz,
                    uint32_t *ret_clock)
{
	*ret_hz = f->hz;
	*ret_clock = SYSCAP_SAMPLER_CPU;
}

void sl_follow_end(lua_State *L, struct sl_follow *f)
{
	luaJIT_profile_stop(L);
	give_profiler();
	if (!pthread_equal(pthread_self(), f->thread)) {
		f->running = NULL; /* only the state's thread can detach */
		return;
	}
	syscap_detach_thread(f->attachment);
	free(f);
}

#endif
