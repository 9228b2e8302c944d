/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector.c - the collector's functions, on the rings of <syscap.h>.
 *
 * Also called by name from objects that were compiled with other headers, so
 * each looks for itself whether anything is recorded.
 */
#define _GNU_SOURCE
#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "client/allocation.h"
#include "client/process.h"
#include "client/sample.h"

void sysprof_collector_init(void)
{
	sc_process_init();
	sysprof_clock_init();
}

bool sysprof_collector_is_active(void)
{
	return syscap_is_active();
}

void sysprof_collector_allocate(SysprofCaptureAddress alloc_addr,
                                int64_t alloc_size,
                                SysprofBacktraceFunc backtrace_func,
                                void *backtrace_data)
{
	sc_allocation(alloc_addr, alloc_size, backtrace_func, backtrace_data);
}

void sysprof_collector_sample(SysprofBacktraceFunc backtrace_func,
                              void *backtrace_data)
{
	sc_sample(backtrace_func, backtrace_data, false);
}

void sysprof_collector_trace(SysprofBacktraceFunc backtrace_func,
                             void *backtrace_data, bool entering)
{
	sc_sample(backtrace_func, backtrace_data, entering);
}

void sysprof_collector_mark(int64_t time, int64_t duration, const char *group,
                            const char *mark, const char *message)
{
	syscap_mark(group, mark, time, duration, message);
}

void syscap_dropin_mark_at(const struct syscap_dropin_site *site, int64_t time,
                           int64_t duration, const char *message)
{
	const struct syscap_mark_site *const ours = (const void *)site;

	SYSPROF_STATIC_ASSERT(sizeof(*site) == sizeof(*ours), "site");
	if (syscap_is_active())
		syscap_mark_at(ours, time, duration, message);
}

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
