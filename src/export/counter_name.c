/* SPDX-License-Identifier: BSD-2-Clause */
/* counter_name.c - what a counter is called where there is one text for it. */
#define _GNU_SOURCE
#include "export/counter_name.h"

#include <stdio.h>
#include <string.h>

_Static_assert(SYC_COUNTER_NAME_SIZE > 2 * 3 * 32 + 2, "there is room");

/* As often as there are values: not by printf(). */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE])
{
	if (counter->name[0] != 0)
		stpcpy(stpcpy(stpcpy(ret_name, counter->category), ": "),
		       counter->name);
	else
		snprintf(ret_name, SYC_COUNTER_NAME_SIZE, "counter %u",
		         (unsigned)counter->id);
}
