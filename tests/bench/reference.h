/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reference.h - the same events through the reference's collector, linked
 * statically into the same program.  If the reference is not installed, every
 * event here is empty and bench_has_reference is false.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>

#include "bench/measure.h"

extern const bool bench_has_reference;

extern const struct bench_event reference_mark;
extern const struct bench_event reference_mark_clocks; /* begin and end read */
extern const struct bench_event reference_mark_message;
extern const struct bench_event reference_mark_printf;
extern const struct bench_event reference_counter;
extern const struct bench_event reference_log;

/** Get a ring and define the counter that reference_counter sets. */
void reference_begin(void);

#endif
