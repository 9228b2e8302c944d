/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_messages.c - the collector's logs, and its marks with a message in
 * printf's form. */
#define _GNU_SOURCE
#include <stdarg.h>

#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "sysprof_compat/lazy_init.h"

void sysprof_collector_mark_vprintf(int64_t time, int64_t duration,
                                    const char *group, const char *mark,
                                    const char *message_format, va_list args)
{
	syscap_mark_vprintf(group, mark, time, duration, message_format, args);
}

void sysprof_collector_mark_printf(int64_t time, int64_t duration,
                                   const char *group, const char *mark,
                                   const char *message_format, ...)
{
	va_list args;

	if (!syscap_is_active())
		return;
	va_start(args, message_format);
	syscap_mark_vprintf(group, mark, time, duration, message_format, args);
	va_end(args);
}

void sysprof_collector_log(int severity, const char *domain,
                           const char *message)
{
	syscap_log((unsigned)severity, domain, message);
}

void sysprof_collector_log_printf(int severity, const char *domain,
                                  const char *format, ...)
{
	va_list args;

	if (!syscap_is_active())
		return;
	va_start(args, format);
	syscap_log_vprintf((unsigned)severity, domain, format, args);
	va_end(args);
}
