/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.h - a thread that is sampled.
 *
 * Targets are type-stable: once mapped they stay, so that a handler may look at
 * any of them, whatever it was sent.  A target is given to another thread only
 * after its timer is deleted.  Its thread must be gone, or outside of our
 * handler.  A forked child finds all of them zeroed: free.
 *
 * A timer's signal carries the target's cookie.  It has a random word of this
 * copy of the library, the target's number, and the count of its uses.  It is
 * no address that a program could have sent, and an old one fits nothing.
 */
#ifndef SYC_SAMPLER_TARGET_H
#define SYC_SAMPLER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/workspace.h"

/** Threads that can be sampled at one time. */
#define SYC_TARGETS_MAX 8192u

enum syc_target_tls {
	SYC_TLS_UNKNOWN = 0,
	SYC_TLS_OWN,
	SYC_TLS_NONE, /* not a thread of the C library: left alone */
};

#define SYC_TLS_STATE 3u

/* The word says whose target it is: a late handler of the thread before knows
 * nothing of the one that has the target now. */
static inline uint32_t syc_target_tls(int32_t tid, enum syc_target_tls state)
{
	return (uint32_t)tid << 2 | state;
}

/* sleeper.c's; written in handlers, but for is_slow where a timer is made. */
struct syc_idle_backoff {
	uintptr_t pc, sp;           /* where the last tick found it */
	int64_t cpu_ns, worked_ns;  /* processor time: last look; unaccounted */
	uint64_t taken_ns;          /* the target's, at the last look */
	uint32_t n_awake, n_asleep; /* ticks that wait for such a place */
	uint8_t n_found; /* in a row that found it there, at full rate */
	bool is_slow;
};

struct syc_target {
	uint64_t cookie; /* 0: free.  Stored last, cleared first */
	int32_t tid;     /* relaxed; handlers compare */
	uint32_t tls;    /* syc_target_tls(), by its thread */
	uintptr_t busy;  /* where our handler's frame lies, on its thread; 0 */

	/* Written by its thread, in handlers; never set back */
	uint64_t n_samples, n_due, n_cut, n_stopped, n_refused, n_skipped;
	uint64_t n_cramped; /* of those: on an alternate stack without room */
	uint64_t taken_ns;  /* by its ticks: processor time */
	int64_t cpu_seen;   /* ns of processor time that samples stand for */
	int32_t n_owed;     /* ticks that its next stands for, too; < 0: less */
	uint32_t n_measured; /* pace.c: ticks to be measured yet */
	int64_t rest_until;  /* ns of its clock: no tick is taken before */
	struct syc_idle_backoff sleeper;

	/* Written by the thread that looks for threads */
	uint32_t number, next; /* next: 1 + number, of those with this hash */
	uint32_t generation;
	uint32_t seen;    /* the round in which its thread was there last */
	uint64_t inode;   /* of its directory in /proc */
	uint64_t start;   /* of its thread, clock ticks */
	int64_t due_from; /* rest.c: ns of its clock, n_due periods earlier */
	uint64_t blocked_at; /* 1 + its ticks when it blocked the signal; 0 */
	uint32_t n_tries;    /* to give it a timer */
	int32_t timer;       /* the kernel's number, or -1 */
	int32_t perf_fd;     /* what its perf event's descriptor was, or -1 */
	void *perf_page;     /* by which that lives */
	bool is_silent;   /* it began with the signal blocked; no tick came */
	bool is_cramped;  /* a stack of its thread's has no room for a tick */
	bool was_stopped; /* by syc_scan_stop_all(): goes on later */
};

/** Workspace of its samples. */
static inline struct syc_workspace *
syc_target_workspace(struct syc_target *target)
{
	return (struct syc_workspace *)(void *)((char *)target + 256);
}

_Static_assert(sizeof(struct syc_target) <= 256,
               "struct syc_workspace follows");

/** Choose the copy's word.  Context: setup. */
void syc_target_init(void);

/** Forget, in a child whose memory was not wiped, what the parent had. */
void syc_target_wipe(void);

/** Whether @cookie is one that this copy gave, at any time.  signal-safe. */
bool syc_target_is_cookie(uint64_t cookie);

/** Cookie of the scout, the timer that ticks in threads without a target.
 * signal-safe. */
uint64_t syc_target_scout_cookie(void);

/**
 * The target that has @cookie now, or NULL.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_target_by_cookie(uint64_t cookie);

/** Targets [0, syc_target_count()) were ever given, and are mapped.  Both
 * signal-safe. */
uint32_t syc_target_count(void);
struct syc_target *syc_target_at(uint32_t number);

/**
 * The target that @tid has, or NULL.  A caller that does not hold the round may
 * get NULL at times though there is one.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_target_find(int32_t tid);

/** One for @tid, or NULL: there is no more room.  The caller holds the
 * round. */
struct syc_target *syc_target_give(int32_t tid);

/** Take it back; its timer is deleted.  The caller holds the round. */
void syc_target_free(struct syc_target *target);

#endif
