/* SPDX-License-Identifier: BSD-2-Clause */
/* labels.h - durations and severities as text for people. */
#ifndef SYC_COMMON_LABELS_H
#define SYC_COMMON_LABELS_H

#include <stddef.h>
#include <stdint.h>

/** Write @ns into @buffer in ns, µs, ms or s: "12.345 ms". */
void syc_duration_format(int64_t ns, char *buffer, size_t size);

/* GLib's level bits 2 to 7, the worst first, and "other" without any. */
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
