/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - data that all threads of the process share, and the library's
 * set-up and end in the process.
 *
 * There are two kinds of memory.  struct syc_process has the data that a forked
 * child must not inherit.  The struct precedes the thread states in a mapping
 * that the kernel zeroes in a child (MADV_WIPEONFORK).  The kernel also zeroes
 * the mapping after _Fork() and a raw clone(), which run no fork handlers.
 * struct syc_block has the data that a child may inherit.  Both structs and the
 * states belong to all copies of the library in the process (copies/copies.h).
 * Other static data belongs to one copy.
 */
#ifndef SYC_EMIT_PROCESS_H
#define SYC_EMIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/copies.h"
#include "ring/ring.h"

struct syc_destination;
struct syc_overflow;
struct syc_thread;

/** Threads that can have a state at one time; further threads drop events. */
#define SYC_THREADS_MAX 8192u

/** Data that a fork clears.  Any thread accesses all fields, by relaxed
 * atomics. */
struct syc_process {
	int32_t pid;  /* 0: this process has not emitted; -1: its set-up runs */
	int32_t born; /* pid noted at load or by fork(); 0: after _Fork() */
	uint32_t announced;  /* PROCESS and clock frames are in a ring */
	uint32_t n_rings;    /* mapped now */
	uint32_t high_water; /* states [0, high_water) have been used */
	uint32_t scavenge;   /* start of the next search for dead threads */
	uint32_t n_failures; /* failed ring requests in a row; overlapping
	                      * requests count once */

	/* Described in session/session.h */
	struct syc_session *session;
	uint32_t users;
	uint32_t life;
	bool is_child;       /* fork() noted that this is a child */
	bool may_continue;   /* the first thread may continue in the parent's
	                      * state: F1 */
	bool main_has_state; /* the first thread has a state, and a destructor
	                      * notices the thread's end */

	/* Losses of threads that have no state or have ended, and the losses
	 * among them that loss records have reported. */
	struct syc_ring_losses lost;
	struct syc_ring_losses told;
	int32_t telling; /* tid of the thread that reports stray losses now, or
	                  * 0 */
	/* ns: time of the next transfer of a session's rings; 0: none */
	_Alignas(8) int64_t spill_at;
	/* ns: time of load or of fork(), since which this process may have
	 * events; 0: unknown, or syscap_start() was called */
	int64_t since;
	/* emit/overflow.h */
	struct syc_overflow *overflows; /* all, also free ones */
	uint32_t overflow_bytes;        /* bytes that count as memory of
	                                 * overflows */
	/* ns: time of the next move by other threads */
	_Alignas(8) int64_t overflow_at;
	_Alignas(8) uint64_t n_dropped; /* all losses of the process */
	uint64_t n_abandoned;
};

/** NULL until this copy has a destination.  The pointer is stored like
 * syc_block, and after syc_block. */
extern struct syc_process *syc_process;

static inline bool syc_process_is_there(void)
{
	return __atomic_load_n(&syc_process, __ATOMIC_ACQUIRE) != NULL;
}

/** Number of the next epoch. */
int syc_process_next_epoch(void);

/** End all recording in this process. */
void syc_process_turn_off(const char *reason);

/** Set or get the sentence that syscap_get_stats() returns. */
void syc_process_set_reason(const char *reason);
const char **syc_process_reason(void);

/* ------------------------------------------------- the block: process.c */

/** Functions that the C library calls. */
struct syc_block_hooks {
	void (*on_thread_exit)(void *state);
	void (*on_fork)(void); /* before fork() */
	void (*on_child)(void);
	void (*on_quick_exit)(void);
};

/**
 * Adopt the block that another copy has entered here.  Returns false if no copy
 * has entered a block.  Repeated calls are allowed.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_block_adopt(void);

/** Adopt the block of any copy.  Returns false if no copy has a block, or this
 * copy works alone.  Context: setup. */
bool syc_block_find(void);

/**
 * Adopt the block of any copy, or make a block.  A new block has the given
 * paths to a recorder, arena size and plan of the environment.  The copy that
 * makes the block registers @hooks for all copies.  Returns 0 or -ENOMEM.
 *
 * Context: setup; one thread at a time.
 */
int syc_block_make(const struct syc_control_socket *control,
                   const struct sockaddr_un *recorder, uint32_t arena_body,
                   const struct syc_destination *environment,
                   const struct syc_block_hooks *hooks);

/** Return whether other copies can find this copy's block.  Context:
 * any-thread, signal-safe. */
bool syc_block_is_shareable(void);

/** Return the reason why other copies can't find this copy's block, or "".
 * Context: any-thread, signal-safe. */
const char *syc_block_why_alone(void);

/* -------------------------------------------- a forked child: process.c */

/** Note, before fork(), whether the thread is inside an emit.  Context:
 * any-thread, signal-safe. */
void syc_child_prepare(void);

/**
 * Do the first part of a child's set-up, in fork() itself, or after _Fork() in
 * the first event.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_child_begin(void);

/**
 * Make sure that syc_process describes this process and not a parent.  Returns
 * the pid, or 0 if this is impossible and the event must be dropped.
 *
 * Context: any-thread, signal-safe.
 */
int32_t syc_child_pid(void);

/* ------------------------------------------------- set-up and end: setup.c */

/**
 * Decide whether events are recorded, and do all set-up that a signal handler
 * can't do.  A constructor calls this function when the library is loaded.
 * Repeated calls do nothing.  A call during another call returns at once.
 *
 * Context: setup.
 */
void syc_setup_run(void);

/** Number of events before the first syc_setup_run().  If the set-up switches
 * recording on, these events count as losses. */
extern uint32_t syc_setup_n_early;

/**
 * Repeat syc_setup_run() in a process whose decision was deferred
 * (sysprof_compat/lazy_init.h).
 *
 * Context: setup.
 */
void syc_setup_again(void);

/** Function that the first event calls if the decision is deferred, or NULL. */
extern void (*syc_setup_decide)(void);

/**
 * Do the set-up that syc_setup_run() does if the environment requests a
 * recording.  Returns 0 or -ENOMEM.
 *
 * Context: setup; any thread.
 */
int syc_setup_prepare(void);

/** Do what a recorder has requested since the last event.  Context: any-thread,
 * signal-safe. */
void syc_setup_look_at_attach(void);

/**
 * Adopt the block of another copy that has turned this copy on since this copy
 * was loaded.  Does nothing if this copy had an event.
 *
 * Context: any-thread, signal-safe.
 */
void syc_setup_join(void);

/** End the library's work in the process, at quick_exit().  At exit() a
 * destructor does the same.  Context: any-thread. */
void syc_at_exit_end(void);

/* ------------------------- facts about the process: process.c */

/**
 * Emit the clock and its error once per process, into the first connected ring.
 * For recorders other than syscap, also emit a PROCESS frame, which names the
 * process in the capture.
 *
 * Context: owner, inside an emit, signal-safe.
 */
void syc_announce(struct syc_state *ts);

/**
 * Announce the clock's error again if it exceeds the announced bound, and the
 * ring has space.
 *
 * Context: owner, signal-safe.
 */
void syc_announce_clock_error(struct syc_thread *st);

#endif
