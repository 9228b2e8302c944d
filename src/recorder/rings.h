/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.h - all rings and arenas of a recording, and the names of their
 * threads.
 *
 * A ring ends with its writer's end marker, with malformed content, or with the
 * recording.  A ring also ends when no process maps the ring, because the owner
 * ended or called exec, and no forked child uses the ring.  A slot of an arena
 * ends with its thread or process.
 *
 * The writer of a ring stores its thread's name in a new ring.  Later names are
 * from the kernel, /proc/PID/task/TID/comm.  The recorder reads the kernel's
 * file at the beginning, once a second, and at the end of the ring if the
 * thread still exists.  The recorder omits a name that may be of a program after
 * an exec.  In a pid namespace, only the first name is known,
 * because thread ids differ.
 */
#ifndef SYC_RECORDER_RINGS_H
#define SYC_RECORDER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/containers.h"
#include "recorder/drain.h"
#include "recorder/frame_intake.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"
#include "ring/arena.h"
#include "ring/ring_file.h"

/*
 * Arenas of rings that processes create and hand over (docs/protocol.md,
 * "Handing over an arena").
 *
 * Each slot in use is a struct syc_ring among the other rings.  struct
 * syc_arenas has the slots in use, their owners, and the end of their use.  The
 * recorder examines the words in shared memory, but does not rely on them.  All
 * trusted data about a slot is in its ring.
 */

/** A process that claimed slots, besides the creator of the arena. */
struct syc_arena_user {
	int32_t pid; /* pid in the process' own namespace */
	int32_t host;
	uint32_t image;
};

struct syc_arena_taken {
	struct syc_arena map;
	ino_t inode;
	int32_t requester; /* sender of the arena, by the recorder's number */
	int32_t own_pid;   /* pid in the sender's own namespace */
	uint32_t image;    /* program that the sender ran when it sent the
	                    * arena */
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
	 * Only for an arena of another pid namespace: number of searches
	 * through all processes for its users.  seen_at has, for each slot, the
	 * number of the last search before the slot was seen, or 0
	 */
	bool wants_search;
	uint32_t searches, *seen_at;
	bool is_over; /* no process maps the arena */
	/* Rings in the slots; NULL: the slot seems empty. */
	struct syc_ring *slots[];
};

/*
 * An fd that a process sent, and that may be an arena.
 *
 * The fd may refer to any file.  The recorder maps only a memfd of fixed size,
 * and reads no field of the arena twice.
 */

struct syc_arena_file {
	struct syc_arena arena; /* the whole arena, mapped read-write */
	ino_t inode;
	int32_t pid;   /* pid in the creator's own namespace */
	int64_t began; /* ns: creation of the arena, or 0 if unknown */
	/* Lead of the creator's CLOCK_REALTIME over its CLOCK_MONOTONIC, ns;
	 * 0: unknown. */
	int64_t realtime_ahead;
	char cmdline[sizeof(((struct syc_ring_file *)0)->capture)];
};

/**
 * Map the arena in @fd, which the caller keeps.  Returns NULL, or the reason
 * for a refusal.  After a refusal, notifies the arena's client, if any.
 */
const char *syc_arena_file_map(int fd, struct syc_arena_file *ret_file);

/**
 * If @fd looks like an arena, notify the arena's client that no recorder reads
 * the arena.
 */
void syc_arena_file_refuse(int fd);

/** A process whose arena did not arrive, because the arena is late or lost. */
struct syc_arena_missing {
	int32_t pid;
	int n_late;   /* announced late arenas that did not arrive */
	bool is_lost; /* an arena will never arrive */
};

/** A zero-initialized struct is empty. */
struct syc_missing_arenas {
	SYC_ARRAY(struct syc_arena_missing) all;
};

void syc_missing_arenas_free(struct syc_missing_arenas *arenas);

/**
 * Store that @pid announced an arena that it cannot send yet (@more is 1), or
 * that an announced arena arrived (-1).
 */
void syc_missing_arenas_note_late(struct syc_missing_arenas *arenas,
                                  int32_t pid, int more);

/** Store that @pid could not hand its arena over. */
void syc_missing_arenas_note_lost(struct syc_missing_arenas *arenas,
                                  int32_t pid);

/** Return whether an arena of @pid is missing. */
bool syc_missing_arenas_has(const struct syc_missing_arenas *arenas,
                            int32_t pid);

/** Return the number of processes whose arena is missing. */
unsigned syc_missing_arenas_count(const struct syc_missing_arenas *arenas);

struct syc_arenas {
	struct syc_processes *processes;
	struct syc_console *console;
	SYC_ARRAY(struct syc_arena_taken *) all;
	size_t first;       /* index of the arena to examine first */
	uint64_t addresses; /* address space that the arenas take */
	unsigned n_rings;
	uint32_t changes; /* number of process changes at the last pass */
	int64_t searched; /* time of the last examination of all processes */
	struct syc_missing_arenas missing;
};

/** Action for a slot in use.  begin() returns false if the slot must wait. */
struct syc_arenas_sink {
	bool (*begin)(void *context, struct syc_ring *ring);
	void *context;
};

void syc_arenas_free(struct syc_arenas *arenas);

/**
 * Accept the arena that @pid handed over in @fd, which the caller keeps.  @fd
 * is -1 if the fd was lost.  Returns the arena, or NULL, which is counted and
 * printed.  The caller reads the frames of an arena that is_past before the
 * registration of another process with the sender's pid.
 */
struct syc_arena_taken *syc_arenas_take(struct syc_arenas *arenas, int32_t pid,
                                        int fd);

/**
 * Return whether no more arenas of @pid will be taken, until unused arenas are
 * freed.
 */
bool syc_arenas_has_many(const struct syc_arenas *arenas, int32_t pid);

/**
 * Find slots that came into use, without @all only a limited number.  Returns
 * true if more slots wait.
 */
bool syc_arenas_look(struct syc_arenas *arenas, bool all,
                     const struct syc_arenas_sink *sink);

/** Begin a pass over the rings.  Returns true if owners must be examined. */
bool syc_arenas_begin_pass(struct syc_arenas *arenas);

/**
 * Return whether no process will write to @ring.  Called before the last read
 * of @ring.  If @look, examine the owner, too.
 */
bool syc_arenas_is_over(struct syc_arenas *arenas, struct syc_ring *ring,
                        bool look);

/**
 * Free the slot @ring for other threads, unless its content was malformed.
 */
void syc_arenas_give_back(struct syc_arenas *arenas, struct syc_ring *ring);

/** Free slots whose owners died while claiming the slots. */
void syc_arenas_free_claimed(struct syc_arenas *arenas);

/** Return whether no known process uses @arena any more. */
bool syc_arenas_is_suspect(const struct syc_arenas *arenas,
                           const struct syc_arena_taken *arena);

/** Notify all clients that the recorder no longer reads their events. */
void syc_arenas_close(struct syc_arenas *arenas);

/** Free the arena @i, whose rings have all ended. */
void syc_arenas_forget(struct syc_arenas *arenas, size_t i);

/* Processes that use a ring, by their mappings and by the slots of arenas. */

enum syc_ring_mapped {
	SYC_RING_MAPPED,
	SYC_RING_NOT_MAPPED, /* the process has ended or exec'ed */
	SYC_RING_UNKNOWN,    /* the process lives, but /proc does not show its
	                      * mappings */
};

/** Return whether @host, by the recorder's number, has the file @inode
 * mapped. */
enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode);

/*
 * Rings that no process has mapped.
 *
 * A ring may outlive its owner, because a forked child of a stock client
 * continues to write to its parent's ring.  So the recorder reads
 * /proc/PID/maps of all processes that started after the recorder.  Older
 * processes cannot have inherited a ring.
 */

/** A ring or an arena whose owner died or exec'ed. */
struct syc_orphan {
	ino_t inode;
	unsigned *unmapped_for; /* checks in a row without a user of the ring */
	bool is_mapped;
};

bool syc_orphans_is_suspect(const struct syc_ring *ring,
                            const struct syc_processes *processes);

/**
 * Increment unmapped_for of the @suspects that no process maps, and reset
 * unmapped_for of all other suspects.  Returns the number of suspects that no
 * process maps.
 */
size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes);

/*
 * Owner of a slot of an arena.
 *
 * The slot's word has the owner's pid in its own namespace.  The owner handed
 * the arena over, or is a visible process that maps the arena.  If neither is
 * true, the owner was a forked child that has ended or exec'ed.
 */

/**
 * Find the owner of the slot @ring.  Sets ring->requester, ->image, ->owner,
 * and ->is_over if the owner has ended.  Returns false if the slot must wait.
 */
bool syc_arena_owner_find(struct syc_processes *processes,
                          struct syc_ring *ring);

/** Return whether the owner of the slot still runs the same program. */
bool syc_arena_owner_lives(struct syc_processes *processes,
                           struct syc_ring *ring);

/** Return whether @pid, the owner of @slot, has ended. */
bool syc_arena_owner_is_gone(struct syc_arena_taken *arena, uint32_t slot,
                             int32_t pid);

/**
 * Search for owners that slots wait for, unless the last search, at @last, was
 * very recent.
 */
void syc_arena_owner_search(struct syc_arena_taken *arena, int64_t *last);

/** A process that had ended or exec'ed when it was registered. */
struct syc_rings_past {
	int32_t pid;
	bool goes_on;
};

struct syc_rings {
	struct syc_intake *intake;
	uint32_t body; /* bytes of a new ring's body */
	unsigned max;  /* maximum of live rings */
	bool limit_said;
	uint64_t refused; /* requests without resources for a ring */
	/* All rings in use, including slots. */
	SYC_ARRAY(struct syc_ring *) live;
	struct syc_arenas arenas;
	/* A search for slots that came into use is in progress. */
	bool is_looking;
	int64_t crowded_until; /* no examination before this time, because one
	                        * process has too many arenas */
	SYC_ARRAY(struct syc_orphan) suspects;
	SYC_ARRAY(struct syc_rings_past) past;
	size_t next_named;     /* index of the next ring whose name is read */
	unsigned char *buffer; /* buffer for syc_drain() */
};

/** Result of a pass over the rings. */
struct syc_rings_pass {
	bool any;   /* some bytes were drained */
	bool brisk; /* a sixteenth of a ring or more was drained */
	bool busy; /* a ring filled so fast that the recorder should not wait */
};

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max);
void syc_rings_free(struct syc_rings *rings);

/**
 * Create a ring for @pid.  Returns an fd of the ring's file, which the caller
 * sends and closes.  Returns -EAGAIN if the process has too many unused rings.
 * The function prints and counts any other error, except -EMFILE with
 * @may_retry, after which the caller closes fds and calls again.
 */
int syc_rings_create(struct syc_rings *rings, int32_t pid, bool may_retry);

/**
 * Accept the arena that @pid hands over in @fd, which the caller keeps.  @fd is
 * -1 if the fd was lost.
 */
void syc_rings_take(struct syc_rings *rings, int32_t pid, int fd);

/** Drain every ring once. */
void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass);

/** Drain all frames that were in the rings at the beginning of the call. */
void syc_rings_settle(struct syc_rings *rings);

/**
 * End the rings that no process maps.  @all_fetched: no ring is still in flight
 * to a process.  The function reads /proc only if necessary.
 */
void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched);

/**
 * Notify the clients, if possible, of the end of the recording, and then drain
 * all rings.
 */
void syc_rings_close(struct syc_rings *rings);

/** End all rings, because the recording is over. */
void syc_rings_end_all(struct syc_rings *rings);

#endif
