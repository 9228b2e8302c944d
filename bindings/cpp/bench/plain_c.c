/* SPDX-License-Identifier: BSD-2-Clause */
/* plain_c.c - loops of events in C. */
#include "plain_c.h"

#include <stddef.h>

#include <syscap.h>

#define BARRIER() __asm__ volatile("" ::: "memory")

#define LOOP(name, event)                          \
	void name(unsigned n)                      \
	{                                          \
		for (unsigned i = 0; i < n; i++) { \
			event;                     \
			BARRIER();                 \
		}                                  \
	}

SYSCAP_COUNTER(counter, "bench", "C", "", SYSCAP_INT64);

__attribute__((noinline)) void plain_c_nothing(void)
{
	BARRIER();
}

LOOP(plain_c_call, plain_c_nothing())
LOOP(plain_c_empty, )
LOOP(plain_c_mark, SYSCAP_INSTANT("bench", "C mark", NULL))
LOOP(plain_c_scope, SYSCAP_SCOPE("bench", "C scope"))
LOOP(plain_c_counter, SYSCAP_COUNTER_SET(counter, i))
LOOP(plain_c_log, SYSCAP_LOG(SYSCAP_DEBUG, "bench", "text"))
