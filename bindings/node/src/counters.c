/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.c - counters, shared by all threads of the process: all workers add
 * to the same value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "objects.h"
#include "parts.h"
#include "texts.h"

/* Made once and never freed, like the library's counter. */
struct sn_counter {
	struct syscap_counter *counter;
	union syscap_value value; /* atomic */
	struct sn_counter *next;
};

/* Operation on a counter, in slot C.  lib/counter.js has the same numbers. */
enum {
	PUT,
	ADD
};
/* Recorded kind of value, in slot D. */
enum {
	NOTHING,
	VALUE,
	CHANGE
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sn_counter *counters; /* guarded by the lock */

/* NULL: no memory. */
static struct sn_counter *find_or_add(struct syscap_counter *counter)
{
	struct sn_counter *c;

	pthread_mutex_lock(&lock);
	for (c = counters; c != NULL && c->counter != counter; c = c->next)
		;
	if (c == NULL && (c = calloc(1, sizeof(*c))) != NULL) {
		c->counter = counter;
		c->next = counters;
		counters = c;
	}
	pthread_mutex_unlock(&lock);
	return c;
}

/* The counter's index in @self; less than 0: no memory. */
static int64_t keep(struct sn_env *self, struct sn_counter *counter)
{
	const uint32_t room =
		self->counters_room != 0 ? 2 * self->counters_room : 16;
	struct sn_counter **kept;

	if (self->n_counters == self->counters_room) {
		kept = realloc(self->counters, room * sizeof(kept[0]));
		if (kept == NULL)
			return -1;
		self->counters = kept;
		self->counters_room = room;
	}
	self->counters[self->n_counters] = counter;
	return self->n_counters++;
}

static int64_t make(napi_env env, struct sn_env *self,
                    struct syscap_counter *counter)
{
	struct sn_counter *const c = find_or_add(counter);
	const int64_t index = c != NULL ? keep(self, c) : -1;

	if (index < 0)
		napi_throw_error(env, "ENOMEM", "syscap: no memory");
	return index;
}

/* counter(category, name, description, type): the counter's index; -1: the
 * table is full, which the capture reports. */
static napi_value counter(napi_env env, napi_callback_info info)
{
	napi_value args[4], ret = NULL;
	struct sn_env *const self = sn_env_args(env, info, 4, args);
	char category[32], name[32], description[52];
	uint32_t type = SYSCAP_INT64;
	int64_t index = -1;

	if (!sn_text(env, args[0], category, sizeof(category), "category") ||
	    !sn_text(env, args[1], name, sizeof(name), "name") ||
	    !sn_text(env, args[2], description, sizeof(description),
	             "description"))
		return NULL;
	napi_get_value_uint32(env, args[3], &type);
	struct syscap_counter *const c =
		syscap_counter_get(category, name, description, type);
	if (c != NULL)
		index = make(env, self, c);
	else if (syscap_is_active())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "there are too many counters for \"%s\" of "
		                  "category \"%s\"",
		                  name, category);
	napi_create_int64(env, index, &ret);
	return ret;
}

static int64_t whole(double number)
{
	if (isnan(number))
		return 0;
	if (number >= 0x1p63)
		return INT64_MAX;
	if (number < -0x1p63)
		return INT64_MIN;
	return (int64_t)number;
}

static int64_t change_int(int64_t *value, int64_t by, bool is_added)
{
	int64_t old = __atomic_load_n(value, __ATOMIC_RELAXED), new;

	do {
		if (!is_added)
			new = by;
		else if (__builtin_add_overflow(old, by, &new))
			new = old < 0 ? INT64_MIN : INT64_MAX;
	} while (!__atomic_compare_exchange_n(
		value, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return new;
}

static double change_double(double *value, double by, bool is_added)
{
	double old, new;

	__atomic_load(value, &old, __ATOMIC_RELAXED);
	do
		new = is_added ? old + by : by;
	while (!__atomic_compare_exchange(value, &old, &new, true,
	                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return new;
}

/*
 * Record @value.  Another thread may have changed the counter after this
 * thread, but recorded its value before this thread.  So these functions record
 * until the newest recorded value is the counter's value, which they return.
 */
static int64_t record_int(struct sn_counter *c, int64_t value)
{
	int64_t newest;

	for (;; value = newest) {
		syscap_counter_set_int64(c->counter, value);
		__atomic_load(&c->value.i64, &newest, __ATOMIC_RELAXED);
		if (newest == value || !syscap_is_active())
			return value;
	}
}

static double record_double(struct sn_counter *c, double value)
{
	double newest;

	for (;; value = newest) {
		syscap_counter_set_double(c->counter, value);
		__atomic_load(&c->value.f64, &newest, __ATOMIC_RELAXED);
		/* The bytes, since NaN differs from itself */
		if (memcmp(&newest, &value, sizeof(value)) == 0 ||
		    !syscap_is_active())
			return value;
	}
}

static double count_int(struct sn_counter *c, double number, bool is_added,
                        double recorded)
{
	int64_t value = change_int(&c->value.i64, whole(number), is_added);

	if (recorded == VALUE)
		value = record_int(c, value);
	else if (recorded == CHANGE)
		syscap_counter_update_int64(c->counter, value);
	return (double)value;
}

static double count_double(struct sn_counter *c, double number, bool is_added,
                           double recorded)
{
	double value = change_double(&c->value.f64, number, is_added);

	if (recorded == VALUE)
		value = record_double(c, value);
	else if (recorded == CHANGE)
		syscap_counter_update_double(c->counter, value);
	return value;
}

/* count(): slots A counter, B number, C PUT or ADD, D recorded kind.  Stores
 * the new value in A */
static napi_value count(napi_env env, napi_callback_info info)
{
	struct sn_env *const self = sn_env_of(env, info);
	double *const s = self->slots;
	const uint32_t index = sn_index(s[SN_A], self->n_counters);

	/* lib/counter.js never passes this index */
	if (index == self->n_counters)
		return NULL;
	struct sn_counter *const c = self->counters[index];
	const bool is_added = s[SN_C] == ADD;
	s[SN_A] = c->counter->type == SYSCAP_DOUBLE
	                  ? count_double(c, s[SN_B], is_added, s[SN_D])
	                  : count_int(c, s[SN_B], is_added, s[SN_D]);
	return NULL;
}

bool sn_define_counters(napi_env env, napi_value exports, struct sn_env *self)
{
	return sn_define(env, exports, "counter", counter, self) &&
	       sn_define(env, exports, "count", count, self);
}
