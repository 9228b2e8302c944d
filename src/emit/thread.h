/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.h - the state of one emitting thread.
 *
 * States are type-stable: they live in one mapping that is never unmapped,
 * and are recycled only when the thread that had them is gone.  A forked
 * child finds all of them zeroed, the one its syc_self points to included:
 * epoch 0 sends its first event down the slow path, which claims a state.
 * F1 (docs/ring.md): not that one, if an emit may be under way in it.
 *
 *	FREE ──claim──▶ ALIVE ──thread exit──▶ DEAD ──tid gone──▶ ALIVE …
 */
#ifndef SYC_EMIT_THREAD_H
#define SYC_EMIT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/emit.h>

#include "copies/block.h"
#include "emit/process.h"
#include "ring/ring.h"

enum {
	SYC_STATE_FREE = 0,
	SYC_STATE_ALIVE,
	SYC_STATE_DEAD,
	SYC_STATE_BUSY
};

/**
 * struct syc_thread, and what only the slow paths touch.  T1 holds for all of
 * it but `phase`, by which threads claim states from each other.
 */
struct syc_state {
	struct syc_thread hot; /* must be first */

	uint32_t phase; /* SYC_STATE_*; compare-exchange, acquire/release */
	int32_t tid;
	struct syc_ring_header *ring; /* NULL: none mapped */
	uint32_t *slot; /* of a ring in an arena: its word; NULL: in none */
	/* Of a ring of our own: counts in pos.  It has its pages from since on
	 * up to pages_end, and gets pages_step at a time. */
	uint32_t pages_since, pages_end, pages_step;
	bool is_ours;       /* the recorder reads the header's client block */
	bool is_own;        /* there is no recorder: we drain it */
	bool is_connecting; /* set-up under way: nested calls drop */
	bool is_in_handler; /* sure; false: has to be found out */
	bool no_exit_hook;  /* thread exit must be found by looking */
	uint32_t head;      /* the reader's position as last believed */
	int64_t retry_at;   /* ns; no ring is looked for before; MAX: never */
	int64_t rebasing_since;          /* kernel ns; 0: no rebase under way */
	uint32_t n_clock_calls;          /* slow ones: who comes meanwhile */
	uintptr_t stack_low, stack_high; /* of its own stack; 0: not known */
	uint32_t n_stack_looks;          /* for them, so far */
	uintptr_t pointer; /* syc_thread_pointer(): whose state it is */

	/* Losses: totals since the state was claimed, and what loss records
	 * have told of them.  told[bank] is current; a record under way
	 * fills the other and flips. */
	struct syc_ring_losses lost;
	struct syc_ring_losses told[2];
	uint32_t bank;
	uint32_t telling_bank; /* what bank will be */
	uint64_t telling_at;   /* 1 + offset of the record under way; 0: none */

	bool has_asked; /* the recorder owes this thread an answer */
};

_Static_assert(offsetof(struct syc_state, hot) == 0, "syc_self points there");

static inline struct syc_state *syc_state_of(struct syc_thread *st)
{
	return (struct syc_state *)(void *)st;
}

/** All states, NULL where syc_process is. */
extern struct syc_state *syc_states;

static inline struct syc_state *syc_state_at(uint32_t i)
{
	return &syc_states[i];
}

/** Whether a thread of this process has, or had, the state.  In a child, an emit
 * that the fork interrupted may go on in one for which this is false.  Context:
 * any-thread, signal-safe. */
static inline bool syc_thread_is_begun(const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) != SYC_STATE_FREE;
}

/** ts->retry_at of a thread that asks no more. */
#define SYC_RETRY_NEVER INT64_MAX

/**
 * The state that this thread is said to have, whichever copy claimed it; or
 * NULL.  It may be of before a fork, or of a thread that had this stack before.
 *
 * Context: owner, signal-safe.
 */
struct syc_state *syc_thread_of_self(void);

/**
 * Have @ts finished when this thread ends.  False: not possible, since
 * pthread_setspecific() of our key may allocate.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_watch(struct syc_state *ts);

/** What syc_thread_watch() was called with on this thread, by any copy; or on
 * the thread that had its stack before; or NULL.  Context: signal-safe. */
struct syc_state *syc_thread_watched(void);

/** Looks a few times for the bounds of the thread's own stack, on which @addr
 * may lie.  Context: owner, signal-safe. */
void syc_thread_look_for_stack(struct syc_state *ts, uintptr_t addr);

/**
 * Whether @addr lies on the thread's own stack, whose bounds are looked for if
 * they are not known.  False if they can't be had.
 *
 * Context: owner, signal-safe.
 */
static inline bool syc_thread_has_on_stack(struct syc_state *ts, uintptr_t addr)
{
	if (SYC_UNLIKELY(ts->stack_high == 0))
		syc_thread_look_for_stack(ts, addr);
	return addr >= ts->stack_low && addr < ts->stack_high;
}

/**
 * Whether this thread's exit hook has run, and no destructor has had an event
 * since.  A handler that emits all the same makes a state that nobody ends:
 * later threads have to find it.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_thread_has_ended(void);

/** Take @ts, which is BUSY then, from those who find it in phase @from too.
 * Context: any-thread, signal-safe. */
bool syc_thread_take_phase(struct syc_state *ts, uint32_t from);

#endif
