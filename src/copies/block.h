/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block.h - what all copies of this library in one process share.
 *
 * A program and the libraries that it loads may each have a static copy.
 * Those of one number (number.h) act as one: the first that records makes a
 * block and publishes it (discovery.h), the others adopt it.  A copy that
 * can't has a block of its own, and works alone.
 *
 * No copy calls code of another, except for MAP frames: each runs its own on
 * shared data.  So what
 * the structs look like that the block leads to, and the order in which their
 * fields are stored, is agreed between all copies of a number.
 *
 * The block is inherited by forked children.  What they must not inherit is
 * in struct syc_process and the thread states, in memory that a child finds
 * zeroed; their mapping is made with the block and stays where it is.
 *
 * All fields are written before the block is published, or by relaxed atomic
 * accesses, but where it says otherwise.
 */
#ifndef SYC_COPIES_BLOCK_H
#define SYC_COPIES_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_names_table;
struct syc_handed_arena;
struct syc_map_frames;
struct syc_origin;
struct syc_destination;
struct syc_process;
struct syc_ring_header;
struct syc_state;
struct sockaddr_un;

/** How many copies can act as one. */
#define SYC_COPIES_MAX 64u

/** A copy's own words that others store to, for good: it is pinned. */
struct syc_copy {
	int32_t *active;    /* stored last, release; NULL: not entered yet */
	uint32_t *sleeping; /* 1: who publishes wakes the drain thread */
	uint32_t has_ended; /* its destructors ran */
};

/** A socket that leads to the recorder. */
struct syc_control_socket {
	int32_t fd; /* -1: none */
	uint64_t dev, ino;
	bool is_ours; /* for certain, a recorder of ours is there */
};

/** What a thread has that a child inherits, and gets rid of. */
struct syc_mapped {
	struct syc_ring_header *header;
	uint32_t size;
	bool is_emitting; /* as fork() found the thread, for its child */
	bool is_left;     /* F1: no thread of this process gets the state */
	struct syc_control_socket connection; /* fd 0: none; or not any more */
};

/** The names that stand for addresses in stacks. */
struct syc_names_root {
	struct syc_names_table *table; /* release; NULL: none yet */
	uint64_t *published;           /* emit/jitmap.c; likewise */
	uint32_t lost_hash;            /* 0: not chosen; a child keeps it */
	uint32_t n_lost;
	uint32_t has_names;
};

/** Ids of counters: how many were given of the sequence from base on. */
struct syc_numbers {
	uint32_t base; /* 0: not chosen */
	uint32_t n_given;
};

struct syc_block {
	bool is_alone; /* nobody else finds it */

	struct syc_process *process; /* wiped in children, as the states */
	struct syc_state *states;
	struct syc_mapped *mapped; /* one a state */
	uint32_t states_ever;      /* of this process and its ancestors */
	uint32_t exit_key;         /* 1 + a pthread key; 0: none */

	/* 0: nothing is recorded; else the epoch.  Sequentially consistent,
	 * then stored into each copy's own word: copies.h. */
	int32_t active;
	int32_t last_epoch;
	const char *reason; /* static, in a copy that is pinned */

	/* Where events go.  `is_started` and `started` change under the life
	 * lock of the process. */
	uint32_t is_started; /* by syscap_start(); else the environment's */
	struct syc_control_socket control; /* the inherited one */
	/* of no family: there is none; static, in a pinned copy */
	const struct sockaddr_un *recorder;
	struct syc_control_socket parked; /* emit/connection.c */
	uint32_t parking;
	/* emit/hand_over.c: what rings the recorder wants to have handed over
	 * (bytes of a body, 0: none); and those.  NULL: none yet */
	uint32_t arena_body;
	struct syc_handed_arena *hand_over;
	const struct syc_destination
		*environment; /* static, in pinned copies */
	const struct syc_destination *started;
	/* Static, in a pinned copy; release, when it begins to record.  NULL: no
	 * copy emits addresses */
	const struct syc_map_frames *map_frames;

	/* The arena of the present recording, for forked children:
	 * session/guest.h.  NULL: none has been offered yet. */
	struct syc_origin *origin;

	/* The socket that this process writes to: recordings after the first
	 * go on there (session/trace_stream.c).  Changed by the thread that
	 * opens, writes or closes a trace, one at a time.  stream_pid 0: none; a
	 * child's is another */
	uint64_t stream_dev, stream_ino;
	int32_t stream_pid;
	uint8_t stream_has_header;
	uint8_t stream_is_within_frame;

	/* ring/clock.c */
	uint64_t clock_first_ticks, clock_first_ns;
	uint64_t clock_measured, clock_trusted;
	uint32_t clock_is_tsc;

	struct syc_numbers counters; /* emit/counter_id.c */
	struct syc_names_root names; /* emit/names.c */

	/* sampler/sampler.h */
	uint32_t sampler_yields; /* a signal, or 0 */
	uint32_t sampler_wanted;

	/* copies.h */
	uint32_t n_copies; /* [0, n_copies) are entered or about to be */
	struct syc_copy copies[SYC_COPIES_MAX];
};

/**
 * NULL: this copy has never had anything to record into.  Stored once, with
 * release; whoever finds it there by syc_block_is_there() may then read it as
 * it is.
 */
extern struct syc_block *syc_block;

static inline bool syc_block_is_there(void)
{
	return __atomic_load_n(&syc_block, __ATOMIC_ACQUIRE) != NULL;
}

#endif
