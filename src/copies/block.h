/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block.h - what all copies of this library in one process share.
 *
 * A program and the libraries that it loads may each have a static copy, of
 * different versions.  They act as one: the first that records makes a block
 * and publishes where it is (page.h), the others adopt it.  A copy that can't
 * has a block of its own, and works alone.
 *
 * This is an interface between versions: what is here never changes its
 * place, size or meaning, and new fields go to the end (docs/shared-abi.md,
 * tests/copies/layout.txt).  No copy calls code of another: each runs its own
 * on shared data, so the order in which fields are stored is part of it.
 *
 * The block is inherited by forked children.  What they must not inherit is
 * in struct sc_process and the thread states, in memory that a child finds
 * zeroed; their mapping is made with the block and stays where it is.
 *
 * All fields are written before the block is published, or by relaxed atomic
 * accesses, but where it says otherwise.
 */
#ifndef SC_BLOCK_H
#define SC_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_names_table;
struct sc_plan;
struct sc_process;
struct sc_ring_header;

#define SC_BLOCK_MAGIC UINT64_C(0x6B636F6C42706163)
#define SC_BLOCK_ABI   1u

/** Bits of `needs`: what a copy must know to adopt the block.  None yet. */
#define SC_BLOCK_KNOWN 0u

/**
 * The layout of what is behind the heads of plans and sessions, which only
 * copies with the same number look into.  Counted up whenever one of struct
 * sc_plan, sc_trace, sc_output or the rest of sc_session changes.
 */
#ifndef SC_PRIVATE_ABI
#define SC_PRIVATE_ABI 2u
#endif

/**
 * Whoever made the block may know less than this version or more.  These are
 * the sizes of the first version: what was appended since is used only where
 * the block's own sizes cover it.
 */
#define SC_BLOCK_SIZE_MIN   1808u
#define SC_STATE_SIZE_MIN   1280u
#define SC_PROCESS_SIZE_MIN 384u

/** How many copies can act as one. */
#define SC_COPIES_MAX 64u

/** A copy's own words that others store to, for good: it is pinned. */
struct sc_copy {
	int32_t *active;    /* stored last, release; NULL: not entered yet */
	uint32_t *sleeping; /* 1: who publishes wakes the drain thread */
	uint32_t private_abi;
	uint32_t has_ended; /* its destructors ran */
};

/** A ring that is mapped; a child gets rid of its parent's. */
struct sc_mapped {
	struct sc_ring_header *header;
	uint32_t size;
	uint32_t reserved;
};

/** Something to record into, of one of the two kinds. */
struct sc_plan_ref {
	const struct sc_plan *plan; /* of private_abi only; NULL: none */
	uint32_t private_abi;
	uint32_t sink; /* enum sc_sink */
};

/** The names that stand for addresses in stacks. */
struct sc_names_root {
	struct sc_names_table *table; /* release; NULL: none yet */
	uint64_t *published;          /* client/jitmap.c; likewise */
	uint32_t lost_hash;           /* 0: not chosen; a child keeps it */
	uint32_t n_lost;
	uint32_t has_names;
	uint32_t reserved;
};

/** Ids of counters: how many were given of the sequence from base on. */
struct sc_numbers {
	uint32_t base; /* 0: not chosen */
	uint32_t n_given;
};

struct sc_block {
	uint64_t magic;
	uint32_t abi;
	uint32_t size; /* of this structure, as its maker knew it */
	uint32_t needs;
	uint32_t state_size; /* of one thread's state */
	uint32_t n_states;
	uint32_t page_size;
	uint32_t process_size; /* of struct sc_process */
	uint32_t reserved_sizes;
	uint64_t libc; /* whose thread keys these are */

	struct sc_process *process; /* wiped in children, as the states */
	unsigned char *states;
	struct sc_mapped *mapped; /* one a state */
	uint32_t states_ever;     /* of this process and its ancestors */
	uint32_t exit_key;        /* 1 + a pthread key; 0: none */

	/* 0: nothing is recorded; else the epoch.  Sequentially consistent,
	 * then stored into each copy's own word: roll.h. */
	int32_t active;
	int32_t last_epoch;
	const char *reason; /* static, in a copy that is pinned */

	/* Where events go.  `is_started` and `started` change under the life
	 * lock of the process. */
	int32_t control_fd;  /* -1: none */
	uint32_t is_started; /* by syscap_start(); else the environment's */
	uint64_t control_dev, control_ino;
	struct sc_plan_ref environment, started;

	/* The socket that this process writes to: recordings after the first
	 * go on there (sink/trace_stream.c).  By who opens, writes and closes
	 * a trace, one at a time.  stream_pid 0: none; a child's is another */
	uint64_t stream_dev, stream_ino;
	int32_t stream_pid;
	uint8_t stream_has_header;
	uint8_t stream_is_within_frame;
	uint8_t reserved[2];

	/* clock/clock.c */
	uint64_t clock_first_ticks, clock_first_ns;
	uint64_t clock_measured, clock_trusted;
	uint32_t clock_is_tsc;

	uint32_t reserved_clock;
	struct sc_numbers counters; /* client/counter_id.c */
	struct sc_names_root names; /* jit/names.c */

	/* sampler/yield.h */
	uint32_t sampler_yields;
	uint32_t sampler_wanted;

	/* roll.h */
	uint32_t n_copies; /* [0, n_copies) are entered or about to be */
	uint32_t reserved_copies;
	struct sc_copy copies[SC_COPIES_MAX];
};

/**
 * NULL: this copy has never had anything to record into.  Stored once, with
 * release; whoever finds it there by sc_block_is_there() may then read it as
 * it is.
 */
extern struct sc_block *sc_block;

static inline bool sc_block_is_there(void)
{
	return __atomic_load_n(&sc_block, __ATOMIC_ACQUIRE) != NULL;
}

#endif
