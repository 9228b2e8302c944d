/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_identity.c - processes with another number, or with an end before
 * their registration.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "common/now.h"
#include "recorder/processes.h"

/* Find the live process that has @pid in another pid namespace. */
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
	           identity.start_time >= processes->recorder_start) {
		syc_tracked_announce(processes, process, &identity, NULL);
	} else {
		char name[32];

		/*
		 * The process has ended, or is older than the recorder, and so
		 * was not recorded.
		 */
		snprintf(name, sizeof(name), "[pid %d]", pid);
		syc_tracked_name(processes, process, name);
	}
}

void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline)
{
	struct syc_tracked_process *process = syc_tracked_find(processes, pid);
	char name[32];

	/*
	 * A live process with @pid is the same process, even if it has executed
	 * another program
	 */
	if (process != NULL &&
	    (process->alive || process->is_past || since <= process->ended))
		return;
	process = syc_tracked_get(processes, pid);
	if (process == NULL)
		return;
	syc_tracked_new_image(processes, process);
	processes->announced++;
	process->is_past = true;
	process->past_of = of;
	process->since = since;
	snprintf(name, sizeof(name), "[pid %d]", pid);
	syc_tracked_name(processes, process, cmdline != NULL ? cmdline : name);
}

void syc_processes_past_image(struct syc_processes *processes, int32_t pid,
                              bool is_new, int64_t since, const char *cmdline)
{
	struct syc_tracked_process *process;

	syc_tracked_settle(processes);
	process = syc_tracked_find(processes, pid);
	if (process == NULL || !process->alive) {
		syc_processes_past(processes, pid, pid, since, cmdline);
		return;
	}
	if (cmdline != NULL && process->cmdline != NULL &&
	    strcmp(cmdline, process->cmdline) != 0)
		is_new = true;
	if (cmdline == NULL)
		cmdline = process->cmdline;
	if (!is_new || cmdline == NULL)
		return;
	syc_tracked_new_image(processes, process);
	process->since = since;
	syc_tracked_name(processes, process, cmdline);
	/* The next examination finds the present program of a live process */
	process->exec_seen = false;
}

void syc_processes_inherits(struct syc_processes *processes, int32_t pid,
                            int32_t parent, int64_t since)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	const int64_t now = syc_now();

	if (process == NULL || process->had_maps || pid == parent ||
	    !processes->options.maps)
		return;
	process->had_maps = true;
	syc_compose_fork(&processes->frame, parent,
	                 since > 0 && since < now ? since : now, pid);
	syc_writer_add(processes->options.writer, &processes->frame);
}

bool syc_processes_is_other(const struct syc_processes *processes, int32_t pid,
                            int32_t of)
{
	const struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	return process != NULL && (process->alive || process->past_of != of);
}

void syc_processes_past_over(struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	if (process == NULL || !process->is_past || process->alive)
		return;
	process->is_past = false;
	syc_tracked_write_exit(processes, process);
}

void syc_processes_past_goes_on(struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	if (process == NULL || !process->is_past || process->alive)
		return;
	syc_tracked_new_image(processes, process);
	if (syc_tracked_watch(processes, process))
		syc_tracked_look(processes, process);
	else
		syc_tracked_end(processes, process);
}

const char *syc_processes_cmdline(const struct syc_processes *processes,
                                  int32_t pid)
{
	const struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	return process != NULL ? process->cmdline : NULL;
}

uint32_t syc_processes_changes(const struct syc_processes *processes)
{
	return processes->changes;
}
