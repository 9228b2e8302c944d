/* SPDX-License-Identifier: BSD-2-Clause */
/* counter_name.c - what a counter is called where there is one text for it. */
#include "export/counter_name.h"

#include <stdio.h>

void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE])
{
	if (counter->name[0] != 0)
		snprintf(ret_name, SYC_COUNTER_NAME_SIZE, "%s: %s",
		         counter->category, counter->name);
	else
		snprintf(ret_name, SYC_COUNTER_NAME_SIZE, "counter %u",
		         (unsigned)counter->id);
}
