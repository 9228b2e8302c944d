/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heavy.h - captures that are large, to measure those who read them: what
 * they are full of is one file each.  All goes to standard output; what
 * cannot be written ends the program.
 */
#ifndef BENCH_HEAVY_H
#define BENCH_HEAVY_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#define HEAVY_PID   7
#define HEAVY_BEGIN INT64_C(1000)

/** The next of a row of numbers that is the same in each run. */
uint32_t heavy_random(void);

/** Head a frame of @len bytes; padding is added to that. */
void heavy_begin(struct syscap_wire_frame *frame, uint8_t type, size_t len,
                 int64_t time);

/** Write @len bytes, and zeros up to a multiple of 8. */
void heavy_put(const void *frame, size_t len);

/** Write @n frames of its kind, and what they need. */
void heavy_samples(long n);
void heavy_day(long n);
void heavy_stacks(long n);
void heavy_marks(long n);
void heavy_counters(long n);

#endif
