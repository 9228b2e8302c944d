/* SPDX-License-Identifier: BSD-2-Clause */
/* processes.c - PROCESS, MAP and EXIT frames for every process. */
#define _GNU_SOURCE
#include "record/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/compose.h"
#include "code/code_watch.h"
#include "record/mapped_file.h"
#include "record/maps.h"
#include "record/now.h"
#include "record/procfs.h"

#define BUCKETS         1024u
#define LOOK_AGAIN      INT64_C(1000000000)
#define LOOK_AT_REQUEST INT64_C(100000000)
#define LOOK_AT_STACK   INT64_C(20000000)
#define LOOK_AT_CODE    INT64_C(100000000)

/* Descriptors that stay free: without those of processes their ends are found
 * a little later, without those of rings events are lost. */
#define FILES_SPARE 8

struct tracked_process {
	struct tracked_process *next; /* in its bucket */
	struct tracked_process *live; /* in the list of live ones */
	int32_t pid;                  /* in frames */
	int32_t host;    /* in our /proc; another in a pid namespace */
	int32_t own_pid; /* what it takes itself for */
	bool alive;
	bool is_expected, is_heard; /* of this image */
	bool is_past;               /* met after its end, which is to be told */
	int32_t past_of;            /* by whom we know of such a one */
	int64_t since;              /* of its next PROCESS frame; 0: now */
	int64_t ended;
	bool lacks_sampler;
	int64_t sampler_told; /* when it said so, or that it has one */
	bool exec_seen;       /* identity is of the running program */
	uint32_t image;
	struct syc_procfs_identity identity;
	int pidfd;
	int64_t looked, maps_looked;
	char *cmdline; /* as it was announced */
	struct syc_known_maps maps;
	struct syc_code_watch *code; /* NULL: none, or it can't be watched */
	int64_t code_looked;
};

struct syc_processes {
	struct syc_processes_options options;
	struct tracked_process *buckets[BUCKETS];
	struct tracked_process *live, **cursor;
	unsigned announced, n_alive, n_unheard, n_lack_sampler;
	uint32_t last_image, changes;
	uint64_t our_start; /* of the recorder, clock ticks */
	struct syc_mapped_files files;
	int files_max; /* descriptors from here on are for rings */
	union syc_frame_buffer frame;
	char text[SYSCAP_FRAME_MAX];
};

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes)
{
	struct syc_processes *processes = calloc(1, sizeof(*processes));
	struct syc_procfs_identity ours;
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
	if (syc_procfs_identity((int32_t)getpid(), &ours) == 0)
		processes->our_start = ours.start_time;
	*ret_processes = processes;
	return 0;
}

static struct tracked_process *
find_process(const struct syc_processes *processes, int32_t pid)
{
	struct tracked_process *process =
		processes->buckets[(uint32_t)pid % BUCKETS];

	while (process != NULL && process->pid != pid)
		process = process->next;
	return process;
}

static struct tracked_process *get_process(struct syc_processes *processes,
                                           int32_t pid)
{
	struct tracked_process **bucket =
		&processes->buckets[(uint32_t)pid % BUCKETS];
	struct tracked_process *process = find_process(processes, pid);

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

static void write_process(struct syc_processes *processes,
                          struct tracked_process *process, const char *cmdline)
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

static void write_new_maps(struct syc_processes *processes,
                           struct tracked_process *process)
{
	process->maps_looked = syc_now();
	if (processes->options.maps)
		syc_maps_write_new(&process->maps, process->pid, process->host,
		                   &processes->files, processes->options.writer,
		                   &processes->frame);
}

/* Empty inside of exec, and for kernel threads and zombies. */
static bool has_cmdline(struct syc_processes *processes, int32_t host)
{
	return syc_procfs_cmdline(host, processes->text,
	                          sizeof(processes->text)) == 0 &&
	       processes->text[0] != 0;
}

static void settle_rings(struct syc_processes *processes)
{
	processes->options.settle(processes->options.context);
}

static void new_image(struct syc_processes *processes,
                      struct tracked_process *process)
{
	process->image = ++processes->last_image;
	processes->changes++;
	process->is_past = false;
	process->is_expected = false;
	process->is_heard = false;
	if (process->code != NULL)
		syc_code_watch_exec(process->code, syc_now());
	syc_maps_forget(&process->maps);
	syc_renumber_forget(processes->options.renumber, process->pid);
}

static void watch_code(struct syc_processes *processes,
                       struct tracked_process *process)
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
	/* Another process had the number: its code is gone. */
	if (syc_code_table_events(table) > 0)
		syc_code_watch_exec(process->code, syc_now());
}

static void end_code(struct tracked_process *process)
{
	if (process->code == NULL)
		return;
	syc_code_watch_finish(process->code, syc_now());
	syc_code_watch_free(process->code);
	process->code = NULL;
}

/* Descriptors are given out from the lowest that is free. */
static bool has_files_to_spare(const struct syc_processes *processes)
{
	const int fd = fcntl(processes->options.epoll, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && fd < processes->files_max;
}

/*
 * Start to watch a process that is in our /proc.  False: it is gone already.
 */
static bool watch(struct syc_processes *processes,
                  struct tracked_process *process)
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
	else /* other failures: looking again finds out */
		there = errno != ESRCH;
	watch_code(processes, process);
	return there;
}

/* @fallback: what to call it if nothing is known; or NULL. */
static void announce(struct syc_processes *processes,
                     struct tracked_process *process, const char *fallback)
{
	char name[64];

	if (has_cmdline(processes, process->host)) {
		write_process(processes, process, processes->text);
	} else if (fallback != NULL) {
		write_process(processes, process, fallback);
	} else {
		if (syc_procfs_comm(process->host, name, sizeof(name)) != 0)
			snprintf(name, sizeof(name), "[pid %d]", process->pid);
		write_process(processes, process, name);
	}
	write_new_maps(processes, process);
}

static void write_exit(struct syc_processes *processes,
                       struct tracked_process *process)
{
	process->ended = syc_now();
	syc_compose_exit(&processes->frame, process->pid, process->ended);
	syc_writer_add(processes->options.writer, &processes->frame);
}

/* Its last frames must be in the file. */
static void end_process(struct syc_processes *processes,
                        struct tracked_process *process)
{
	struct tracked_process **at = &processes->live;

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
	end_code(process);
	syc_maps_forget(&process->maps);
	write_exit(processes, process);
}

static bool same_program(const struct syc_procfs_identity *a,
                         const struct syc_procfs_identity *b)
{
	/* 0 and 1 stand for what we may not know. */
	if (a->start_code <= 1 || b->start_code <= 1)
		return true;
	return a->start_code == b->start_code &&
	       a->start_stack == b->start_stack;
}

/*
 * Look at a live process: another program, new mappings, or gone without a
 * word.
 */
static void look_at_process(struct syc_processes *processes,
                            struct tracked_process *process)
{
	struct syc_procfs_identity now;
	const int r = syc_procfs_identity(process->host, &now);

	process->looked = syc_now();
	if (r != 0 || (process->exec_seen &&
	               now.start_time != process->identity.start_time)) {
		settle_rings(processes);
		end_process(processes, process);
		return;
	}
	/* No code: it is about to exit, or inside exec. */
	if (now.start_code == 0 || !has_cmdline(processes, process->host))
		return;
	if (!process->exec_seen) {
		process->identity = now;
		process->exec_seen = true;
		if (process->cmdline == NULL ||
		    strcmp(process->cmdline, processes->text) != 0)
			write_process(processes, process, processes->text);
	} else if (!same_program(&process->identity, &now)) {
		process->identity = now;
		settle_rings(processes);
		new_image(processes, process);
		write_process(processes, process, processes->text);
	}
	write_new_maps(processes, process);
}

void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline)
{
	struct tracked_process *process = get_process(processes, pid);

	if (process == NULL)
		return;
	process->image = ++processes->last_image;
	processes->announced++;
	watch(processes, process);
	/* What it is comes with its first request: it may be inside exec. */
	write_process(processes, process, cmdline);
}

/* @identity: NULL where /proc does not show it. */
static void announce_live(struct syc_processes *processes,
                          struct tracked_process *process,
                          const struct syc_procfs_identity *identity,
                          const char *fallback)
{
	bool there = true;

	if (identity != NULL) {
		process->identity = *identity;
		process->exec_seen = true;
		there = watch(processes, process);
	}
	announce(processes, process, fallback);
	if (!there)
		end_process(processes, process);
}

void syc_processes_request(struct syc_processes *processes, int32_t pid,
                           int64_t since, const char *cmdline)
{
	struct tracked_process *process = find_process(processes, pid);
	struct syc_procfs_identity now;
	bool readable;

	/* First: it may have fetched another's ring, and have used it. */
	if (process == NULL || !process->alive)
		settle_rings(processes);
	process = get_process(processes, pid);
	if (process == NULL)
		return;
	readable = syc_procfs_identity(pid, &now) == 0;
	if (process->alive && process->exec_seen && readable &&
	    now.start_time != process->identity.start_time) {
		settle_rings(processes);
		end_process(processes, process);
	}
	if (process->alive) {
		if (!process->exec_seen ||
		    process->looked + LOOK_AT_REQUEST < syc_now() ||
		    (readable && !same_program(&process->identity, &now)))
			look_at_process(processes, process);
		return;
	}
	/* A number that comes again is another process. */
	new_image(processes, process);
	processes->announced++;
	process->since = since;
	announce_live(processes, process, readable ? &now : NULL, cmdline);
	process->is_past = !readable;
	process->past_of = pid;
}

void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline)
{
	struct tracked_process *process = find_process(processes, pid);
	char name[32];

	/* Alive, it is the same, and perhaps another program by now */
	if (process != NULL &&
	    (process->alive || process->is_past || since <= process->ended))
		return;
	process = get_process(processes, pid);
	if (process == NULL)
		return;
	new_image(processes, process);
	processes->announced++;
	process->is_past = true;
	process->past_of = of;
	process->since = since;
	snprintf(name, sizeof(name), "[pid %d]", pid);
	write_process(processes, process, cmdline != NULL ? cmdline : name);
}

void syc_processes_past_image(struct syc_processes *processes, int32_t pid,
                              bool is_new, int64_t since, const char *cmdline)
{
	struct tracked_process *process;

	settle_rings(processes);
	process = find_process(processes, pid);
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
	new_image(processes, process);
	process->since = since;
	write_process(processes, process, cmdline);
}

bool syc_processes_is_other(const struct syc_processes *processes, int32_t pid,
                            int32_t of)
{
	const struct tracked_process *const process =
		find_process(processes, pid);

	return process != NULL && (process->alive || process->past_of != of);
}

void syc_processes_past_over(struct syc_processes *processes, int32_t pid)
{
	struct tracked_process *const process = find_process(processes, pid);

	if (process == NULL || !process->is_past || process->alive)
		return;
	process->is_past = false;
	write_exit(processes, process);
}

const char *syc_processes_cmdline(const struct syc_processes *processes,
                                  int32_t pid)
{
	const struct tracked_process *const process =
		find_process(processes, pid);

	return process != NULL ? process->cmdline : NULL;
}

uint32_t syc_processes_changes(const struct syc_processes *processes)
{
	return processes->changes;
}

void syc_processes_expect(struct syc_processes *processes, int32_t pid)
{
	struct tracked_process *const process = find_process(processes, pid);

	if (process == NULL || process->is_expected || process->is_heard)
		return;
	process->is_expected = true;
	processes->n_unheard++;
}

void syc_processes_heard(struct syc_processes *processes, int32_t host)
{
	struct tracked_process *const process = find_process(processes, host);

	if (process == NULL || process->is_heard)
		return;
	process->is_heard = true;
	processes->n_unheard -= process->is_expected;
}

unsigned syc_processes_unheard(const struct syc_processes *processes)
{
	return processes->n_unheard;
}

void syc_processes_stack(struct syc_processes *processes, int32_t pid,
                         const uint64_t *addresses, unsigned n)
{
	struct tracked_process *process = find_process(processes, pid);

	if (process == NULL || !process->alive || !processes->options.maps)
		return;
	for (unsigned i = 0; i < n; i++) {
		/* Names for JIT code, and the kernel's. */
		if (addresses[i] >= SYSCAP_JIT_MARK ||
		    syc_maps_cover(&process->maps, addresses[i]))
			continue;
		if (process->maps_looked + LOOK_AT_STACK > syc_now())
			return;
		write_new_maps(processes, process);
		return;
	}
}

/* The live process that takes itself for @pid in a namespace of its own. */
static struct tracked_process *find_inside(struct syc_processes *processes,
                                           int32_t pid)
{
	struct tracked_process *process = processes->live;

	while (process != NULL &&
	       (process->own_pid != pid || process->own_pid == process->host))
		process = process->live;
	return process;
}

int32_t syc_processes_user(const struct syc_processes *processes, int32_t pid,
                           bool (*is_user)(void *data, int32_t host),
                           void *data)
{
	const struct tracked_process *only = NULL;
	bool others = false;

	for (const struct tracked_process *p = processes->live; p != NULL;
	     p = p->live)
		if (p->own_pid == pid && p->own_pid != p->host) {
			others |= only != NULL && only->host != p->host;
			only = p;
		}
	if (!others)
		return only == NULL ? 0 : only->host;
	for (const struct tracked_process *p = processes->live; p != NULL;
	     p = p->live)
		if (p->own_pid == pid && p->own_pid != p->host &&
		    is_user(data, p->host))
			return p->host;
	return 0;
}

int32_t syc_processes_shown(const struct syc_processes *processes,
                            int32_t requester, int32_t pid)
{
	const struct tracked_process *const asked =
		find_process(processes, requester);
	const struct tracked_process *const known =
		find_process(processes, pid);

	if (requester == pid || asked == NULL || known == NULL ||
	    asked->own_pid != pid || known->host == asked->host)
		return pid;
	return requester;
}

void syc_processes_know(struct syc_processes *processes, int32_t pid,
                        int32_t host)
{
	const struct tracked_process *const user =
		find_process(processes, host);
	struct syc_procfs_identity identity;
	struct tracked_process *process;
	const struct tracked_process *inside;

	if (find_process(processes, pid) != NULL)
		return;
	process = get_process(processes, pid);
	if (process == NULL)
		return;
	processes->announced++;
	process->image = ++processes->last_image;
	inside = user != NULL && user->alive && user->own_pid == pid &&
	                         user->own_pid != user->host
	                 ? user
	                 : find_inside(processes, pid);
	if (inside != NULL) {
		process->host = inside->host;
		announce_live(processes, process, &inside->identity,
		              inside->cmdline);
	} else if (syc_procfs_identity(pid, &identity) == 0 &&
	           identity.start_time >= processes->our_start) {
		announce_live(processes, process, &identity, NULL);
	} else {
		char name[32];

		/* Gone, or older than us and so no process of ours. */
		snprintf(name, sizeof(name), "[pid %d]", pid);
		write_process(processes, process, name);
	}
}

void syc_processes_gone(struct syc_processes *processes, int32_t pid)
{
	struct tracked_process *process;

	settle_rings(processes); /* may meet it under another number */
	process = processes->live;
	while (process != NULL) {
		struct tracked_process *next = process->live;

		if (process->host == pid)
			end_process(processes, process);
		process = next;
	}
}

void syc_processes_look(struct syc_processes *processes, int64_t now)
{
	struct tracked_process *process = *processes->cursor;

	/* One step a call: thousands of processes must not stall the rings. */
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
	if (process->looked + LOOK_AGAIN <= now)
		look_at_process(processes, process);
}

void syc_processes_look_unwatched(struct syc_processes *processes)
{
	struct tracked_process *process = processes->live;

	while (process != NULL) {
		struct tracked_process *const next = process->live;

		if (process->pidfd < 0)
			look_at_process(processes, process);
		process = next;
	}
}

bool syc_processes_alive(const struct syc_processes *processes, int32_t pid)
{
	const struct tracked_process *process = find_process(processes, pid);

	return process != NULL && process->alive;
}

uint32_t syc_processes_image(const struct syc_processes *processes, int32_t pid)
{
	const struct tracked_process *process = find_process(processes, pid);

	return process != NULL ? process->image : 0;
}

void syc_processes_finish_code(struct syc_processes *processes)
{
	for (struct tracked_process *process = processes->live; process != NULL;
	     process = process->live)
		end_code(process);
}

const struct syc_mapped_files *
syc_processes_files(const struct syc_processes *processes)
{
	return &processes->files;
}

void syc_processes_sampler(struct syc_processes *processes, int32_t pid,
                           int64_t time, bool has_one)
{
	struct tracked_process *const process = find_process(processes, pid);

	/* The rings of its threads are read in no order */
	if (process == NULL || time < process->sampler_told)
		return;
	process->sampler_told = time;
	if (process->lacks_sampler == !has_one)
		return;
	process->lacks_sampler = !has_one;
	processes->n_lack_sampler += has_one ? -1u : 1u;
}

unsigned syc_processes_without_sampler(const struct syc_processes *processes)
{
	return processes->n_lack_sampler;
}

void syc_processes_count(const struct syc_processes *processes,
                         unsigned *ret_all, unsigned *ret_alive)
{
	*ret_all = processes->announced;
	*ret_alive = processes->n_alive;
}

void syc_processes_free(struct syc_processes *processes)
{
	if (processes == NULL)
		return;
	for (unsigned i = 0; i < BUCKETS; i++)
		while (processes->buckets[i] != NULL) {
			struct tracked_process *process = processes->buckets[i];

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
