/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.h - all rings of a recording, and the names of their threads.
 *
 * A ring ends with its writer's end marker, with malformed content, or with the
 * recording.  A ring also ends when no process has it mapped any more: its
 * owner died or exec'ed, and no forked child uses the ring.  A slot of an arena
 * ends with its thread or process.
 *
 * The writer of a ring names its thread when it gets the ring.  Later names are
 * from the kernel, /proc/PID/task/TID/comm.  The recorder reads that file at
 * the begin, once a second, and at the end of the ring if the thread still
 * lives.  In a pid namespace, only the first name is known, because thread ids
 * differ there.
 */
#ifndef SYC_RECORDER_RINGS_H
#define SYC_RECORDER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array.h"
#include "recorder/arenas.h"
#include "recorder/drain.h"
#include "recorder/intake.h"
#include "recorder/processes.h"
#include "recorder/procfs.h"

/* Processes that use a ring: by their mappings, and by the slots of arenas. */

enum syc_ring_mapped {
	SYC_RING_MAPPED,
	SYC_RING_NOT_MAPPED, /* the process has ended or exec'ed */
	SYC_RING_UNKNOWN,    /* the process lives, but /proc does not show its
	                      * mappings */
};

/** Whether @host, by the recorder's number, has the file @inode mapped. */
enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode);

/*
 * Rings that no process has mapped any more.
 *
 * A ring may outlive its owner: a forked child of a stock client continues to
 * write to its parent's ring.  So all processes that started after the recorder
 * are checked by /proc/PID/maps.  Older processes cannot have inherited a ring.
 */

/** A ring or an arena whose owner died or exec'ed. */
struct syc_orphan {
	ino_t inode;
	unsigned *
		unmapped_for; /* successive looks without a process that maps it */
	bool is_mapped;
};

bool syc_orphans_is_suspect(const struct syc_ring *ring,
                            const struct syc_processes *processes);

/**
 * Increment unmapped_for of the @suspects that no process maps, and reset
 * unmapped_for of all others.  Returns the number of suspects that no process
 * maps.
 */
size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes);

/*
 * Owner of a slot of an arena.
 *
 * The slot's word has a pid, the process' own view of its pid.  The owner
 * either handed the arena over, or is visible with the arena mapped.  If
 * neither is true, the owner was a forked child that has ended or exec'ed.
 */

/**
 * Find the owner of the slot @ring: sets ring->requester, ->image, ->owner, and
 * ->is_over if the owner is gone.  False: the slot must wait.
 */
bool syc_arena_owner_find(struct syc_processes *processes,
                          struct syc_ring *ring);

/** Whether the owner of the slot still runs the same program. */
bool syc_arena_owner_lives(struct syc_processes *processes,
                           struct syc_ring *ring);

/** Whether @pid, the owner of @slot, is gone. */
bool syc_arena_owner_is_gone(struct syc_arena_taken *arena, uint32_t slot,
                             int32_t pid);

/**
 * Search for owners that slots wait for, unless the last search, at @last, was
 * just now.
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
	int64_t crowded_until; /* no examination before this time: one process
	                        * has too many arenas */
	SYC_ARRAY(struct syc_orphan) suspects;
	SYC_ARRAY(struct syc_rings_past) past;
	size_t next_named;     /* index of the next ring whose name is read */
	unsigned char *buffer; /* buffer for syc_drain() */
};

/** Result of a pass over the rings. */
struct syc_rings_pass {
	bool any;   /* something was drained */
	bool brisk; /* a sixteenth of a ring or more was drained */
	bool busy; /* a ring filled so fast that the recorder should not wait */
};

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max);
void syc_rings_free(struct syc_rings *rings);

/**
 * Create a ring for @pid.  Returns an fd of its file, to be sent and closed.
 * -EAGAIN: the process hoards unused rings.  Another -errno is printed and
 * counted, except -EMFILE with @may_retry, because the caller then closes fds
 * and calls again.
 */
int syc_rings_create(struct syc_rings *rings, int32_t pid, bool may_retry);

/**
 * Take the arena that @pid hands over in @fd, which the caller keeps; -1: the
 * fd was lost.
 */
void syc_rings_take(struct syc_rings *rings, int32_t pid, int fd);

/** Drain every ring once. */
void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass);

/** Drain all frames that were in the rings at the begin of the call. */
void syc_rings_settle(struct syc_rings *rings);

/**
 * End the rings that no process maps.  @all_fetched: no ring is still in flight
 * to a process.  Looks into /proc only if necessary.
 */
void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched);

/**
 * Notify the clients, if possible, that their events are not read any more;
 * then drain all rings.
 */
void syc_rings_close(struct syc_rings *rings);

/** End all rings, since the recording is over. */
void syc_rings_end_all(struct syc_rings *rings);

#endif
