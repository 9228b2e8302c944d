/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dlclose_plugin.c - a shared library with its own hidden copy of syscap, like
 * GLib or a plug-in.  test_dlclose.c loads and unloads it.
 */
#include <syscap.h>

__attribute__((visibility("default"))) void plugin_emit(const char *name,
                                                        int n);
__attribute__((visibility("default"))) const char *plugin_reason(void);

void plugin_emit(const char *name, int n)
{
	for (int i = 0; i < n; i++)
		syscap_mark("plugin", name, 1 + i, 0, NULL);
}

const char *plugin_reason(void)
{
	static struct syscap_stats stats;

	stats.size = sizeof(stats);
	syscap_get_stats(&stats);
	return stats.reason;
}
