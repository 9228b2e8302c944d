/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heavy_counters.c - values of 32 counters, half integers, half doubles; one to
 * eight values in a frame.
 */
#include <stdio.h>
#include <string.h>

#include "bench/heavy.h"

#define N_COUNTERS 32u

static void define(void)
{
	struct {
		struct syscap_wire_ctrdef ctrdef;
		struct syscap_wire_counter counters[N_COUNTERS];
	} frame = { 0 };

	heavy_begin(&frame.ctrdef.frame, SYSCAP_FRAME_CTRDEF, sizeof(frame),
	            HEAVY_BEGIN);
	frame.ctrdef.n_counters = N_COUNTERS;
	for (unsigned i = 0; i < N_COUNTERS; i++) {
		struct syscap_wire_counter *counter = &frame.counters[i];

		snprintf(counter->category, sizeof(counter->category),
		         "category %u", i % 4);
		snprintf(counter->name, sizeof(counter->name), "counter %u", i);
		counter->id[0] = (uint8_t)(i + 1);
		counter->type = i % 2;
	}
	heavy_put(&frame, sizeof(frame));
}

void heavy_counters(long n)
{
	struct {
		struct syscap_wire_ctrset set;
		struct syscap_wire_values values;
	} frame;

	define();
	for (long i = 0; i < n; i++) {
		const unsigned n_values = 1 + heavy_random() % 8;

		memset(&frame, 0, sizeof(frame));
		heavy_begin(&frame.set.frame, SYSCAP_FRAME_CTRSET,
		            sizeof(frame), HEAVY_BEGIN + i * 100);
		frame.set.n_groups = 1;
		for (unsigned k = 0; k < n_values; k++) {
			const uint32_t of = heavy_random() % N_COUNTERS;
			const double value = heavy_random() / 1000.0;

			frame.values.ids[k] = of + 1;
			frame.values.values[k] = heavy_random();
			if (of % 2)
				memcpy(&frame.values.values[k], &value,
				       sizeof(value));
		}
		heavy_put(&frame, sizeof(frame));
	}
}
