/* SPDX-License-Identifier: BSD-2-Clause */
/* severity.h - what the severity of a LOG frame is called. */
#ifndef SYC_DATA_SEVERITY_H
#define SYC_DATA_SEVERITY_H

#include <stdint.h>

/* GLib's level bits 2 to 7, the worst first, and what has none of them. */
#define SYC_SEVERITIES 7

static inline unsigned syc_severity_index(uint16_t severity)
{
	unsigned i = 0;

	while (i + 1 < SYC_SEVERITIES && !(severity & 4u << i))
		i++;
	return i;
}

static inline const char *syc_severity_name(unsigned index)
{
	static const char *const names[SYC_SEVERITIES] = {
		"error", "critical", "warning", "message",
		"info",  "debug",    "other"
	};

	return names[index];
}

#endif
