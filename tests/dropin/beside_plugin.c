/* SPDX-License-Identifier: BSD-2-Clause */
/* beside_plugin.c - a library with events into SYSPROF_TRACE_FD. */
#include <sysprof-capture.h>

__attribute__((visibility("default"))) void emit(unsigned n);

void emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 5, "ours",
		                       "mark", NULL);
}
