/* SPDX-License-Identifier: BSD-2-Clause */
/* 02_counter.c - counters: single values, changed values, several at once. */
#include <syscap.h>

SYSCAP_COUNTER(queued, "example", "queued", "Jobs that wait", SYSCAP_INT64);
SYSCAP_COUNTER(level, "example", "level", "Between 0 and 1", SYSCAP_DOUBLE);

int main(void)
{
	for (int i = 0; i < 100; i++) {
		SYSCAP_COUNTER_SET(queued, i);
		SYSCAP_COUNTER_UPDATE(level, i / 10 / 10.0); /* 10 frames */
	}
	if (syscap_is_active()) {
		struct syscap_counter *const both[] = { &queued, &level };
		const union syscap_value values[] = { { .i64 = 0 },
			                              { .f64 = 1.0 } };

		syscap_counters_set(both, values, 2);
	}
	return 0;
}
