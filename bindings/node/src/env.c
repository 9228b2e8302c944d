/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.c - state of the addon in environments of Node, and its end (env.h).
 *
 * Events in the batch that JavaScript did not flush are recorded
 *	by the 'exit' event	(lib/batch.js)
 *	by the cleanup hook	a worker that is terminated, late 'exit' events
 *	at exit()		process.exit() runs no cleanup hooks
 * and are lost if the process ends in another way.
 */
#include "env.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sn_env *envs; /* guarded by the lock */

static void store_active(struct sn_env *self, bool active)
{
	const double number = active ? 1 : 0;
	uint64_t bits;

	/* A single store, as other threads' JavaScript may be reading */
	memcpy(&bits, &number, sizeof(bits));
	__atomic_store_n((uint64_t *)(void *)&self->slots[SN_ACTIVE], bits,
	                 __ATOMIC_RELAXED);
}

void sn_env_refresh(struct sn_env *self)
{
	store_active(self, syscap_is_active());
}

void sn_env_refresh_all(void)
{
	const bool active = syscap_is_active();

	pthread_mutex_lock(&lock);
	for (struct sn_env *e = envs; e != NULL; e = e->next)
		store_active(e, active);
	pthread_mutex_unlock(&lock);
}

void sn_env_drain(struct sn_env *self)
{
	const uint32_t n =
		sn_index(self->slots[SN_PENDING], SN_SLOTS - SN_BATCH + 1);
	const double *const batch = self->slots + SN_BATCH;

	for (uint32_t i = 0; i + SN_BATCH_ENTRY <= n; i += SN_BATCH_ENTRY) {
		const uint32_t at = sn_index(batch[i], self->n_sites);

		/* lib/batch.js has checked the times */
		if (at != self->n_sites)
			syscap_mark_at(&self->sites[at], (int64_t)batch[i + 1],
			               (int64_t)batch[i + 2], NULL);
	}
	self->slots[SN_PENDING] = 0;
}

static void drain_at_exit(void)
{
	/* Workers have ended.  Do not wait for a thread that drains, too */
	if (pthread_mutex_trylock(&lock) != 0)
		return;
	for (struct sn_env *e = envs; e != NULL; e = e->next)
		if (pthread_equal(e->thread, pthread_self()))
			sn_env_drain(e);
	pthread_mutex_unlock(&lock);
}

static void list(struct sn_env *self)
{
	static bool have_exit; /* under the lock */

	pthread_mutex_lock(&lock);
	self->next = envs;
	envs = self;
	self->is_listed = true;
	if (!have_exit)
		have_exit = atexit(drain_at_exit) == 0;
	pthread_mutex_unlock(&lock);
}

static void unlist(struct sn_env *self)
{
	struct sn_env **at = &envs;

	pthread_mutex_lock(&lock);
	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	self->is_listed = false;
	pthread_mutex_unlock(&lock);
}

/* Runs at the environment's end: after JavaScript, while the slots still
 * exist. */
static void end(void *data)
{
	struct sn_env *const self = data;

	sn_env_drain(self);
	unlist(self);
}

static void release(napi_env env, void *data, void *hint)
{
	struct sn_env *const self = data;

	(void)env;
	(void)hint;
	if (self->is_listed)
		unlist(self);
	free(self->sites);
	free(self->counters);
	free(self);
}

struct sn_env *sn_env_new(napi_env env, napi_value *ret_buffer)
{
	struct sn_env *const self = calloc(1, sizeof(*self));
	void *slots = NULL;

	if (self == NULL) {
		napi_throw_error(env, "ENOMEM", "syscap: no memory");
		return NULL;
	}
	self->thread = pthread_self();
	if (napi_set_instance_data(env, self, release, NULL) != napi_ok) {
		free(self);
		napi_throw_error(env, NULL, "syscap: no instance data");
		return NULL;
	}
	if (napi_create_arraybuffer(env, SN_SLOTS * sizeof(double), &slots,
	                            ret_buffer) != napi_ok ||
	    napi_create_reference(env, *ret_buffer, 1, &self->kept) !=
	            napi_ok) {
		napi_throw_error(env, "ENOMEM", "syscap: no memory");
		return NULL;
	}
	self->slots = slots;
	self->slots[SN_PENDING] = 0;
	sn_env_refresh(self);
	list(self);
	napi_add_env_cleanup_hook(env, end, self);
	return self;
}
