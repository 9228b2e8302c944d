/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block.h - data that all copies of this library in one process share.
 *
 * A program and the libraries that it loads may each have a static copy.
 * Copies with the same number (copies.h) act as one.  The first copy that
 * records makes a block and publishes it, and the other copies adopt the block.
 * A copy that can't adopt the block has a block of its own, and records
 * separately.
 *
 * No copy calls code of another copy, except for MAP frames: each copy runs its
 * own code on shared data.  So all copies with one number agree on the structs
 * to which the block leads, and on the order of the stores to their fields.
 *
 * Forked children inherit the block.  Data that a child must not inherit is in
 * struct syc_process and the thread states, in memory that is zero in a child.
 * The mapping of this memory is made with the block, and never moves.
 *
 * Unless a comment says otherwise, all fields are written before the block is
 * published, or by relaxed atomic accesses.
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

/** Greatest number of copies that act as one. */
#define SYC_COPIES_MAX 64u

/** A copy's own words, to which other copies store.  The copy is pinned, so its
 * words stay mapped. */
struct syc_copy {
	int32_t *active;    /* stored last, release; NULL: not entered yet */
	uint32_t *look_due; /* 1: a publishing emit calls its ring source */
	uint32_t has_ended; /* its destructors ran */
};

/** A socket that leads to the recorder. */
struct syc_control_socket {
	int32_t fd; /* -1: none */
	uint64_t dev, ino;
	bool peer_is_syscap; /* certainly a recorder of this library */
};

/** Resources of a thread that a child inherits, and releases. */
struct syc_mapped {
	struct syc_ring_header *header;
	uint32_t size;
	bool is_emitting; /* for the child: whether the thread was in an emit */
	bool is_left;     /* F1: no thread of this process gets the state */
	struct syc_control_socket connection; /* fd 0: none, or closed */
};

/** Names of addresses in stacks. */
struct syc_names_root {
	struct syc_names_table *table; /* release; NULL: none yet */
	uint64_t *published;           /* release; emit/jitmap.c */
	uint32_t lost_hash;            /* 0: not chosen; a child has the same
	                                * hash */
	uint32_t n_lost;
	uint32_t has_names;
};

/** Ids of counters: number of used ids in the sequence that begins at base. */
struct syc_numbers {
	uint32_t base; /* 0: not chosen */
	uint32_t n_given;
};

struct syc_block {
	bool is_alone; /* no other copy finds the block */

	struct syc_process *process; /* zeroed in children, like the states */
	struct syc_state *states;
	struct syc_mapped *mapped; /* one for each state */
	uint32_t states_ever;      /* number of states that this process and its
	                            * ancestors used */
	uint32_t exit_key;         /* 1 + a pthread key; 0: none */

	/* The epoch; 0: nothing is recorded.  Each store is sequentially
	 * consistent, and precedes the stores to each copy's own word
	 * (copies.h). */
	int32_t active;
	int32_t last_epoch;
	const char *reason; /* static, in a pinned copy */

	/* Destination of events.  `is_started` and `started` change under the
	 * life lock of the process. */
	uint32_t is_started; /* 1: syscap_start()'s; 0: the environment's */
	struct syc_control_socket control; /* the inherited one */
	/* Address family 0: no recorder; static, in a pinned copy */
	const struct sockaddr_un *recorder;
	struct syc_control_socket parked; /* emit/recorder_socket.c */
	uint32_t parking;
	/* emit/handed_arena.c: body size of the rings that the recorder
	 * requests (0: none), and the arena with these rings (NULL: none
	 * yet) */
	uint32_t arena_body;
	struct syc_handed_arena *hand_over;
	const struct syc_destination
		*environment; /* static, in pinned copies */
	const struct syc_destination *started;
	/* Static, in a pinned copy; stored with release at the start of a
	 * recording.  NULL: no copy emits addresses */
	const struct syc_map_frames *map_frames;

	/* The arena of the present recording, for forked children: see
	 * session/session.h.  NULL: no arena was offered yet. */
	struct syc_origin *origin;

	/* The socket to which this process writes, and to which later
	 * recordings append (session/trace_stream.c).  Only the thread that
	 * opens, writes or closes a trace changes these fields.  If stream_pid
	 * is 0, there is no socket.  If stream_pid is another pid, the socket
	 * is the parent's */
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
	uint32_t n_copies; /* [0, n_copies) are entered, or will be soon */
	struct syc_copy copies[SYC_COPIES_MAX];
};

/**
 * The block of this copy.  NULL: this copy has never had a destination for
 * events.  The pointer is stored once, with release.  After
 * syc_block_is_there() has returned true, plain loads are sufficient.
 */
extern struct syc_block *syc_block;

static inline bool syc_block_is_there(void)
{
	return __atomic_load_n(&syc_block, __ATOMIC_ACQUIRE) != NULL;
}

#endif
