/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heavy_marks.c - marks of 8 threads, with 24 names like a toolkit's: some
 * nested, with lengths over four powers of ten, half with a message.
 */
#include <stdio.h>
#include <string.h>

#include "bench/heavy.h"

#define N_NAMES   24u
#define N_THREADS 8u

void heavy_marks(long n)
{
	struct {
		struct syscap_wire_mark mark;
		char message[32];
	} frame;
	int64_t time = HEAVY_BEGIN;

	for (long i = 0; i < n; i++) {
		const uint32_t name = heavy_random() % N_NAMES;
		const uint32_t thread = (uint32_t)(i / 16) % N_THREADS;
		size_t len = sizeof(frame.mark) + 1;
		int64_t duration = 1 + heavy_random() % 1000;

		for (uint32_t more = heavy_random() % 4; more > 0; more--)
			duration *= 10;
		memset(&frame, 0, sizeof(frame));
		if (heavy_random() % 2)
			len += (size_t)snprintf(frame.message,
			                        sizeof(frame.message),
			                        "%u of %ld", name, i);
		time += heavy_random() % 1000;
		heavy_begin(&frame.mark.frame, SYSCAP_FRAME_MARK, len, time);
		frame.mark.frame.padding2 =
			SYSCAP_TID_TAG | (HEAVY_PID + thread);
		frame.mark.duration = duration;
		snprintf(frame.mark.group, sizeof(frame.mark.group), "group-%u",
		         name % 3);
		snprintf(frame.mark.name, sizeof(frame.mark.name),
		         "something that takes time %u", name);
		heavy_put(&frame, len);
	}
}
