/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heavy.h - large captures, to measure readers.  Each kind of content has its
 * own file.  All output goes to standard output; a write error ends the
 * program.
 */
#ifndef BENCH_HEAVY_H
#define BENCH_HEAVY_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#define HEAVY_PID   7
#define HEAVY_BEGIN INT64_C(1000)

/** The next random number; the sequence is the same in each run. */
uint32_t heavy_random(void);

/** Fill in the header of a frame of @len bytes plus padding. */
void heavy_begin(struct syscap_wire_frame *frame, uint8_t type, size_t len,
                 int64_t time);

/** Write @len bytes, and zeros up to a multiple of 8. */
void heavy_put(const void *frame, size_t len);

/** Each function writes @n frames of its kind, and the other frames that these
 * @n frames need. */
void heavy_samples(long n);
void heavy_allocations(long n);
void heavy_day(long n);
void heavy_stacks(long n);
void heavy_marks(long n);
void heavy_counters(long n);

#endif
