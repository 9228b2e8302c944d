/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.h - a thread that is sampled.
 *
 * Targets are type-stable: their memory is never unmapped, so a handler may
 * read any target, for any signal value.  A target is given to another thread
 * only after its timer is deleted, and if its thread is gone or outside of our
 * handler.  In a forked child all targets are zero, which means free.
 *
 * A timer's signal carries the target's cookie.  The cookie has a random word
 * of this copy of the library, the target's number, and the count of the
 * target's uses.  No cookie is an address that a program could have sent, and
 * an old cookie matches no target.
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
	SYC_TLS_NONE, /* not a thread of the C library: not sampled */
};

#define SYC_TLS_STATE 3u

/* The word has the thread's id: a late handler of the target's previous thread
 * has no state of the present thread. */
static inline uint32_t syc_target_tls(int32_t tid, enum syc_target_tls state)
{
	return (uint32_t)tid << 2 | state;
}

/* State for throttle.c, written in handlers; the maker of a timer also writes
 * is_slow. */
struct syc_idle_backoff {
	uintptr_t pc, sp;           /* code position at the last tick */
	int64_t cpu_ns, worked_ns;  /* processor time: last value; unaccounted
	                             * time */
	uint64_t taken_ns;          /* the target's taken_ns at the last
	                             * check */
	uint32_t n_awake, n_asleep; /* ticks for the place awake, and asleep */
	uint8_t n_found; /* ticks in a row at this place, at full rate */
	bool is_slow;
};

struct syc_target {
	uint64_t cookie; /* 0: free.  Stored last, cleared first */
	int32_t tid;     /* relaxed; handlers compare */
	uint32_t tls;    /* syc_target_tls(), stored by the target's thread */
	uintptr_t busy;  /* address of our handler's frame, or 0 */

	/* Written by the target's thread, in handlers; never decreased */
	uint64_t n_samples, n_due, n_cut, n_stopped, n_refused, n_skipped;
	uint64_t n_cramped;  /* ticks skipped on too small alternate stacks */
	uint64_t taken_ns;   /* processor time of its ticks */
	int64_t cpu_seen;    /* ns of processor time that samples stand for */
	int32_t n_owed;      /* weight owed to the next tick; may be < 0 */
	uint32_t n_measured; /* throttle.c: ticks still to be measured */
	int64_t rest_until;  /* ns of its clock: no tick before this time */
	struct syc_idle_backoff sleeper;

	/* Written by the thread that looks for threads */
	uint32_t number, next; /* next: 1 + number of another target with this
	                        * hash */
	uint32_t generation;
	uint32_t seen;       /* the last round that found its thread */
	uint64_t inode;      /* inode of its directory in /proc */
	uint64_t start;      /* start of its thread, clock ticks */
	int64_t due_from;    /* ns of its clock, n_due periods earlier */
	uint64_t blocked_at; /* 1 + ticks before it blocked the signal; or 0 */
	uint32_t n_tries;    /* attempts to start its timer */
	int32_t timer;       /* the kernel's number, or -1 */
	int32_t perf_fd;     /* the former fd of its perf event, or -1 */
	void *perf_page;     /* mapping that keeps the perf event alive */
	bool is_silent;      /* began with the signal blocked; no tick yet */
	bool is_cramped;     /* a stack of its thread is too small for a tick */
	bool was_stopped;    /* timer stopped by syc_scan_stop_all(); continues
	                      * later */
};

/** Workspace of the target's samples. */
static inline struct syc_workspace *
syc_target_workspace(struct syc_target *target)
{
	return (struct syc_workspace *)(void *)((char *)target + 256);
}

_Static_assert(sizeof(struct syc_target) <= 256,
               "struct syc_workspace follows");

/** Choose the random word of this copy.  Context: setup. */
void syc_target_init(void);

/** Clear the parent's targets in a child whose memory was not wiped. */
void syc_target_wipe(void);

/** Whether this copy gave @cookie to a target at any time. signal-safe. */
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

/** Only the targets [0, syc_target_count()) were ever given, and are mapped.
 * Both signal-safe. */
uint32_t syc_target_count(void);
struct syc_target *syc_target_at(uint32_t number);

/**
 * The target of @tid, or NULL.  A caller that does not hold the round may get
 * NULL although @tid has a target.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_target_find(int32_t tid);

/** Give @tid a target.  NULL: none is free.  The caller holds the round. */
struct syc_target *syc_target_give(int32_t tid);

/** Free @target, whose timer is deleted.  The caller holds the round. */
void syc_target_free(struct syc_target *target);

#endif
