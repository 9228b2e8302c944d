/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector.c - the collector's functions for all programs, and marks, on the
 * rings of <syscap.h>.
 *
 * Messages in printf's form, logs, stacks and counters have their own files,
 * which the linker takes only for programs that use them.
 *
 * Objects that were compiled with other headers also call these functions by
 * name.  So each function checks whether a recording is in progress.
 */
#define _GNU_SOURCE
#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "emit/process.h"
#include "sysprof_compat/lazy_init.h"

void sysprof_collector_init(void)
{
	syc_setup_run();
	sysprof_clock_init();
}

bool sysprof_collector_is_active(void)
{
	syc_lazy_init_check();
	return syscap_is_active();
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
