/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_log.c - the collector's logs. */
#define _GNU_SOURCE
#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "sysprof_compat/lazy_init.h"

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
