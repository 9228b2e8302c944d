/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracked.h - a process that the recorder follows, and the set of such
 * processes; for processes.c, process_identity.c and tracked.c only.
 */
#ifndef SYC_RECORDER_TRACKED_H
#define SYC_RECORDER_TRACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_watch.h"
#include "recorder/maps.h"
#include "recorder/processes.h"
#include "recorder/procfs.h"

#define SYC_TRACKED_BUCKETS 1024u

struct syc_tracked_process {
	struct syc_tracked_process *next; /* next process in the bucket */
	/* Next process in the list of live processes. */
	struct syc_tracked_process *live;
	int32_t pid;     /* pid in frames */
	int32_t host;    /* pid in the recorder's /proc */
	int32_t own_pid; /* the process' own view of its pid */
	bool alive;
	/* Whether the present program is expected to write, or wrote. */
	bool is_expected, is_heard;
	bool is_past; /* registered after its end, without an EXIT frame yet */
	int32_t past_of; /* process by which the ended process is known */
	int64_t since;   /* time of its next PROCESS frame; 0: now */
	int64_t ended;
	/* The library is mapped, but no file has a sampler. */
	bool is_without_sampler;
	int64_t sampler_said; /* time of its own report about a sampler */
	/* No sampler by report or files; the process is counted. */
	bool lacks_sampler;
	bool exec_seen; /* identity belongs to the running program */
	uint32_t image;
	struct syc_procfs_identity identity;
	int pidfd;
	int64_t looked, maps_looked;
	char *cmdline; /* command line in the last PROCESS frame */
	struct syc_known_maps maps;
	bool had_maps;       /* some MAPs of this image were written */
	unsigned n_own_maps; /* number of MAPs that it wrote itself */
	/* JIT code; NULL: no code, or code that cannot be watched. */
	struct syc_code_watch *code;
	int64_t code_looked;
};

struct syc_processes {
	struct syc_processes_options options;
	struct syc_tracked_process *buckets[SYC_TRACKED_BUCKETS];
	struct syc_tracked_process *live, **cursor;
	unsigned announced, n_alive, n_unheard, n_lack_sampler;
	uint32_t last_image, changes;
	uint64_t our_start; /* start of the recorder, clock ticks */
	struct syc_mapped_files files;
	int files_max; /* first fd that is reserved for rings */
	union syc_frame_buffer frame;
	/* Facts read last, for the caller's process. */
	struct syc_procfs_seen seen;
	char text[SYSCAP_FRAME_MAX];
};

/** NULL: @pid was never registered. */
struct syc_tracked_process *
syc_tracked_find(const struct syc_processes *processes, int32_t pid);

/** Find or create a process; NULL: out of memory. */
struct syc_tracked_process *syc_tracked_get(struct syc_processes *processes,
                                            int32_t pid);

/** Settle all rings, before a process ends or execs. */
void syc_tracked_settle(struct syc_processes *processes);

/** Write the PROCESS frame of @process with @cmdline. */
void syc_tracked_name(struct syc_processes *processes,
                      struct syc_tracked_process *process, const char *cmdline);

/** Write MAP frames of mappings of @process that are not in the capture. */
void syc_tracked_look_at_maps(struct syc_processes *processes,
                              struct syc_tracked_process *process);

/** Update the part of @process in the count of programs without a sampler. */
void syc_tracked_count_sampler(struct syc_processes *processes,
                               struct syc_tracked_process *process);

/**
 * Forget the facts about the old program, since @process runs another program.
 */
void syc_tracked_new_image(struct syc_processes *processes,
                           struct syc_tracked_process *process);

/**
 * Start to watch @process, in the recorder's /proc.  False: it is gone already.
 */
bool syc_tracked_watch(struct syc_processes *processes,
                       struct syc_tracked_process *process);

/**
 * Watch @process, and write its name and mappings.  @identity: NULL if /proc
 * does not show the process; @cmdline: NULL: read the command line from /proc.
 */
void syc_tracked_announce(struct syc_processes *processes,
                          struct syc_tracked_process *process,
                          const struct syc_procfs_identity *identity,
                          const char *cmdline);

/** Whether @a and @b may run the same program. */
bool syc_tracked_same_program(const struct syc_procfs_identity *a,
                              const struct syc_procfs_identity *b);

/**
 * Handle the facts about a live process: another program, new mappings, or an
 * unnoticed end.
 */
void syc_tracked_see(struct syc_processes *processes,
                     struct syc_tracked_process *process,
                     const struct syc_procfs_seen *seen);

/** Look at @process now. */
void syc_tracked_look(struct syc_processes *processes,
                      struct syc_tracked_process *process);

/** End the code of @process, which is final. */
void syc_tracked_end_code(struct syc_tracked_process *process);

/** Write the EXIT frame of @process. */
void syc_tracked_write_exit(struct syc_processes *processes,
                            struct syc_tracked_process *process);

/**
 * Write the EXIT frame of @process, which is gone, and whose last frames are in
 * the file.
 */
void syc_tracked_end(struct syc_processes *processes,
                     struct syc_tracked_process *process);

#endif
