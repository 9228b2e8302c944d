/* SPDX-License-Identifier: BSD-2-Clause */
/* process_numbers.c - processes in pid namespaces: whose number is it? */
#include "record/process_numbers.h"

#include <stdio.h>

#include "record/tracked.h"

/* The live process that takes itself for @pid in a namespace of its own. */
static struct syc_tracked_process *
find_in_namespace(struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *process = processes->live;

	while (process != NULL &&
	       (process->own_pid != pid || process->own_pid == process->host))
		process = process->live;
	return process;
}

int32_t syc_processes_user(const struct syc_processes *processes, int32_t pid,
                           bool (*is_user)(void *data, int32_t host),
                           void *data)
{
	const struct syc_tracked_process *only = NULL;
	bool others = false;

	for (const struct syc_tracked_process *p = processes->live; p != NULL;
	     p = p->live)
		if (p->own_pid == pid && p->own_pid != p->host) {
			others |= only != NULL && only->host != p->host;
			only = p;
		}
	if (!others)
		return only == NULL ? 0 : only->host;
	for (const struct syc_tracked_process *p = processes->live; p != NULL;
	     p = p->live)
		if (p->own_pid == pid && p->own_pid != p->host &&
		    is_user(data, p->host))
			return p->host;
	return 0;
}

int32_t syc_processes_shown(const struct syc_processes *processes,
                            int32_t requester, int32_t pid)
{
	const struct syc_tracked_process *const asked =
		syc_tracked_find(processes, requester);
	const struct syc_tracked_process *const known =
		syc_tracked_find(processes, pid);

	if (requester == pid || asked == NULL || known == NULL ||
	    asked->own_pid != pid || known->host == asked->host)
		return pid;
	return requester;
}

void syc_processes_know(struct syc_processes *processes, int32_t pid,
                        int32_t host)
{
	const struct syc_tracked_process *const user =
		syc_tracked_find(processes, host);
	struct syc_procfs_identity identity;
	struct syc_tracked_process *process;
	const struct syc_tracked_process *inside;

	if (syc_tracked_find(processes, pid) != NULL)
		return;
	process = syc_tracked_get(processes, pid);
	if (process == NULL)
		return;
	processes->announced++;
	process->image = ++processes->last_image;
	inside = user != NULL && user->alive && user->own_pid == pid &&
	                         user->own_pid != user->host
	                 ? user
	                 : find_in_namespace(processes, pid);
	if (inside != NULL) {
		process->host = inside->host;
		syc_tracked_announce(processes, process, &inside->identity,
		                     inside->cmdline);
	} else if (syc_procfs_identity(pid, &identity) == 0 &&
	           identity.start_time >= processes->our_start) {
		syc_tracked_announce(processes, process, &identity, NULL);
	} else {
		char name[32];

		/* Gone, or older than us and so no process of ours. */
		snprintf(name, sizeof(name), "[pid %d]", pid);
		syc_tracked_name(processes, process, name);
	}
}
