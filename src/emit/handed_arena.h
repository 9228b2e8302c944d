/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed_arena.h - an arena on its way to the recorder: sent at once, or, where
 * that can't be done just then, with a later event, or at exit.
 *
 * Which of them a process has, and when it makes another, is hand_over.c's.
 */
#ifndef SYC_EMIT_HANDED_ARENA_H
#define SYC_EMIT_HANDED_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/block.h"
#include "ring/arena.h"

/** What has become of it.  The holder of the lock stores it, release. */
enum syc_handed {
	SYC_HANDED_NONE,
	SYC_HANDED_UNSENT, /* could not be; slots may be claimed all the same */
	SYC_HANDED_SENT,
	SYC_HANDED_LOST, /* never will be: threads ask for rings from now on */
	SYC_HANDED_IMPOSSIBLE
};

/** In memory that a child inherits. */
struct syc_handed_arena {
	/* Where all slots were taken, or NULL.  Set before others see this one */
	struct syc_handed_arena *older;
	/* What is made when all slots are taken; nobody sees it before that */
	struct syc_handed_arena *next;
	uint32_t lock; /* held to make it, to send it, or to make the next one:
	                * os/threads.h */
	uint32_t phase;
	int32_t pid;     /* who has made it */
	bool is_told;    /* the recorder knows that there is one */
	uint64_t pid_ns; /* where that means something; 0: not known */
	int64_t began;   /* when the process made its first, ns */
	struct syc_arena arena;
	/* Until it is sent; fd 0: not any more */
	struct syc_control_socket file;
	struct syc_control_socket connection; /* connection.h */
	int64_t unsent_since, try_at;         /* ns */
};

static inline uint32_t syc_handed_arena_phase(const struct syc_handed_arena *h)
{
	return __atomic_load_n(&h->phase, __ATOMIC_ACQUIRE);
}

static inline void syc_handed_arena_set_phase(struct syc_handed_arena *h,
                                              uint32_t phase)
{
	__atomic_store_n(&h->phase, phase, __ATOMIC_RELEASE);
}

/**
 * Send it, or say when that is to be tried again; @is_last: it won't be.
 * Returns what sending it gave: 0, or -errno.
 *
 * Context: any-thread, signal-safe; the caller holds the lock.
 */
int syc_handed_arena_send(struct syc_handed_arena *h, bool is_last);

/** Whether @r, of sending it, is no lack that may pass: of a filter, or a policy;
 * or the recorder can't be reached from here.  Context: any-thread,
 * signal-safe. */
bool syc_handed_arena_is_hopeless(int r);

/** Send it if it is unsent; @at_exit: try for a while.  Context: any-thread,
 * signal-safe, signals blocked. */
void syc_handed_arena_try(struct syc_handed_arena *h, bool at_exit);

#endif
