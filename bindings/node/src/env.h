/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.h - what one environment of Node (the main thread's, or a worker's) has
 * of this module.
 *
 * JavaScript and C share an array of doubles, the slots: arguments and results
 * of the calls that must be cheap go there, for each value that crosses
 * Node-API by itself costs as much as the call.  lib/slots.js has the same
 * numbers.
 *
 * All functions but sn_env_refresh_all() are for the environment's own thread.
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
	SN_ACTIVE,  /* not 0: events may have somewhere to go */
	SN_PENDING, /* doubles of the batch that are filled */
	SN_A,
	SN_B,
	SN_C,
	SN_D,
	SN_E,
	SN_BATCH = 8,       /* entries begin here */
	SN_BATCH_ENTRY = 3, /* site, begin, duration */
	SN_BATCH_MAX = 512, /* entries; what they make fits any ring */
	SN_SLOTS = SN_BATCH + SN_BATCH_ENTRY * SN_BATCH_MAX
};

/** Longest text that an event can have, and its NUL. */
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

/** Make it, with the ArrayBuffer in @ret_buffer; NULL: an exception waits. */
struct sn_env *sn_env_new(napi_env env, napi_value *ret_buffer);

/** Of a callback that takes no arguments. */
static inline struct sn_env *sn_env_of(napi_env env, napi_callback_info info)
{
	void *data = NULL;

	napi_get_cb_info(env, info, NULL, NULL, NULL, &data);
	return data;
}

/** And of one that takes @n: those that were not given are undefined. */
static inline struct sn_env *sn_env_args(napi_env env, napi_callback_info info,
                                         size_t n, napi_value *args)
{
	void *data = NULL;

	napi_get_cb_info(env, info, &n, args, NULL, &data);
	return data;
}

/** Record what waits in the batch. */
void sn_env_drain(struct sn_env *self);

/** Tell JavaScript whether anything is recorded. */
void sn_env_refresh(struct sn_env *self);
void sn_env_refresh_all(void);

/**
 * A number of JavaScript's as nanoseconds.  False: it can be none.
 */
static inline bool sn_ns(double number, int64_t *ret)
{
	/* false for NaN, too */
	if (!(number > -9.2e18 && number < 9.2e18))
		return false;
	*ret = (int64_t)number;
	return true;
}

/** A slot that holds an index below @n; @n where it does not. */
static inline uint32_t sn_index(double slot, uint32_t n)
{
	return slot >= 0 && slot < n ? (uint32_t)slot : n;
}

#endif
