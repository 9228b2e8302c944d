/* SPDX-License-Identifier: BSD-2-Clause */
/* arena_taken.h - an arena that a process handed over, as the recorder sees it.
 */
#ifndef SYC_RECORD_ARENA_TAKEN_H
#define SYC_RECORD_ARENA_TAKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "data/array.h"
#include "record/drain.h"
#include "ring/arena.h"

/** A process that claimed slots, besides the one that made the arena. */
struct syc_arena_user {
	int32_t pid; /* as it sees itself */
	int32_t host;
	uint32_t image;
};

struct syc_arena_taken {
	struct syc_arena map;
	ino_t inode;
	int32_t requester; /* who handed it over, by our number */
	int32_t own_pid;   /* what it takes itself for */
	uint32_t image;    /* which program it ran then */
	uint64_t start;    /* of the process, clock ticks; 0: not known */
	int64_t began;     /* when that program made its first, as it says */
	bool is_past;      /* it was gone by then, or another program */
	int64_t clock_ahead;
	unsigned unmapped_for; /* looks in a row that found nobody with it */
	unsigned n_rings;
	char *cmdline; /* NULL: not known */
	SYC_ARRAY(struct syc_arena_user) users;
	/* In another PID namespace: how often all processes were searched for
	 * those of this one, from 1; and which search came before a slot was
	 * seen, 0: it was not */
	bool wants_search;
	uint32_t searches, *seen_at;
	bool is_over;             /* nobody has it any more */
	struct syc_ring *slots[]; /* NULL: nothing in it that we know of */
};

#endif
