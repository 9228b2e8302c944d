/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counters of a capture: their definitions and values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

void syc_counters_fini(struct syc_counters *counters)
{
	syc_map_fini(&counters->by_key);
	syc_map_fini(&counters->by_id);
	free(counters->latest.items);
	free(counters->items.items);
	free(counters->values.times.items);
	free(counters->values.bits.items);
	free(counters->values.counters.items);
	free(counters->values.threads.items);
}

static int put(struct syc_counters *counters, uint32_t process, uint32_t id,
               uint32_t *ret_number)
{
	const uint64_t key = (uint64_t)process << 32 | id;
	const struct syscap_profile_counter counter = {
		.process = process,
		.id = id,
		.category = "",
		.name = "",
		.description = "",
		.shown_as = NONE,
	};
	size_t number;
	int r;

	if (counters->items.n >= NONE || syc_array_room(&counters->items) < 0)
		return -ENOMEM;
	r = syc_map_put(&counters->by_key, &key, sizeof(key), &number);
	if (r > 0)
		counters->items.items[counters->items.n++] = counter;
	*ret_number = (uint32_t)number;
	return r < 0 ? r : 0;
}

/* The last definition in the file replaces earlier definitions. */
static int set_latest(struct syc_counters *counters, uint32_t id,
                      uint32_t counter)
{
	size_t number;
	int r;

	if (syc_array_room(&counters->latest) < 0)
		return -ENOMEM;
	r = syc_map_put(&counters->by_id, &id, sizeof(id), &number);
	if (r < 0)
		return r;
	if (r > 0)
		counters->latest.n++;
	counters->latest.items[number] = counter;
	return 0;
}

static int define(struct syc_counters *counters, struct syc_texts *texts,
                  const struct syscap_counter_info *info, uint32_t process)
{
	struct syscap_profile_counter *counter;
	const char *category, *name, *description;
	uint32_t number = 0;
	int r = syc_texts_keep(texts, info->category, strlen(info->category),
	                       &category);

	if (r == 0)
		r = syc_texts_keep(texts, info->name, strlen(info->name),
		                   &name);
	if (r == 0)
		r = syc_texts_keep(texts, info->description,
		                   strlen(info->description), &description);
	if (r == 0)
		r = put(counters, process, info->id, &number);
	if (r == 0)
		r = set_latest(counters, info->id, number);
	if (r < 0)
		return r;
	counter = &counters->items.items[number];
	counter->category = category;
	counter->name = name;
	counter->description = description;
	counter->is_defined = true;
	counter->is_double = info->is_double;
	return 0;
}

int syc_counters_define(struct syc_counters *counters, struct syc_texts *texts,
                        const struct syscap_reader *reader,
                        const struct syscap_frame *frame, uint32_t process)
{
	struct syscap_counter_info info;
	int r = 0;

	for (unsigned i = 0;
	     r == 0 && syscap_frame_counter(reader, frame, i, &info); i++)
		r = define(counters, texts, &info, process);
	return r;
}

static int keep_value(struct syc_values *values, int64_t time, uint64_t bits,
                      uint32_t counter, uint32_t thread)
{
	if (syc_array_room(&values->bits) < 0 ||
	    syc_array_room(&values->counters) < 0 ||
	    syc_array_room(&values->threads) < 0 ||
	    syc_array_push(&values->times, time) < 0)
		return -ENOMEM;
	values->bits.items[values->bits.n++] = bits;
	values->counters.items[values->counters.n++] = counter;
	values->threads.items[values->threads.n++] = thread;
	return 0;
}

int syc_counters_set(struct syc_counters *counters,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame, uint32_t process,
                     uint32_t thread, bool keeps)
{
	uint32_t id, number;
	uint64_t bits;

	for (unsigned i = 0; syscap_frame_slot(reader, frame, i, &id, &bits);
	     i++) {
		if (id == 0)
			continue;
		if (put(counters, process, id, &number) < 0)
			return -ENOMEM;
		counters->items.items[number].n_values++;
		if (keeps && keep_value(&counters->values, frame->time, bits,
		                        number, thread) < 0)
			return -ENOMEM;
	}
	return 0;
}

uint32_t syc_counters_find(const struct syc_counters *counters,
                           uint32_t process, uint32_t id)
{
	const uint64_t key = (uint64_t)process << 32 | id;
	size_t number = 0;

	syc_map_get(&counters->by_key, &key, sizeof(key), &number);
	return (uint32_t)number;
}

/*
 * A counter that its process has not defined uses the latest definition of its
 * id.
 */
static void settle_one(struct syc_counters *counters, uint32_t number,
                       uint32_t shown_as)
{
	struct syscap_profile_counter *counter = &counters->items.items[number];
	const struct syscap_profile_counter *as =
		&counters->items.items[shown_as];

	counter->category = as->category;
	counter->name = as->name;
	counter->description = as->description;
	counter->is_double = as->is_double;
	counter->shown_as = shown_as;
}

int syc_counters_settle(struct syc_counters *counters)
{
	struct syc_map undefined = { 0 };
	SYC_ARRAY(uint32_t) firsts = { 0 };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < counters->items.n; i++) {
		struct syscap_profile_counter *counter =
			&counters->items.items[i];
		uint32_t shown_as = (uint32_t)i;
		size_t number;

		if (!counter->is_defined &&
		    syc_map_get(&counters->by_id, &counter->id,
		                sizeof(counter->id), &number)) {
			shown_as = counters->latest.items[number];
		} else if (!counter->is_defined) {
			r = syc_map_put(&undefined, &counter->id,
			                sizeof(counter->id), &number);
			if (r > 0)
				r = syc_array_push(&firsts, shown_as);
			if (r < 0)
				break;
			shown_as = firsts.items[number];
		}
		settle_one(counters, (uint32_t)i, shown_as);
	}
	syc_map_fini(&undefined);
	free(firsts.items);
	return r < 0 ? r : 0;
}
