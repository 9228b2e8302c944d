/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_owner.h - processes that use a ring: by their mappings, and by the slots
 * of arenas.
 */
#ifndef SYC_RECORDER_RING_OWNER_H
#define SYC_RECORDER_RING_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/arenas.h"
#include "recorder/drain.h"
#include "recorder/processes.h"
#include "recorder/procfs.h"

enum syc_ring_mapped {
	SYC_RING_MAPPED,
	SYC_RING_NOT_MAPPED, /* it has ended or exec'ed */
	SYC_RING_UNKNOWN,    /* it lives, but may not be examined */
};

/** Whether @host, by our number, has the file @inode mapped. */
enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode);

/*
 * Rings that no process has mapped any more.
 *
 * A ring may outlive its owner: a forked child of a stock client continues to
 * write to its parent's ring.  So all processes that started after the recorder
 * are checked by /proc/PID/maps.  Older ones cannot have inherited a ring.
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
 * Increment unmapped_for of the @suspects that no process maps, and reset it
 * for all others.  Returns the number of mapped ones.
 */
size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes);

/*
 * Owner of a slot of an arena.
 *
 * The slot's word has a pid, as its process sees itself.  That process either
 * handed the arena over, or is visible with the arena mapped.  Otherwise it was
 * a forked child that has ended or exec'ed.
 */

/**
 * Find the owner of the slot @ring: sets ring->requester, ->image, ->owner, and
 * ->is_over if it is gone.  False: the slot must wait.
 */
bool syc_arena_owner_find(struct syc_processes *processes,
                          struct syc_ring *ring);

/** Whether the owner still runs the same program. */
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

#endif
