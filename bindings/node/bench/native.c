/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native.c - comparisons for bench.js: an empty Node-API call, and the same
 * events made by C.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdint.h>

#include <syscap.h>

SYSCAP_COUNTER(counter, "bench", "c", "", SYSCAP_INT64);

static napi_value nop(napi_env env, napi_callback_info info)
{
	(void)env;
	(void)info;
	return NULL;
}

static uint32_t count_of(napi_env env, napi_callback_info info)
{
	napi_value arg;
	size_t n_args = 1;
	uint32_t n = 0;

	napi_get_cb_info(env, info, &n_args, &arg, NULL, NULL);
	napi_get_value_uint32(env, arg, &n);
	return n;
}

/* marks(n), scopes(n), counters(n): n events in a loop */
static napi_value marks(napi_env env, napi_callback_info info)
{
	for (uint32_t n = count_of(env, info); n != 0; n--)
		SYSCAP_MARK("bench", "c", n, 1, NULL);
	return NULL;
}

static napi_value scopes(napi_env env, napi_callback_info info)
{
	for (uint32_t n = count_of(env, info); n != 0; n--) {
		SYSCAP_SCOPE("bench", "c");
	}
	return NULL;
}

static napi_value counters(napi_env env, napi_callback_info info)
{
	for (uint32_t n = count_of(env, info); n != 0; n--)
		SYSCAP_COUNTER_SET(counter, n);
	return NULL;
}

static napi_value dropped(napi_env env, napi_callback_info info)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	napi_value number = NULL;

	(void)info;
	syscap_get_stats(&stats);
	napi_create_double(env, (double)stats.n_dropped, &number);
	return number;
}

static void define(napi_env env, napi_value exports, const char *name,
                   napi_callback function)
{
	napi_value value;

	if (napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL,
	                         &value) == napi_ok)
		napi_set_named_property(env, exports, name, value);
}

/* Later versions of node_api.h define this function by a macro. */
NAPI_MODULE_EXPORT int32_t node_api_module_get_api_version_v1(void);

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */)
{
	define(env, exports, "nop", nop);
	define(env, exports, "marks", marks);
	define(env, exports, "scopes", scopes);
	define(env, exports, "counters", counters);
	define(env, exports, "dropped", dropped);
	return exports;
}
