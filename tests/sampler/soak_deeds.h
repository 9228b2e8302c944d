/* SPDX-License-Identifier: BSD-2-Clause */
/* soak_deeds.h - work that threads repeat while they are sampled. */
#pragma once

#include <stdint.h>

#define SOAK_N_DEEDS   8u
#define SOAK_MAX_DEEDS 16u

typedef void soak_deed(void);

/* Behind SOAK_N_FOR_TSAN: stacks that ThreadSanitizer is not told of, on which
 * its own overflows after minutes; and threads that end, with which it is done
 * before their last key destructors run, so that a tick in between crashes
 * it. */
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
