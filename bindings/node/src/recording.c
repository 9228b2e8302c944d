/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.c - start, end and state of the process's own recording.
 *
 * lib/recording.js has checked the arguments. */
#include "env.h"
#include "objects.h"
#include "parts.h"
#include "texts.h"

/* start(output, maxBytes, ringKiB, intervalMs, exitFlushMs, noThread) */
static napi_value start(napi_env env, napi_callback_info info)
{
	napi_value args[6];
	struct sn_env *const self = sn_env_args(env, info, 6, args);
	struct syscap_options options = { .size = sizeof(options) };

	if (!sn_text(env, args[0], self->text, sizeof(self->text), "output"))
		return NULL;
	options.output = self->text;
	options.max_bytes = (uint64_t)sn_number(env, args[1]);
	options.ring_kib = (uint32_t)sn_number(env, args[2]);
	options.interval_ms = (uint32_t)sn_number(env, args[3]);
	options.exit_flush_ms = (uint32_t)sn_number(env, args[4]);
	options.flags = sn_number(env, args[5]) != 0 ? SYSCAP_NO_THREAD : 0;
	const int error = syscap_start(&options);
	sn_env_refresh_all();
	return sn_outcome(env, error, options.message);
}

/* stop() */
static napi_value stop(napi_env env, napi_callback_info info)
{
	const int error = syscap_stop();

	(void)info;
	sn_env_refresh_all();
	return sn_outcome(env, error, "");
}

/* drain() */
static napi_value drain(napi_env env, napi_callback_info info)
{
	(void)info;
	return sn_outcome(env, syscap_drain(), "");
}

/* stats() */
static napi_value stats(napi_env env, napi_callback_info info)
{
	struct syscap_stats s = { .size = sizeof(s) };
	napi_value object = NULL;

	sn_env_refresh(sn_env_of(env, info));
	syscap_get_stats(&s);
	if (napi_create_object(env, &object) != napi_ok)
		return NULL;
	sn_put_bool(env, object, "active", s.is_active);
	sn_put_text(env, object, "reason", s.reason);
	sn_put_number(env, object, "dropped", (double)s.n_dropped);
	sn_put_number(env, object, "abandoned", (double)s.n_abandoned);
	sn_put_number(env, object, "untold", (double)s.n_untold);
	sn_put_number(env, object, "rings", s.n_rings);
	sn_put_bool(env, object, "clockIsTsc", s.clock_is_tsc);
	sn_put_number(env, object, "written", (double)s.n_written);
	sn_put_text(env, object, "output", s.output);
	return object;
}

bool sn_define_recording(napi_env env, napi_value exports, struct sn_env *self)
{
	return sn_define(env, exports, "start", start, self) &&
	       sn_define(env, exports, "stop", stop, self) &&
	       sn_define(env, exports, "drain", drain, self) &&
	       sn_define(env, exports, "stats", stats, self);
}
