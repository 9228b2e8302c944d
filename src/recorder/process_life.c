/* SPDX-License-Identifier: BSD-2-Clause */
/* process_life.c - life of one process, from its PROCESS frame to its EXIT. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/writer.h"
#include "common/now.h"
#include "recorder/processes.h"

struct syc_tracked_process *
syc_tracked_find(const struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *process =
		processes->buckets[(uint32_t)pid % SYC_TRACKED_BUCKETS];

	while (process != NULL && process->pid != pid)
		process = process->next;
	return process;
}

struct syc_tracked_process *syc_tracked_get(struct syc_processes *processes,
                                            int32_t pid)
{
	struct syc_tracked_process **bucket =
		&processes->buckets[(uint32_t)pid % SYC_TRACKED_BUCKETS];
	struct syc_tracked_process *process = syc_tracked_find(processes, pid);

	if (process != NULL)
		return process;
	process = calloc(1, sizeof(*process));
	if (process == NULL)
		return NULL;
	process->pid = process->host = process->own_pid = pid;
	process->pidfd = -1;
	process->next = *bucket;
	*bucket = process;
	return process;
}

void syc_tracked_name(struct syc_processes *processes,
                      struct syc_tracked_process *process, const char *cmdline)
{
	const int64_t now = syc_now();
	const int64_t since =
		process->since > process->ended && process->since < now
			? process->since
			: now;
	char *copy = strdup(cmdline);

	process->since = 0;
	syc_compose_process(&processes->frame, process->pid, since, cmdline);
	syc_writer_add(processes->options.writer, &processes->frame);
	free(process->cmdline);
	process->cmdline = copy;
}

/*
 * Update the count of programs without a sampler.  Until a sampler reports
 * itself, the mapped files show whether the process has one.
 */
void syc_tracked_count_sampler(struct syc_processes *processes,
                               struct syc_tracked_process *process)
{
	const bool lacks = process->is_heard && process->is_without_sampler;

	processes->n_lack_sampler += (unsigned)lacks - process->lacks_sampler;
	process->lacks_sampler = lacks;
}

void syc_tracked_look_at_maps(struct syc_processes *processes,
                              struct syc_tracked_process *process)
{
	process->maps_looked = syc_now();
	if (processes->options.maps)
		syc_maps_write_new(&process->maps, process->pid, process->host,
		                   &processes->files, processes->options.writer,
		                   &processes->frame);
	process->had_maps |= process->maps.maps.n > 0;
	if (process->sampler_said == 0) {
		process->is_without_sampler = process->maps.maps.n > 0 &&
		                              process->maps.may_have_copy &&
		                              !process->maps.may_have_sampler;
		syc_tracked_count_sampler(processes, process);
	}
}

/*
 * Read the command line, which is empty inside exec, and for kernel threads and
 * zombies.  Returns false for an empty command line.
 */
static bool has_cmdline(struct syc_processes *processes, int32_t host)
{
	return syc_procfs_cmdline(host, processes->text,
	                          sizeof(processes->text)) == 0 &&
	       processes->text[0] != 0;
}

/*
 * Drain the rings, which may register and examine other processes.  So save the
 * data that was read before.
 */
void syc_tracked_settle(struct syc_processes *processes)
{
	struct syc_procfs_seen *const seen = &processes->seen;
	const struct syc_procfs_identity identity = seen->identity;
	const bool is_there = seen->is_there;
	char *const cmdline = strdup(seen->cmdline);

	processes->options.settle(processes->options.context);
	seen->identity = identity;
	seen->is_there = is_there;
	snprintf(seen->cmdline, sizeof(seen->cmdline), "%s",
	         cmdline != NULL ? cmdline : "");
	free(cmdline);
}

void syc_tracked_new_image(struct syc_processes *processes,
                           struct syc_tracked_process *process)
{
	process->image = ++processes->last_image;
	processes->changes++;
	process->is_past = false;
	process->is_expected = false;
	process->is_heard = false;
	process->had_maps = false;
	process->is_without_sampler = false;
	process->sampler_said = 0;
	process->lacks_sampler = false; /* the old program stays in the count */
	if (process->code != NULL)
		syc_code_watch_exec(process->code, syc_now());
	syc_maps_forget(&process->maps);
	syc_renumber_forget(processes->options.renumber, process->pid);
}

static void watch_code(struct syc_processes *processes,
                       struct syc_tracked_process *process)
{
	const struct syc_code_watch_options options = { 0 };
	struct syc_code_table *table;

	if (processes->options.code == NULL ||
	    syc_code_names_table(processes->options.code, process->pid,
	                         &table) != 0 ||
	    syc_code_watch_new(process->host, table, &options,
	                       &process->code) != 0) {
		process->code = NULL;
		return;
	}
	/* The table has code of an earlier process with the pid, which is no
	 * longer mapped. */
	if (syc_code_table_events(table) > 0)
		syc_code_watch_exec(process->code, syc_now());
}

void syc_tracked_end_code(struct syc_tracked_process *process)
{
	if (process->code == NULL)
		return;
	syc_code_watch_finish(process->code, syc_now());
	syc_code_watch_free(process->code);
	process->code = NULL;
}

/*
 * Return whether few fds are in use.  The number of a new fd shows this,
 * because the kernel allocates the lowest free fd.
 */
static bool has_files_to_spare(const struct syc_processes *processes)
{
	const int fd = fcntl(processes->options.epoll, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && fd < processes->files_max;
}

/*
 * Start to watch a process in the recorder's /proc.  Returns false if the
 * process has already ended.
 */
bool syc_tracked_watch(struct syc_processes *processes,
                       struct syc_tracked_process *process)
{
	struct epoll_event event = { .events = EPOLLIN,
		                     .data.u64 = (uint32_t)process->host };
	bool there = true;

	process->alive = true;
	process->live = processes->live;
	processes->live = process;
	processes->n_alive++;
	process->looked = syc_now();
	syc_procfs_own_pid(process->host, &process->own_pid);
	if (!has_files_to_spare(processes))
		return true;
	process->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)process->host, 0);
	if (process->pidfd >= 0)
		epoll_ctl(processes->options.epoll, EPOLL_CTL_ADD,
		          process->pidfd, &event);
	else /* later checks handle other failures */
		there = errno != ESRCH;
	watch_code(processes, process);
	return there;
}

static void write_what_it_is(struct syc_processes *processes,
                             struct syc_tracked_process *process,
                             const char *cmdline)
{
	char name[64];

	if (cmdline != NULL) {
		syc_tracked_name(processes, process, cmdline);
	} else if (has_cmdline(processes, process->host)) {
		syc_tracked_name(processes, process, processes->text);
	} else {
		if (syc_procfs_comm(process->host, name, sizeof(name)) != 0)
			snprintf(name, sizeof(name), "[pid %d]", process->pid);
		syc_tracked_name(processes, process, name);
	}
	syc_tracked_look_at_maps(processes, process);
}

void syc_tracked_write_exit(struct syc_processes *processes,
                            struct syc_tracked_process *process)
{
	process->ended = syc_now();
	syc_compose_exit(&processes->frame, process->pid, process->ended);
	syc_writer_add(processes->options.writer, &processes->frame);
}

/* End a process, after its last frames were written. */
void syc_tracked_end(struct syc_processes *processes,
                     struct syc_tracked_process *process)
{
	struct syc_tracked_process **at = &processes->live;

	while (*at != process)
		at = &(*at)->live;
	*at = process->live;
	if (processes->cursor == &process->live)
		processes->cursor = at;
	processes->n_alive--;
	processes->changes++;
	process->alive = false;
	process->exec_seen = false;
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
	syc_tracked_end_code(process);
	syc_maps_forget(&process->maps);
	syc_tracked_write_exit(processes, process);
}

bool syc_tracked_same_program(const struct syc_procfs_identity *a,
                              const struct syc_procfs_identity *b)
{
	/* The values 0 and 1 mean that the recorder has no permission to read
	 * the addresses. */
	if (a->start_code <= 1 || b->start_code <= 1)
		return true;
	return a->start_code == b->start_code &&
	       a->start_stack == b->start_stack;
}

void syc_tracked_see(struct syc_processes *processes,
                     struct syc_tracked_process *process,
                     const struct syc_procfs_seen *seen)
{
	process->looked = syc_now();
	if (!seen->is_there ||
	    (process->exec_seen &&
	     seen->identity.start_time != process->identity.start_time)) {
		syc_tracked_settle(processes);
		syc_tracked_end(processes, process);
		return;
	}
	/* Skip a process without code, which is about to exit, or inside
	 * exec. */
	if (seen->identity.start_code == 0 || seen->cmdline[0] == 0)
		return;
	if (!process->exec_seen) {
		process->identity = seen->identity;
		process->exec_seen = true;
		if (process->cmdline == NULL ||
		    strcmp(process->cmdline, seen->cmdline) != 0)
			syc_tracked_name(processes, process, seen->cmdline);
	} else if (!syc_tracked_same_program(&process->identity,
	                                     &seen->identity)) {
		process->identity = seen->identity;
		process->is_replaced = true;
		syc_tracked_settle(processes);
		syc_tracked_new_image(processes, process);
		process->is_replaced = false;
		syc_tracked_name(processes, process, seen->cmdline);
	}
	syc_tracked_look_at_maps(processes, process);
}

void syc_tracked_look(struct syc_processes *processes,
                      struct syc_tracked_process *process)
{
	syc_procfs_see(process->host, &processes->seen);
	syc_tracked_see(processes, process, &processes->seen);
}

void syc_tracked_announce(struct syc_processes *processes,
                          struct syc_tracked_process *process,
                          const struct syc_procfs_identity *identity,
                          const char *cmdline)
{
	bool there = true;

	if (identity != NULL) {
		process->identity = *identity;
		process->exec_seen = true;
		there = syc_tracked_watch(processes, process);
	}
	write_what_it_is(processes, process, cmdline);
	if (!there)
		syc_tracked_end(processes, process);
}
