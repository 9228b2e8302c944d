/* SPDX-License-Identifier: BSD-2-Clause */
/* events.c - logs and metadata. */
#include "env.h"
#include "objects.h"
#include "parts.h"
#include "texts.h"

/* log(domain, message): slot A severity */
static napi_value log_text(napi_env env, napi_callback_info info)
{
	napi_value args[2];
	struct sn_env *const self = sn_env_args(env, info, 2, args);
	char domain[32];

	if (sn_text(env, args[0], domain, sizeof(domain), "domain") &&
	    sn_text(env, args[1], self->text, sizeof(self->text), "message"))
		syscap_log((unsigned)self->slots[SN_A], domain, self->text);
	return NULL;
}

/* metadata(id, value) */
static napi_value metadata(napi_env env, napi_callback_info info)
{
	napi_value args[2];
	struct sn_env *const self = sn_env_args(env, info, 2, args);
	char id[40];

	if (sn_text(env, args[0], id, sizeof(id), "id") &&
	    sn_text(env, args[1], self->text, sizeof(self->text), "value"))
		syscap_metadata(id, self->text);
	return NULL;
}

bool sn_define_events(napi_env env, napi_value exports, struct sn_env *self)
{
	return sn_define_counters(env, exports, self) &&
	       sn_define(env, exports, "log", log_text, self) &&
	       sn_define(env, exports, "metadata", metadata, self);
}
