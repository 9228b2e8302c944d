/* SPDX-License-Identifier: BSD-2-Clause */
/* app_dropin.c - the smallest program that uses the drop-in. */
#include <stdio.h>

#include <sysprof-capture.h>

int main(void)
{
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, "consumer",
	                       "started", "hello");
	puts(sysprof_collector_is_active() ? "recorded" : "off");
	return 0;
}
