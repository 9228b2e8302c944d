/* SPDX-License-Identifier: BSD-2-Clause */
/* severity.h - what the severity of a LOG frame is called. */
#ifndef SC_CLI_SEVERITY_H
#define SC_CLI_SEVERITY_H

#include <stdint.h>

/* GLib's level bits 2 to 7, the worst first, and what has none of them. */
#define SC_SEVERITIES 7

static inline unsigned sc_severity_index(uint16_t severity)
{
	unsigned i = 0;

	while (i + 1 < SC_SEVERITIES && !(severity & 4u << i))
		i++;
	return i;
}

static inline const char *sc_severity_name(unsigned index)
{
	static const char *const names[SC_SEVERITIES] = { "error",   "critical",
		                                          "warning", "message",
		                                          "info",    "debug",
		                                          "other" };

	return names[index];
}

#endif
