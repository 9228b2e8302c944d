/* SPDX-License-Identifier: BSD-2-Clause */
/* soak_deeds.h - work that threads repeat while they are sampled. */
#pragma once

#include <stdint.h>

#define SOAK_N_DEEDS   8u
#define SOAK_MAX_DEEDS 16u

typedef void soak_deed(void);

/* ThreadSanitizer runs only the first SOAK_N_FOR_TSAN deeds.  The others switch
 * stacks without its knowledge, so that its own stack overflows after minutes,
 * or end threads.  It discards a thread before the last key destructors run, and
 * a tick there crashes it. */
#define SOAK_N_FOR_TSAN 6u

extern soak_deed *const soak_deeds[SOAK_N_DEEDS];

/* Does each of @deeds in a thread of its own for so long, calls @before_end if
 * there is one, ends them and prints how often each was done.  Returns
 * nanoseconds. */
int64_t soak_run(int seconds, soak_deed *const *deeds, unsigned n,
                 void (*before_end)(void));

/* Says that somebody came to harm, and by what. */
void soak_harmed(const char *what);
unsigned soak_count_harmed(void);

unsigned soak_work(unsigned n);
