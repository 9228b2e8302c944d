/* SPDX-License-Identifier: BSD-2-Clause */
/* soak_deeds.h - work that threads repeat while they are sampled. */
#pragma once

#include <stdint.h>

#define SOAK_N_DEEDS   8u
#define SOAK_MAX_DEEDS 16u

typedef void soak_deed(void);

/* ThreadSanitizer runs only the first SOAK_N_FOR_TSAN deeds.  ThreadSanitizer
 * does not detect the stack switches and thread ends of the other deeds, so its
 * own stack overflows after minutes.  ThreadSanitizer discards a thread before
 * the last key destructors run, and crashes at a tick in such a destructor. */
#define SOAK_N_FOR_TSAN 6u

extern soak_deed *const soak_deeds[SOAK_N_DEEDS];

/* Repeats each of @deeds in its own thread for @seconds, calls @before_end (if
 * not NULL), ends the threads and prints the number of repetitions.  Returns
 * the time in ns. */
int64_t soak_run(int seconds, soak_deed *const *deeds, unsigned n,
                 void (*before_end)(void));

/* Reports and counts the harm @what. */
void soak_harmed(const char *what);
unsigned soak_count_harmed(void);

unsigned soak_work(unsigned n);
