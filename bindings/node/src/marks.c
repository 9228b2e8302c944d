/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.c - marks, one at a time or from the batch.
 *
 * Numbers come in slots, messages as arguments.
 */
#include <stdlib.h>

#include "env.h"
#include "objects.h"
#include "parts.h"
#include "texts.h"

#define SITES_MAX 65536u
#define NO_TIME   "a time is no finite number"

/* Logs a warning about marks that are not recorded. */
static void tell_of(const struct syscap_mark_site *at, const char *what)
{
	if (syscap_is_active())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "%s for \"%s\" of group \"%s\"", what,
		                  at->name, at->group);
}

static bool have_room(napi_env env, struct sn_env *self)
{
	const uint32_t room = self->sites_room != 0 ? 2 * self->sites_room : 64;
	struct syscap_mark_site *sites;

	if (self->n_sites < self->sites_room)
		return true;
	sites = realloc(self->sites, room * sizeof(*sites));
	if (sites == NULL) {
		napi_throw_error(env, "ENOMEM", "syscap: no memory");
		return false;
	}
	self->sites = sites;
	self->sites_room = room;
	return true;
}

/* site(group, name): the site's index; -1: the table is full, which the capture
 * reports. */
static napi_value site(napi_env env, napi_callback_info info)
{
	napi_value args[2], index = NULL;
	struct sn_env *const self = sn_env_args(env, info, 2, args);
	struct syscap_mark_site made = { { 0 }, { 0 } };

	if (!sn_text(env, args[0], made.group, sizeof(made.group), "group") ||
	    !sn_text(env, args[1], made.name, sizeof(made.name), "name"))
		return NULL;
	if (self->n_sites == SITES_MAX) {
		tell_of(&made, "there are too many sites");
		napi_create_int32(env, -1, &index);
	} else if (have_room(env, self)) {
		self->sites[self->n_sites] = made;
		napi_create_uint32(env, self->n_sites++, &index);
	}
	return index;
}

/* NULL: a site beyond the table. */
static const struct syscap_mark_site *site_of(const struct sn_env *self,
                                              double slot)
{
	const uint32_t index = sn_index(slot, self->n_sites);

	return SYC_LIKELY(index != self->n_sites) ? &self->sites[index] : NULL;
}

static void mark_at(const struct syscap_mark_site *at, double begin,
                    double duration, const char *message)
{
	int64_t begin_ns, duration_ns;

	if (SYC_LIKELY(sn_ns(begin, &begin_ns) &&
	               sn_ns(duration, &duration_ns)))
		syscap_mark_at(at, begin_ns, duration_ns, message);
	else
		tell_of(at, NO_TIME);
}

static void mark_slots(const struct sn_env *self, const char *message)
{
	const double *const s = self->slots;
	const struct syscap_mark_site *const at = site_of(self, s[SN_A]);

	if (at != NULL)
		mark_at(at, s[SN_B], s[SN_C], message);
}

/* mark(): slots A site, B begin, C duration */
static napi_value mark(napi_env env, napi_callback_info info)
{
	mark_slots(sn_env_of(env, info), NULL);
	return NULL;
}

/* markText(message): as mark() */
static napi_value mark_text(napi_env env, napi_callback_info info)
{
	napi_value arg;
	struct sn_env *const self = sn_env_args(env, info, 1, &arg);
	const char *message;

	if (sn_message(env, self, arg, &message))
		mark_slots(self, message);
	return NULL;
}

/* markNamed(group, name, message): slots B begin, C duration */
static napi_value mark_named(napi_env env, napi_callback_info info)
{
	napi_value args[3];
	struct sn_env *const self = sn_env_args(env, info, 3, args);
	struct syscap_mark_site at = { { 0 }, { 0 } };
	const char *message;

	if (sn_text(env, args[0], at.group, sizeof(at.group), "group") &&
	    sn_text(env, args[1], at.name, sizeof(at.name), "name") &&
	    sn_message(env, self, args[2], &message))
		mark_at(&at, self->slots[SN_B], self->slots[SN_C], message);
	return NULL;
}

static void end_slots(const struct sn_env *self, const char *message)
{
	const int64_t now = syscap_clock();
	const double *const s = self->slots;
	const struct syscap_mark_site *const at = site_of(self, s[SN_A]);
	int64_t begin;

	if (at == NULL)
		return;
	if (SYC_LIKELY(sn_ns(s[SN_B], &begin)))
		syscap_mark_at(at, begin, now - begin, message);
	else
		tell_of(at, NO_TIME);
}

/* end(): slots A site, B begin.  The mark ends now */
static napi_value end(napi_env env, napi_callback_info info)
{
	end_slots(sn_env_of(env, info), NULL);
	return NULL;
}

/* endText(message): as end() */
static napi_value end_text(napi_env env, napi_callback_info info)
{
	napi_value arg;
	struct sn_env *const self = sn_env_args(env, info, 1, &arg);
	const char *message;

	if (sn_message(env, self, arg, &message))
		end_slots(self, message);
	return NULL;
}

/* instant(message): slot A site */
static napi_value instant(napi_env env, napi_callback_info info)
{
	napi_value arg;
	struct sn_env *const self = sn_env_args(env, info, 1, &arg);
	const struct syscap_mark_site *const at =
		site_of(self, self->slots[SN_A]);
	const char *message;

	if (at != NULL && sn_message(env, self, arg, &message))
		syscap_mark_at(at, syscap_clock(), 0, message);
	return NULL;
}

/* linked(message): slots A site, B link, C id, D begin, E duration */
static napi_value linked(napi_env env, napi_callback_info info)
{
	napi_value arg;
	struct sn_env *const self = sn_env_args(env, info, 1, &arg);
	const double *const s = self->slots;
	const struct syscap_mark_site *const at = site_of(self, s[SN_A]);
	int64_t begin, duration;
	const char *message;

	if (at == NULL || !sn_message(env, self, arg, &message))
		return NULL;
	if (!sn_ns(s[SN_D], &begin) || !sn_ns(s[SN_E], &duration)) {
		tell_of(at, NO_TIME);
		return NULL;
	}
	/* lib/site.js only passes 0 to 2^53 - 1 */
	syscap_linked_at(at, sn_index(s[SN_B], SYSCAP_LINK_IN + 1),
	                 (uint64_t)s[SN_C], begin, duration, message);
	return NULL;
}

/* now(): stores the time in slot A */
static napi_value now(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);

	self->slots[SN_A] = (double)syscap_clock();
	return NULL;
}

/* flush() */
static napi_value flush(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);

	sn_env_drain(self);
	sn_env_refresh(self);
	return NULL;
}

bool sn_define_marks(napi_env env, napi_value exports, struct sn_env *self)
{
	return sn_define(env, exports, "site", site, self) &&
	       sn_define(env, exports, "mark", mark, self) &&
	       sn_define(env, exports, "markText", mark_text, self) &&
	       sn_define(env, exports, "markNamed", mark_named, self) &&
	       sn_define(env, exports, "end", end, self) &&
	       sn_define(env, exports, "endText", end_text, self) &&
	       sn_define(env, exports, "instant", instant, self) &&
	       sn_define(env, exports, "linked", linked, self) &&
	       sn_define(env, exports, "now", now, self) &&
	       sn_define(env, exports, "flush", flush, self);
}
