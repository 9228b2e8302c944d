/* SPDX-License-Identifier: BSD-2-Clause */
/* process_past.c - processes that were gone before they were met. */
#include "record/process_past.h"

#include <stdio.h>
#include <string.h>

#include "record/now.h"
#include "record/processes.h"
#include "record/tracked.h"

void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline)
{
	struct syc_tracked_process *process = syc_tracked_find(processes, pid);
	char name[32];

	/* Alive, it is the same, and perhaps another program by now */
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
	/* What it runs by now, if it lives, is found when it is looked at */
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
	syc_tracked_tell_exit(processes, process);
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
