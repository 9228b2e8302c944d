/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling.c - the sampler, and functions for a provider of frames.
 *
 * lib/recording.js has checked the arguments. */
#include <syscap/sampler.h>

#include "env.h"
#include "functions.h"
#include "objects.h"
#include "parts.h"

static int managed; /* handlers read this flag */

/* sampleStart(hz, clock, stacks, maxDepth, signal) */
static napi_value sample_start(napi_env env, napi_callback_info info)
{
	napi_value args[5];
	struct syscap_sampler_options options = { .size = sizeof(options) };

	sn_env_args(env, info, 5, args);
	options.hz = (uint32_t)sn_number(env, args[0]);
	options.clock = (uint32_t)sn_number(env, args[1]);
	options.stacks = (uint32_t)sn_number(env, args[2]);
	options.max_depth = (uint32_t)sn_number(env, args[3]);
	options.signal = (int)sn_number(env, args[4]);
	const int was = __atomic_exchange_n(
		&managed, options.stacks == SYSCAP_SAMPLER_MANAGED,
		__ATOMIC_RELAXED);
	const int error = syscap_sampler_start(&options);
	if (error != 0)
		__atomic_store_n(&managed, was, __ATOMIC_RELAXED);
	return sn_outcome(env, error, options.message);
}

/* sampleStop() */
static napi_value sample_stop(napi_env env, napi_callback_info info)
{
	(void)info;
	return sn_outcome(env, syscap_sampler_stop(), "");
}

/* sampleStats() */
static napi_value sample_stats(napi_env env, napi_callback_info info)
{
	struct syscap_sampler_stats s = { .size = sizeof(s) };
	napi_value object = NULL;

	(void)info;
	syscap_sampler_get_stats(&s);
	if (napi_create_object(env, &object) != napi_ok)
		return NULL;
	sn_put_number(env, object, "samples", (double)s.n_samples);
	sn_put_number(env, object, "due", (double)s.n_due);
	sn_put_number(env, object, "cut", (double)s.n_cut);
	sn_put_number(env, object, "stopped", (double)s.n_stopped);
	sn_put_number(env, object, "refused", (double)s.n_refused);
	sn_put_number(env, object, "foreign", (double)s.n_foreign);
	sn_put_number(env, object, "threads", s.n_threads);
	sn_put_number(env, object, "unsampled", s.n_unsampled);
	sn_put_number(env, object, "namesLost", s.n_names_lost);
	sn_put_number(env, object, "signal", s.signal);
	sn_put_number(env, object, "clock", s.clock);
	sn_put_number(env, object, "hz", s.hz);
	return object;
}

static int code_add(int64_t time, uintptr_t start, size_t len, const char *name)
{
	return syscap_code_add_at(time, start, len, name);
}

static int code_move(int64_t time, uintptr_t from, uintptr_t to, size_t len)
{
	return syscap_code_move_at(time, from, to, len);
}

static int is_active(void)
{
	return syscap_is_active();
}

static int64_t clock_now(void)
{
	return syscap_clock();
}

static int is_managed(void)
{
	return __atomic_load_n(&managed, __ATOMIC_RELAXED);
}

static const struct sn_functions functions = {
	.size = sizeof(functions),
	.attach_thread = syscap_attach_thread,
	.detach_thread = syscap_detach_thread,
	.stack_push = syscap_stack_push,
	.stack_scratch = syscap_stack_scratch,
	.readable = syscap_readable,
	.code_add = code_add,
	.code_move = code_move,
	.is_active = is_active,
	.clock = clock_now,
	.is_managed = is_managed,
};

bool sn_define_sampling(napi_env env, napi_value exports, struct sn_env *self)
{
	napi_value table;

	return napi_create_external(env, (void *)(uintptr_t)&functions, NULL,
	                            NULL, &table) == napi_ok &&
	       napi_set_named_property(env, exports, "functions", table) ==
	               napi_ok &&
	       sn_define(env, exports, "sampleStart", sample_start, self) &&
	       sn_define(env, exports, "sampleStop", sample_stop, self) &&
	       sn_define(env, exports, "sampleStats", sample_stats, self);
}
