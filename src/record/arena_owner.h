/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_owner.h - whose a slot of an arena is.
 *
 * Its word says a pid, as its process sees itself.  That process is the one
 * that handed the arena over, or one that the system shows with the arena
 * mapped; else it is gone, or runs another program, and was a forked child.
 */
#ifndef SYC_RECORD_ARENA_OWNER_H
#define SYC_RECORD_ARENA_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/arena_taken.h"
#include "record/processes.h"

/**
 * Find who claimed the slot @ring: ring->requester, ->image, ->owner, and
 * ->is_over where he is not there any more.  False: it has to wait.
 */
bool syc_arena_owner_find(struct syc_processes *processes,
                          struct syc_ring *ring);

/** Whether the one that was found still runs the program that it ran. */
bool syc_arena_owner_lives(struct syc_processes *processes,
                           struct syc_ring *ring);

/** Whether @pid, who claimed @slot, is not there any more. */
bool syc_arena_owner_is_gone(struct syc_arena_taken *arena, uint32_t slot,
                             int32_t pid);

/** Search for those who have to wait, unless @last, when that was done last, was
 * just now. */
void syc_arena_owner_search(struct syc_arena_taken *arena, int64_t *last);

#endif
