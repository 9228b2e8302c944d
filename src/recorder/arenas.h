/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arenas.h - arenas of rings that processes create and hand over
 * (docs/protocol.md, "Handing over an arena").
 *
 * Each slot in use is a struct syc_ring among the others.  This file tracks the
 * slots in use, the owners of these slots, and the end of their use.  The words
 * in shared memory are examined, but never relied on: all facts about a slot
 * are in its ring.
 */
#ifndef SYC_RECORDER_ARENAS_H
#define SYC_RECORDER_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array.h"
#include "recorder/console.h"
#include "recorder/drain.h"
#include "recorder/processes.h"
#include "ring/arena.h"
#include "ring/ring_file.h"

/** A process that claimed slots, besides the creator of the arena. */
struct syc_arena_user {
	int32_t pid; /* the process' own view of its pid */
	int32_t host;
	uint32_t image;
};

struct syc_arena_taken {
	struct syc_arena map;
	ino_t inode;
	int32_t requester; /* sender of the arena, by the recorder's number */
	int32_t own_pid;   /* the sender's own view of its pid */
	uint32_t image;    /* program that the sender ran at that time */
	/* Start time of the process, clock ticks; 0: unknown. */
	uint64_t start;
	/* Time at which the program created its first arena. */
	int64_t began;
	/* The sender had ended or exec'ed before the arena was taken. */
	bool is_past;
	int64_t clock_ahead;
	unsigned unmapped_for; /* successive examinations without a mapping */
	unsigned n_rings;
	char *cmdline; /* command line; NULL: unknown */
	SYC_ARRAY(struct syc_arena_user) users;
	/*
	 * If the arena is of another pid namespace: `searches` counts the
	 * searches through all processes for its users. seen_at has, for each
	 * slot, the number of the last search before the slot was seen; 0: none
	 */
	bool wants_search;
	uint32_t searches, *seen_at;
	bool is_over; /* no process maps the arena any more */
	/* Rings in the slots; NULL: the slot seems empty. */
	struct syc_ring *slots[];
};

/*
 * An fd that a process sent, and that may be an arena.
 *
 * The fd may refer to any file.  Only a memfd of fixed size is mapped, and no
 * field of the arena is read twice.
 */

struct syc_arena_file {
	struct syc_arena arena; /* the whole arena, mapped read-write */
	ino_t inode;
	int32_t pid;   /* the creator's own view of its pid */
	int64_t began; /* ns: creation of the arena; 0: not stated */
	/* Lead of the creator's CLOCK_REALTIME over its CLOCK_MONOTONIC, ns;
	 * 0: unknown. */
	int64_t realtime_ahead;
	char cmdline[sizeof(((struct syc_ring_file *)0)->capture)];
};

/**
 * Map the arena in @fd, which the caller keeps.  Returns NULL.  If the arena is
 * refused, notifies its client, if there is one, and returns the reason.
 */
const char *syc_arena_file_map(int fd, struct syc_arena_file *ret_file);

/**
 * If @fd looks like an arena, notify its client that the arena has no reader.
 */
void syc_arena_file_refuse(int fd);

/** A process whose arena did not arrive: the arena is late, or lost. */
struct syc_arena_missing {
	int32_t pid;
	int n_late;   /* announced late arenas that did not arrive */
	bool is_lost; /* an arena will never arrive */
};

/** A struct of zeros is empty. */
struct syc_missing_arenas {
	SYC_ARRAY(struct syc_arena_missing) all;
};

void syc_missing_arenas_free(struct syc_missing_arenas *arenas);

/**
 * Note that @pid announced an arena that it cannot send yet (@more is 1), or
 * that such an arena arrived (-1).
 */
void syc_missing_arenas_note_late(struct syc_missing_arenas *arenas,
                                  int32_t pid, int more);

/** Note that @pid could not hand its arena over. */
void syc_missing_arenas_note_lost(struct syc_missing_arenas *arenas,
                                  int32_t pid);

/** Whether an arena of @pid is missing. */
bool syc_missing_arenas_has(const struct syc_missing_arenas *arenas,
                            int32_t pid);

/** Number of processes whose arena is missing. */
unsigned syc_missing_arenas_count(const struct syc_missing_arenas *arenas);

struct syc_arenas {
	struct syc_processes *processes;
	struct syc_console *report;
	SYC_ARRAY(struct syc_arena_taken *) all;
	size_t first;       /* index of the arena to examine first */
	uint64_t addresses; /* address space that the arenas take */
	unsigned n_rings;
	uint32_t changes; /* number of process changes at the last pass */
	int64_t searched; /* time of the last examination of all processes */
	struct syc_missing_arenas missing;
};

/** Action for a slot in use.  False: the slot must wait. */
struct syc_arenas_sink {
	bool (*begin)(void *context, struct syc_ring *ring);
	void *context;
};

void syc_arenas_free(struct syc_arenas *arenas);

/**
 * @pid handed over @fd, which the caller keeps; -1: the fd was lost.  Returns
 * the arena; or NULL, which is counted and printed.  If the arena is_past, its
 * frames must be read before the process that has the sender's pid today is
 * registered.
 */
struct syc_arena_taken *syc_arenas_take(struct syc_arenas *arenas, int32_t pid,
                                        int fd);

/**
 * True: no more arenas of @pid will be taken, until unused arenas are
 * forgotten.
 */
bool syc_arenas_has_many(const struct syc_arenas *arenas, int32_t pid);

/**
 * Find slots that came into use: without @all, only a limited number.  True:
 * more slots wait.
 */
bool syc_arenas_look(struct syc_arenas *arenas, bool all,
                     const struct syc_arenas_sink *sink);

/** Begin a pass over the rings.  True: owners must be examined. */
bool syc_arenas_begin_pass(struct syc_arenas *arenas);

/**
 * Whether no process will write to @ring any more; called before the last read
 * of @ring.  @look: examine the owner, too.
 */
bool syc_arenas_is_over(struct syc_arenas *arenas, struct syc_ring *ring,
                        bool look);

/**
 * @ring, a slot, is finished: free the slot for others unless its content was
 * malformed.
 */
void syc_arenas_give_back(struct syc_arenas *arenas, struct syc_ring *ring);

/** Free slots whose owners died while they claimed them. */
void syc_arenas_free_claimed(struct syc_arenas *arenas);

/** Whether no known process uses @arena any more. */
bool syc_arenas_is_suspect(const struct syc_arenas *arenas,
                           const struct syc_arena_taken *arena);

/** Notify all clients that the recorder no longer reads their events. */
void syc_arenas_close(struct syc_arenas *arenas);

/** Forget the arena @i, whose rings have all ended. */
void syc_arenas_forget(struct syc_arenas *arenas, size_t i);

#endif
