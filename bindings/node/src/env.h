/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.h - state of this module in one environment of Node (the main thread's,
 * or a worker's).
 *
 * JavaScript and C share an array of doubles, the slots, for arguments and
 * results of cheap calls.  Each value through Node-API costs as much as the
 * call.  lib/slots.js has the same numbers.
 *
 * Only the environment's own thread may call these functions, except
 * sn_env_refresh_all().
 */
#ifndef SN_ENV_H
#define SN_ENV_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap.h>

enum sn_slot {
	SN_ACTIVE,  /* not 0: events may be recorded */
	SN_PENDING, /* number of filled doubles in the batch */
	SN_A,
	SN_B,
	SN_C,
	SN_D,
	SN_E,
	SN_BATCH = 8,       /* entries begin here */
	SN_BATCH_ENTRY = 3, /* site, begin, duration */
	SN_BATCH_MAX = 512, /* entries, whose marks fit any ring */
	SN_SLOTS = SN_BATCH + SN_BATCH_ENTRY * SN_BATCH_MAX
};

/** Longest text of an event, with its NUL. */
#define SN_TEXT_SIZE 65464u

struct sn_counter;

struct sn_env {
	double *slots; /* memory of an ArrayBuffer that @kept holds */
	napi_ref kept;
	pthread_t thread;
	struct sn_env *next;
	bool is_listed;

	struct syscap_mark_site *sites;
	uint32_t n_sites, sites_room;
	struct sn_counter **counters;
	uint32_t n_counters, counters_room;
	char text[SN_TEXT_SIZE];
};

/** Make an environment, with its ArrayBuffer in @ret_buffer; NULL: an exception
 * is pending. */
struct sn_env *sn_env_new(napi_env env, napi_value *ret_buffer);

/** The environment of a callback without arguments. */
static inline struct sn_env *sn_env_of(napi_env env, napi_callback_info info)
{
	void *data = NULL;

	napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
	return data;
}

/** The environment of a callback with @n arguments; missing arguments are
 * undefined. */
static inline struct sn_env *sn_env_args(napi_env env, napi_callback_info info,
                                         size_t n, napi_value *args)
{
	void *data = NULL;

	napi_get_cb_info(env, info, &n, args, NULL, &data);
	return data;
}

/** Record the batch's events. */
void sn_env_drain(struct sn_env *self);

/** Update SN_ACTIVE, which JavaScript reads. */
void sn_env_refresh(struct sn_env *self);
void sn_env_refresh_all(void);

/**
 * Convert a JavaScript number to nanoseconds.  False: out of range, or NaN.
 */
static inline bool sn_ns(double number, int64_t *ret)
{
	/* false for NaN, too */
	if (!(number > -9.2e18 && number < 9.2e18))
		return false;
	*ret = (int64_t)number;
	return true;
}

/** The index in a slot, if below @n; else @n. */
static inline uint32_t sn_index(double slot, uint32_t n)
{
	return slot >= 0 && slot < n ? (uint32_t)slot : n;
}

#endif
