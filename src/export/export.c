/* SPDX-License-Identifier: BSD-2-Clause */
/* export.c - which marks pass a filter. */
#include "export/export.h"

#include <string.h>

static bool is_thread(const struct syscap_profile_thread *thread,
                      const char *wanted)
{
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", (int)thread->tid);
	return strcmp(wanted, tid) == 0 ||
	       (thread->name[0] != 0 && strcmp(wanted, thread->name) == 0);
}

bool syc_export_has_mark(const struct syc_export *export,
                         const struct syscap_profile_mark *mark)
{
	const struct syscap_filter *filter = export->filter;
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	size_t ignored;

	threads = syscap_profile_threads(export->profile, &ignored);
	processes = syscap_profile_processes(export->profile, &ignored);
	if (filter->has_from && mark->time < filter->from)
		return false;
	if (filter->has_to && mark->time >= filter->to)
		return false;
	if (filter->pid != 0 &&
	    processes[threads[mark->thread].process].pid != filter->pid)
		return false;
	return filter->thread == NULL ||
	       is_thread(&threads[mark->thread], filter->thread);
}
