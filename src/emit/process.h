/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - what all threads of the process share.
 *
 * Two kinds of memory.  What a forked child must not inherit lives in
 * `struct syc_process`, in front of the thread states, in a mapping that the
 * kernel zeroes in a child (MADV_WIPEONFORK: also after _Fork() and a raw
 * clone, which run no atfork handlers).  What it may inherit is in struct
 * syc_block.  Both belong to all copies of the library in the process
 * (copies/block.h); what else is static is a copy's own.
 */
#ifndef SYC_EMIT_PROCESS_H
#define SYC_EMIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/block.h"
#include "copies/copies.h"
#include "ring/ring.h"

/** Threads that can have a state at one time; further ones drop. */
#define SYC_THREADS_MAX 8192u

/** Wiped by fork.  All fields: any thread, relaxed atomics. */
struct syc_process {
	int32_t pid;  /* 0: this process has not emitted yet; -1: begins to */
	int32_t born; /* pid that load or fork() told; 0: after _Fork() */
	uint32_t announced;  /* PROCESS and clock frames are in a ring */
	uint32_t n_rings;    /* mapped now */
	uint32_t high_water; /* states [0, high_water) have been used */
	uint32_t scavenge;   /* where the next look for dead threads begins */
	uint32_t n_failures; /* ring requests in a row that got none; those
	                      * that were under way together are one */

	/* session/session.h has what these are for */
	struct syc_session *session;
	uint32_t users;
	uint32_t life;
	bool is_child;       /* fork() told that this is one */
	bool may_continue;   /* its first thread, in its parent's state: F1 */
	bool main_has_state; /* so its end is noticed */

	/* Losses of threads that have no state, or had and are gone; `told`
	 * is what loss records have said of them. */
	struct syc_ring_losses lost;
	struct syc_ring_losses told;
	int32_t telling; /* tid of the thread that moves lost to told now, or 0 */
	uint64_t n_dropped; /* all losses of the process, whoever had them */
	uint64_t n_abandoned;
};

/** NULL until this copy has something to record into.  As syc_block, and after
 * it. */
extern struct syc_process *syc_process;

static inline bool syc_process_is_there(void)
{
	return __atomic_load_n(&syc_process, __ATOMIC_ACQUIRE) != NULL;
}

/** Number of the next epoch. */
int syc_process_next_epoch(void);

/** Nothing will be recorded any more in this process. */
void syc_process_turn_off(const char *reason);

/** The sentence that syscap_get_stats() gives, and where it is. */
void syc_process_set_reason(const char *reason);
const char **syc_process_reason(void);

#endif
