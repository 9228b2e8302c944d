/* SPDX-License-Identifier: BSD-2-Clause */
/* events.c - counters, logs, metadata. */
#include <stdlib.h>

#include "env.h"
#include "texts.h"

static bool keep(napi_env env, struct sn_env *self,
                 struct syscap_counter *counter)
{
	const uint32_t room =
		self->counters_room != 0 ? 2 * self->counters_room : 16;
	struct syscap_counter **counters;

	if (self->n_counters == self->counters_room) {
		counters = realloc(self->counters, room * sizeof(counters[0]));
		if (counters == NULL) {
			napi_throw_error(env, "ENOMEM", "syscap: no memory");
			return false;
		}
		self->counters = counters;
		self->counters_room = room;
	}
	self->counters[self->n_counters++] = counter;
	return true;
}

/* counter(category, name, description, type): its index */
static napi_value counter(napi_env env, napi_callback_info info)
{
	napi_value args[4], index = NULL;
	struct sn_env *const self = sn_env_args(env, info, 4, args);
	char category[32], name[32], description[52];
	uint32_t type = SYSCAP_INT64;

	if (!sn_text(env, args[0], category, sizeof(category), "category") ||
	    !sn_text(env, args[1], name, sizeof(name), "name") ||
	    !sn_text(env, args[2], description, sizeof(description),
	             "description"))
		return NULL;
	napi_get_value_uint32(env, args[3], &type);
	struct syscap_counter *const c =
		syscap_counter_get(category, name, description, type);
	if (c == NULL) {
		napi_throw_range_error(env, NULL,
		                       "syscap: more than 4096 counters with "
		                       "texts of their own");
		return NULL;
	}
	if (!keep(env, self, c))
		return NULL;
	napi_create_uint32(env, self->n_counters - 1, &index);
	return index;
}

static struct syscap_counter *counter_of(struct sn_env *self)
{
	const uint32_t index = sn_index(self->slots[SN_A], self->n_counters);

	/* lib/counter.js gives out no others */
	return index != self->n_counters ? self->counters[index] : NULL;
}

/* countInt(), countDouble(): A counter, B value */
static napi_value count_int(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);
	struct syscap_counter *const c = counter_of(self);

	if (c != NULL)
		syscap_counter_set_int64(c, (int64_t)self->slots[SN_B]);
	return NULL;
}

static napi_value count_double(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);
	struct syscap_counter *const c = counter_of(self);

	if (c != NULL)
		syscap_counter_set_double(c, self->slots[SN_B]);
	return NULL;
}

/* updateInt(), updateDouble(): the same, where it has changed */
static napi_value update_int(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);
	struct syscap_counter *const c = counter_of(self);

	if (c != NULL)
		syscap_counter_update_int64(c, (int64_t)self->slots[SN_B]);
	return NULL;
}

static napi_value update_double(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);
	struct syscap_counter *const c = counter_of(self);

	if (c != NULL)
		syscap_counter_update_double(c, self->slots[SN_B]);
	return NULL;
}

/* log(domain, message): A severity */
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
	return sn_define(env, exports, "counter", counter, self) &&
	       sn_define(env, exports, "countInt", count_int, self) &&
	       sn_define(env, exports, "countDouble", count_double, self) &&
	       sn_define(env, exports, "updateInt", update_int, self) &&
	       sn_define(env, exports, "updateDouble", update_double, self) &&
	       sn_define(env, exports, "log", log_text, self) &&
	       sn_define(env, exports, "metadata", metadata, self);
}
