/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracked.h - a process that the recorder follows: met, looked at, ended.
 *
 * What all of them are kept in is here as well, for those files that work on
 * it: processes.c, process_numbers.c and tracked.c.  Nobody else includes this.
 */
#ifndef SYC_RECORD_TRACKED_H
#define SYC_RECORD_TRACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_watch.h"
#include "record/mapped_file.h"
#include "record/maps.h"
#include "record/processes_options.h"
#include "record/procfs.h"

#define SYC_TRACKED_BUCKETS 1024u

struct syc_tracked_process {
	struct syc_tracked_process *next; /* in its bucket */
	struct syc_tracked_process *live; /* in the list of live ones */
	int32_t pid;                      /* in frames */
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
	bool had_maps;               /* some were told, of this image */
	struct syc_code_watch *code; /* NULL: none, or it can't be watched */
	int64_t code_looked;
};

struct syc_processes {
	struct syc_processes_options options;
	struct syc_tracked_process *buckets[SYC_TRACKED_BUCKETS];
	struct syc_tracked_process *live, **cursor;
	unsigned announced, n_alive, n_unheard, n_lack_sampler;
	uint32_t last_image, changes;
	uint64_t our_start; /* of the recorder, clock ticks */
	struct syc_mapped_files files;
	int files_max; /* descriptors from here on are for rings */
	union syc_frame_buffer frame;
	struct syc_procfs_seen seen; /* last, of whom the caller knows */
	char text[SYSCAP_FRAME_MAX];
};

/** NULL: it was never met. */
struct syc_tracked_process *
syc_tracked_find(const struct syc_processes *processes, int32_t pid);

/** The same, made if need be; NULL: out of memory. */
struct syc_tracked_process *syc_tracked_get(struct syc_processes *processes,
                                            int32_t pid);

/** Have all rings settled, before a process is another or none. */
void syc_tracked_settle(struct syc_processes *processes);

/** Write its PROCESS frame, which says @cmdline. */
void syc_tracked_name(struct syc_processes *processes,
                      struct syc_tracked_process *process, const char *cmdline);

/** Write MAP frames of what it has mapped and the capture does not have. */
void syc_tracked_look_at_maps(struct syc_processes *processes,
                              struct syc_tracked_process *process);

/** It runs another program: what is known of the old one is forgotten. */
void syc_tracked_new_image(struct syc_processes *processes,
                           struct syc_tracked_process *process);

/**
 * Start to watch a process that is in our /proc.  False: it is gone already.
 */
bool syc_tracked_watch(struct syc_processes *processes,
                       struct syc_tracked_process *process);

/**
 * Watch it, and write what it is and has mapped; @identity: NULL where /proc
 * does not show it; @cmdline: NULL where /proc is still to tell.
 */
void syc_tracked_announce(struct syc_processes *processes,
                          struct syc_tracked_process *process,
                          const struct syc_procfs_identity *identity,
                          const char *cmdline);

/** Does @a run what @b runs, as far as we may know? */
bool syc_tracked_same_program(const struct syc_procfs_identity *a,
                              const struct syc_procfs_identity *b);

/**
 * Deal with what was seen of a live process: another program, new mappings, or
 * that it is gone without a word.
 */
void syc_tracked_see(struct syc_processes *processes,
                     struct syc_tracked_process *process,
                     const struct syc_procfs_seen *seen);

/** Look at it now. */
void syc_tracked_look(struct syc_processes *processes,
                      struct syc_tracked_process *process);

/** Nothing more is learnt of code that it makes. */
void syc_tracked_end_code(struct syc_tracked_process *process);

/** Write its EXIT frame. */
void syc_tracked_tell_exit(struct syc_processes *processes,
                           struct syc_tracked_process *process);

/** It is gone: write its EXIT frame; its last frames must be in the file. */
void syc_tracked_end(struct syc_processes *processes,
                     struct syc_tracked_process *process);

#endif
