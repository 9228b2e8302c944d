/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.h - the state of one emitting thread, and its ring.
 *
 * States lie in one mapping that is never unmapped.  A state is reused only
 * after the end of its thread.  In a forked child all states are zero,
 * including the state that syc_self points to.  Because of its epoch 0, the
 * child's first event takes the slow path, which claims a state.  The child
 * does not claim a state in which an emit may be in progress (F1 in
 * docs/ring.md).
 *
 *	FREE ──claim──▶ ALIVE ──thread exit──▶ DEAD ──tid gone──▶ ALIVE …
 */
#ifndef SYC_EMIT_THREAD_H
#define SYC_EMIT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/emit.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "ring/ring.h"

enum {
	SYC_STATE_FREE = 0,
	SYC_STATE_ALIVE,
	SYC_STATE_DEAD,
	SYC_STATE_BUSY
};

/**
 * struct syc_thread, and fields that only the slow paths use.  T1 holds for all
 * fields except `phase`, by which threads claim states.
 */
struct syc_state {
	struct syc_thread hot; /* must be first */

	uint32_t phase; /* SYC_STATE_*; compare-exchange, acquire/release */
	int32_t tid;
	struct syc_ring_header *ring;  /* NULL: none mapped */
	struct syc_overflow *overflow; /* in use instead of the ring; or NULL */
	uint32_t *slot; /* word of the ring's slot; NULL: not in an arena */
	/* Pages of a session's ring, in units of pos: [pages_since, pages_end)
	 * has pages.  The ring grows by pages_step. */
	uint32_t pages_since, pages_end, pages_step;
	bool has_syscap_reader; /* the reader reads the client block */
	bool has_session_ring;  /* the ring is of this process's session */
	bool is_connecting;     /* set-up is in progress: nested events are
	                     * dropped */
	bool is_in_handler;     /* true is certain; false: unknown */
	bool is_filtered;   /* at looked_at a filter could kill for writes */
	bool is_real_time;  /* at looked_at the policy was real-time */
	bool no_exit_hook;  /* another thread must find the thread's end */
	uint32_t head;      /* the reader's last accepted position */
	uint32_t n_refused; /* number of events that found no space */
	/* ns: session/spill_threads.c; 0: no look yet */
	_Alignas(8) int64_t looked_at;
	int64_t retry_at; /* ns; no ring is requested before; MAX: never */
	int64_t rebasing_since;          /* kernel ns; 0: no rebase runs */
	uint32_t n_clock_calls;          /* number of slow calls, to find nested
	                                  * calls */
	uintptr_t stack_low, stack_high; /* the thread's stack; 0: unknown */
	uint32_t n_stack_looks;          /* lookups of these bounds so far */
	uintptr_t pointer; /* syc_thread_pointer() of the state's thread */

	/* Losses: totals since the state was claimed, and the totals that loss
	 * records have reported.  The element at `bank` is current.  A record
	 * in progress fills the other bank, then flips. */
	struct syc_ring_losses lost;
	struct syc_ring_losses told[2];
	uint32_t bank;
	uint32_t telling_bank; /* the next value of bank */
	/* 1 + offset of the record in progress; 0: none */
	_Alignas(8) uint64_t telling_at;

	bool has_asked; /* a request of this thread has no answer yet */
};

_Static_assert(offsetof(struct syc_state, hot) == 0, "syc_self points there");

static inline struct syc_state *syc_state_of(struct syc_thread *st)
{
	return (struct syc_state *)(void *)st;
}

/** All states; NULL if syc_process is NULL. */
extern struct syc_state *syc_states;

static inline struct syc_state *syc_state_at(uint32_t i)
{
	return &syc_states[i];
}

/* ------------------------------------------------------ state: thread.c */

/** Return whether a thread of this process has, or had, the state.  False: in a
 * child, an emit that the fork interrupted may continue in this state.
 * Context: any-thread, signal-safe. */
static inline bool syc_thread_is_begun(const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) != SYC_STATE_FREE;
}

/** ts->retry_at of a thread that requests no more rings. */
#define SYC_RETRY_NEVER INT64_MAX

/**
 * The state that any copy has noted for this thread, or NULL.  The note may be
 * older than a fork, or belong to a thread that had this stack before.
 *
 * Context: owner, signal-safe.
 */
struct syc_state *syc_thread_of_self(void);

/**
 * Let the end of this thread finish @ts.  Returns false if this is impossible,
 * because pthread_setspecific() of the library's key may allocate.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_watch(struct syc_state *ts);

/** The argument of the last syc_thread_watch() on this thread, by any copy; or
 * NULL.  The argument may be from a thread that had this stack before.
 * Context: signal-safe. */
struct syc_state *syc_thread_watched(void);

/** Store that this thread is in a signal handler, or has left it.  An event in
 * a handler writes only if its ring fills up.  Context: owner, all signals
 * blocked. */
static inline void syc_thread_note_handler(bool is_one)
{
	if (syc_self != NULL)
		syc_state_of(syc_self)->is_in_handler = is_one;
}

/** Look up the bounds of the thread's own stack, on which @addr may lie, up to
 * eight times per thread.  Context: owner, signal-safe. */
void syc_thread_look_for_stack(struct syc_state *ts, uintptr_t addr);

/**
 * Return whether @addr lies on the thread's own stack.  Looks up unknown
 * bounds.  Returns false if the bounds are unavailable.
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
 * Return whether this thread's exit hook has run, and no destructor has emitted
 * since.  An emit of a handler would then make a state that only a later thread
 * can end.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_thread_has_ended(void);

/** Move @ts from phase @from to BUSY.  Returns false if another thread was
 * faster.  Context: any-thread, signal-safe. */
bool syc_thread_take_phase(struct syc_state *ts, uint32_t from);

/** Destructor of the pthread key: the thread of @state ends. */
void syc_thread_leave_for_good(void *state);

/* --------------------------------- claiming and leaving: thread_state.c */

/**
 * Point syc_self to the calling thread's state.  The state was claimed by any
 * copy, or is newly claimed.  syc_self remains NULL if all states are taken,
 * and in a vfork() child.
 *
 * Context: owner, signal-safe, signals blocked, so no handler of this thread
 * claims at the same time.
 */
void syc_thread_claim(void);

/**
 * Write the last loss record and the end marker, and leave the ring.
 * Unreported losses become losses of the process.
 *
 * Context: owner, or the thread that finishes a dead thread's state;
 * signal-safe.
 */
void syc_thread_leave_ring(struct syc_state *ts);

/**
 * Leave a ring that is not of the current epoch.  Does nothing while an emit of
 * the thread is in progress, because this emit and its nested emits belong in
 * the old ring.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_thread_leave_epoch(struct syc_state *ts);

/* ---------------------------------------------------- ring: thread_ring.c */

/**
 * Let @ts, whose has_session_ring and has_syscap_reader are set, emit into the
 * empty @ring of @size bytes, whose head and tail are @at.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_thread_ring_begin(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size, uint32_t at);

/** Continue in @ring, whose body has @size bytes, at @at.  @head is the last
 * accepted position of the ring's reader.  Context: owner, signal-safe, signals
 * blocked, no other emit of the thread in progress. */
void syc_thread_ring_place(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size, uint32_t at, uint32_t head);

/** The part of @ts that a child inherits.  Context: owner; in a child, any
 * thread. */
static inline struct syc_mapped *syc_thread_mapped(const struct syc_state *ts)
{
	return &syc_block->mapped[ts - syc_states];
}

/** Store the writer's ids and name in @ring, whose reader is syscap.
 * Context: signal-safe. */
void syc_thread_ring_sign(struct syc_ring_header *ring, int32_t pid,
                          int32_t tid);

/** Permanently stop writing into the ring, which stays mapped.  @why is a
 * static sentence for syscap_get_stats().  Context: owner, signal-safe. */
void syc_thread_ring_close(struct syc_state *ts, const char *why);

/** Take the ring from @ts.  Context: owner, or the thread that finishes a dead
 * thread's state. */
void syc_thread_ring_unmap(struct syc_state *ts);

/**
 * Unmap the ring that the parent had for @ts, so that a forked child never
 * writes the ring.  If an interrupted emit @may_be_written there, private
 * memory replaces the ring.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_thread_ring_drop_inherited(const struct syc_state *ts,
                                    bool may_be_written);

/**
 * Get a ring for @ts inside an emit (setup.c).  Returns false if there is no
 * ring now, and the caller counts the event.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_connect(struct syc_state *ts);

/* --------------------------------------- space in the ring: thread_ring.c */

/**
 * Load the reader's position, and compute the limit of the space.  Returns
 * false if the position was invalid and the ring is closed, or if handlers kept
 * moving pos.
 *
 * Context: owner, signal-safe.
 */
bool syc_ring_space_look(struct syc_state *ts, uint32_t *ret_limit);

/**
 * Get pages for a frame of @len bytes and its successors, and lower *@limit to
 * the end of the pages.  Only rings of a session need this function.  Without
 * memory for pages, no frame fits below *@limit, not even a loss record.
 *
 * Context: owner, signal-safe.
 */
void syc_ring_space_limit_to_pages(struct syc_state *ts, uint32_t len,
                                   uint32_t *limit);

/**
 * syc_take() as a function, for slow paths.
 *
 * Context: owner, signal-safe.
 */
unsigned char *syc_ring_space_take(struct syc_thread *st, uint32_t limit,
                                   uint32_t len, int64_t time);

/* ---------------------------------------- abandoned emits: thread_ring.c */

/**
 * Make [frame, frame + len) a filler: a JITMAP without names, or, if only a
 * header fits, a TIMESTAMP with pid -1.  A filler does not count as a loss.  A
 * longer TIMESTAMP is not a filler.  Some readers check 24 bytes of a TIMESTAMP
 * and skip its len, and end if this skip leaves their buffer.
 *
 * Context of the three functions: owner, signal-safe.
 */
void syc_repair_write_filler(struct syc_thread *st, unsigned char *frame,
                             uint32_t len);

/** Write a filler, and count an abandoned emit. */
void syc_repair_count_abandoned(struct syc_state *ts, unsigned char *frame,
                                uint32_t len);

/**
 * Check all frames that are reserved and not published.  Count the frames that
 * will never be completed, and make them fillers.  The outermost emit calls
 * this function at its end, if nested emits did not end.  The successor of a
 * dead outermost emit calls this function, too.  An emit that died before its
 * reservation left no frame, and is not counted, as if the program had not
 * called it.
 */
void syc_repair_all(struct syc_thread *st);

#endif
