/* SPDX-License-Identifier: BSD-2-Clause */
/* processes.c - registration, watch and count of every process that records. */
#define _GNU_SOURCE
#include "recorder/processes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/now.h"

#define LOOK_AGAIN      INT64_C(1000000000)
#define LOOK_AT_COMMAND INT64_C(100000000) /* `env` execs a program soon */
#define LOOK_AT_REQUEST INT64_C(100000000)
#define LOOK_AT_STACK   INT64_C(20000000)
#define LOOK_AT_CODE    INT64_C(100000000)

/* Greatest number of MAP frames of one process for which a file is opened. */
#define OWN_MAPS_MAX 65536u

/*
 * Number of fds that stay free for rings.  Without a pidfd, the recorder finds
 * the end of a process a little later.  Without a ring's fd, events are lost.
 */
#define FILES_SPARE 8

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes)
{
	struct syc_processes *processes = calloc(1, sizeof(*processes));
	struct syc_procfs_identity recorder;
	struct rlimit limit;

	if (processes == NULL)
		return -ENOMEM;
	processes->files_max = INT_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX)
		processes->files_max = (int)limit.rlim_cur -
		                       (int)(FILES_SPARE + options->keep_files);
	processes->options = *options;
	processes->cursor = &processes->live;
	processes->files.keep = options->keep_files;
	if (syc_procfs_identity((int32_t)getpid(), &recorder) == 0)
		processes->recorder_start = recorder.start_time;
	*ret_processes = processes;
	return 0;
}

void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline)
{
	struct syc_tracked_process *process = syc_tracked_get(processes, pid);

	if (process == NULL)
		return;
	process->image = ++processes->last_image;
	processes->announced++;
	syc_tracked_watch(processes, process);
	/*
	 * Read the command's identity at its first request, because the command
	 * may be inside exec now.
	 */
	syc_tracked_name(processes, process, cmdline);
}

/* Get the process, which is a different process if the pid was reused.  Returns
 * NULL if no memory is left. */
static struct syc_tracked_process *
get_process(struct syc_processes *processes, int32_t pid,
            const struct syc_procfs_identity *identity)
{
	struct syc_tracked_process *process = syc_tracked_find(processes, pid);

	/*
	 * Drain the rings first, because the process may have used another
	 * process' ring.
	 */
	if (process == NULL || !process->alive)
		syc_tracked_settle(processes);
	process = syc_tracked_get(processes, pid);
	if (process != NULL && process->alive && process->exec_seen &&
	    identity != NULL &&
	    identity->start_time != process->identity.start_time) {
		syc_tracked_settle(processes);
		syc_tracked_end(processes, process);
	}
	return process;
}

static bool is_due(const struct syc_tracked_process *process,
                   const struct syc_procfs_identity *identity)
{
	return !process->exec_seen ||
	       process->looked + LOOK_AT_REQUEST < syc_now() ||
	       (identity != NULL &&
	        !syc_tracked_same_program(&process->identity, identity));
}

static void begin_process(struct syc_processes *processes,
                          struct syc_tracked_process *process, int64_t since,
                          const struct syc_procfs_identity *identity,
                          const char *cmdline)
{
	syc_tracked_new_image(processes, process);
	processes->announced++;
	process->since = since;
	syc_tracked_announce(processes, process, identity, cmdline);
	process->is_past = identity == NULL;
	process->past_of = process->pid;
}

static bool is_dying(const struct syc_procfs_identity *identity)
{
	return identity->state == 'Z' || identity->state == 'X' ||
	       identity->start_code == 0;
}

/*
 * Return whether the EXIT frame was written, although the process is still
 * visible.  A process is visible until its parent has waited, and its last
 * threads have ended.  @since: start of the rings for which the process is
 * registered.
 */
static bool has_been_ended(const struct syc_tracked_process *process,
                           int64_t since,
                           const struct syc_procfs_identity *identity)
{
	struct syc_procfs_identity now;

	if (process->alive || process->ended == 0)
		return false;
	/* The caller may have read @identity before the end */
	if (identity != NULL && !is_dying(identity) &&
	    syc_procfs_identity(process->host, &now) == 0 && !is_dying(&now))
		return false;
	return identity != NULL && process->identity.start_time != 0
	               ? identity->start_time == process->identity.start_time
	               : since != 0 && since <= process->ended;
}

void syc_processes_request(struct syc_processes *processes, int32_t pid)
{
	struct syc_procfs_identity now;
	const struct syc_procfs_identity *const identity =
		syc_procfs_identity(pid, &now) == 0 ? &now : NULL;
	struct syc_tracked_process *const process =
		get_process(processes, pid, identity);

	if (process == NULL || has_been_ended(process, 0, identity))
		return;
	if (!process->alive)
		begin_process(processes, process, 0, identity, NULL);
	else if (is_due(process, identity))
		syc_tracked_look(processes, process);
}

const struct syc_procfs_seen *syc_processes_see(struct syc_processes *processes,
                                                int32_t pid)
{
	syc_procfs_see(pid, &processes->seen);
	return &processes->seen;
}

void syc_processes_meet(struct syc_processes *processes, int32_t pid,
                        int64_t since, const char *cmdline)
{
	const struct syc_procfs_seen *const seen = &processes->seen;
	const struct syc_procfs_identity *const identity =
		seen->is_there ? &seen->identity : NULL;
	struct syc_tracked_process *const process =
		get_process(processes, pid, identity);

	if (process == NULL || has_been_ended(process, since, identity))
		return;
	if (!process->alive)
		begin_process(processes, process, since, identity,
		              seen->cmdline[0] != 0 ? seen->cmdline : cmdline);
	else if (is_due(process, identity))
		syc_tracked_see(processes, process, seen);
}

/*
 * Return whether the process may have syscap's library, which requests a ring
 * only at an event.  Other clients also request a ring to find out whether they
 * are recorded.
 */
static bool may_have_copy(struct syc_processes *processes,
                          struct syc_tracked_process *process)
{
	if (!processes->options.maps)
		syc_maps_write_new(&process->maps, process->pid, process->host,
		                   &processes->files, NULL, &processes->frame);
	return process->maps.maps.n == 0 || process->maps.may_have_copy;
}

void syc_processes_expect(struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	if (process == NULL || process->is_expected || process->is_heard ||
	    !may_have_copy(processes, process))
		return;
	process->is_expected = true;
	processes->n_unheard++;
}

void syc_processes_heard(struct syc_processes *processes, int32_t host)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, host);

	if (process == NULL || process->is_heard)
		return;
	process->is_heard = true;
	processes->n_unheard -= process->is_expected;
	syc_tracked_count_sampler(processes, process);
}

unsigned syc_processes_unheard(const struct syc_processes *processes)
{
	return processes->n_unheard;
}

void syc_processes_stack(struct syc_processes *processes, int32_t pid,
                         const uint64_t *addresses, unsigned n)
{
	struct syc_tracked_process *process = syc_tracked_find(processes, pid);

	if (process == NULL || !process->alive || !processes->options.maps)
		return;
	for (unsigned i = 0; i < n; i++) {
		/* Skip names for JIT code, and addresses of the kernel. */
		if (addresses[i] >= SYSCAP_JIT_MARK ||
		    syc_maps_cover(&process->maps, addresses[i]))
			continue;
		if (process->maps_looked + LOOK_AT_STACK > syc_now())
			return;
		syc_tracked_look_at_maps(processes, process);
		return;
	}
}

/* Return whether a cleaned MAP frame has a build-id. */
static bool has_build_id(const struct syscap_wire_map *map)
{
	const char *const path = (const char *)(map + 1);
	const size_t at = strlen(path) + 1;

	return sizeof(*map) + at < map->frame.len && path[at] == '@';
}

void syc_processes_map(struct syc_processes *processes, int32_t pid,
                       const struct syscap_wire_map *map)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);
	const char *const path = (const char *)(map + 1);
	const struct syc_procfs_map mapping = { .start = map->start,
		                                .end = map->end,
		                                .path = path };

	/* Keep only files with a build-id.  Without a build-id, the file at the
	 * path may be another file */
	if (process != NULL && path[0] == '/' && has_build_id(map) &&
	    process->n_own_maps++ < OWN_MAPS_MAX)
		syc_mapped_files_find(&processes->files, process->host,
		                      &mapping, path, false, 0);
}

void syc_processes_unmapped(struct syc_processes *processes, int32_t pid,
                            uint64_t start, uint64_t end)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	if (process != NULL)
		syc_maps_forget_range(&process->maps, start, end);
}

void syc_processes_gone(struct syc_processes *processes, int32_t pid)
{
	struct syc_tracked_process *process;

	syc_tracked_settle(processes); /* this call may register the process
	                                * under another number */
	process = processes->live;
	while (process != NULL) {
		struct syc_tracked_process *next = process->live;

		if (process->host == pid)
			syc_tracked_end(processes, process);
		process = next;
	}
}

void syc_processes_look(struct syc_processes *processes, int64_t now)
{
	struct syc_tracked_process *process = *processes->cursor;
	int64_t pause;

	/*
	 * Take one step per call, because thousands of processes must not stall
	 * the rings.
	 */
	if (process == NULL) {
		processes->cursor = &processes->live;
		return;
	}
	processes->cursor = &process->live;
	if (process->code != NULL &&
	    process->code_looked + LOOK_AT_CODE <= now) {
		process->code_looked = now;
		syc_code_watch_look(process->code, now);
	}
	pause = process->exec_seen ? LOOK_AGAIN : LOOK_AT_COMMAND;
	if (process->looked + pause <= now)
		syc_tracked_look(processes, process);
}

void syc_processes_look_unwatched(struct syc_processes *processes)
{
	struct syc_tracked_process *process = processes->live;

	while (process != NULL) {
		struct syc_tracked_process *const next = process->live;

		if (process->pidfd < 0)
			syc_tracked_look(processes, process);
		process = next;
	}
}

bool syc_processes_alive(const struct syc_processes *processes, int32_t pid)
{
	const struct syc_tracked_process *process =
		syc_tracked_find(processes, pid);

	return process != NULL && process->alive;
}

bool syc_processes_runs_on(const struct syc_processes *processes, int32_t pid)
{
	const struct syc_tracked_process *process =
		syc_tracked_find(processes, pid);
	struct syc_procfs_identity now;

	/* A process without code is a zombie, or inside exec */
	return process != NULL && process->alive && process->exec_seen &&
	       !process->is_replaced &&
	       syc_procfs_identity(process->host, &now) == 0 &&
	       now.start_code != 0 &&
	       now.start_time == process->identity.start_time &&
	       syc_tracked_same_program(&process->identity, &now);
}

uint32_t syc_processes_image(const struct syc_processes *processes, int32_t pid)
{
	const struct syc_tracked_process *process =
		syc_tracked_find(processes, pid);

	return process != NULL ? process->image : 0;
}

void syc_processes_finish_code(struct syc_processes *processes)
{
	for (struct syc_tracked_process *process = processes->live;
	     process != NULL; process = process->live)
		syc_tracked_end_code(process);
}

const struct syc_mapped_files *
syc_processes_files(const struct syc_processes *processes)
{
	return &processes->files;
}

void syc_processes_sampler(struct syc_processes *processes, int32_t pid,
                           int64_t time, bool has_one)
{
	struct syc_tracked_process *const process =
		syc_tracked_find(processes, pid);

	/*
	 * Skip older reports, because the rings of a process are read in any
	 * order
	 */
	if (process == NULL || time < process->sampler_said)
		return;
	process->sampler_said = time;
	process->is_without_sampler = !has_one;
	syc_tracked_count_sampler(processes, process);
}

unsigned syc_processes_without_sampler(const struct syc_processes *processes)
{
	return processes->n_lack_sampler;
}

void syc_processes_count(const struct syc_processes *processes,
                         unsigned *ret_all, unsigned *ret_alive)
{
	*ret_all = processes->announced;
	*ret_alive = 0;
	for (const struct syc_tracked_process *process = processes->live;
	     process != NULL; process = process->live)
		*ret_alive += !syc_procfs_is_dying(process->host);
}

void syc_processes_free(struct syc_processes *processes)
{
	if (processes == NULL)
		return;
	for (unsigned i = 0; i < SYC_TRACKED_BUCKETS; i++)
		while (processes->buckets[i] != NULL) {
			struct syc_tracked_process *process =
				processes->buckets[i];

			processes->buckets[i] = process->next;
			if (process->pidfd >= 0)
				close(process->pidfd);
			syc_code_watch_free(process->code);
			syc_maps_forget(&process->maps);
			free(process->cmdline);
			free(process);
		}
	syc_mapped_files_free(&processes->files);
	free(processes);
}
