/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_plugin.c - a shared library with its own hidden copy of the
 * collector, like GLib or a plug-in.
 *
 * Linked without -z nodelete: programs may unload the library.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include <sysprof-capture.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void plugin_mark(const char *name);
EXPORT unsigned int plugin_request(unsigned int n, const char *name);
EXPORT void plugin_set(unsigned int id, int64_t value);

void plugin_mark(const char *name)
{
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, "defect", name,
	                       NULL);
}

unsigned int plugin_request(unsigned int n, const char *name)
{
	const unsigned int first = sysprof_collector_request_counters(n);

	for (unsigned int i = 0; i < n; i++) {
		SysprofCaptureCounter counter = {
			.id = (first + i) & 0xFFFFFF,
			.type = SYSPROF_CAPTURE_COUNTER_INT64,
		};

		snprintf(counter.name, sizeof(counter.name), "%s %u", name, i);
		sysprof_collector_define_counters(&counter, 1);
	}
	return first;
}

void plugin_set(unsigned int id, int64_t value)
{
	const SysprofCaptureCounterValue of_counter = { .v64 = value };

	sysprof_collector_set_counters(&id, &of_counter, 1);
}
