/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arenas.h - the rings that processes made themselves and handed over
 * (docs/protocol.md, "Handing over an arena").
 *
 * Each slot in use is a struct syc_ring among the others.  Here is which slots
 * are, whose, and what becomes of them.  Words are looked at, never relied on:
 * what is known of a slot is in the ring.
 */
#ifndef SYC_RECORD_ARENAS_H
#define SYC_RECORD_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"
#include "record/arena_taken.h"
#include "record/drain.h"
#include "record/missing_arenas.h"
#include "record/processes.h"
#include "record/report.h"

struct syc_arenas {
	struct syc_processes *processes;
	struct syc_record_report *report;
	SYC_ARRAY(struct syc_arena_taken *) all;
	size_t first;       /* which is looked at first */
	uint64_t addresses; /* that they take of ours */
	unsigned n_rings;
	uint32_t changes; /* of processes, as of the last pass */
	int64_t searched; /* when all processes were looked at */
	struct syc_missing_arenas missing;
};

/** What is done with a slot that is in use: false, it can't be now. */
struct syc_arenas_sink {
	bool (*begin)(void *context, struct syc_ring *ring);
	void *context;
};

void syc_arenas_free(struct syc_arenas *arenas);

/**
 * @pid handed over @fd, which stays the caller's; -1: it got lost.  Returns the
 * arena, or NULL: it is counted, and said.  If it is_past, what is in it has to
 * be read now, before the process that has its number today is met.
 */
struct syc_arena_taken *syc_arenas_take(struct syc_arenas *arenas, int32_t pid,
                                        int fd);

/** No more of @pid will be taken: those that nobody has any more should be
 * forgotten before. */
bool syc_arenas_has_many(const struct syc_arenas *arenas, int32_t pid);

/**
 * Look for slots that came into use; only some of many, but @all if it matters.
 * True: there are more.
 */
bool syc_arenas_look(struct syc_arenas *arenas, bool all,
                     const struct syc_arenas_sink *sink);

/** Before a pass over the rings: whether owners have to be looked at. */
bool syc_arenas_begin_pass(struct syc_arenas *arenas);

/** Nobody will write to @ring any more: asked before it is read for the last
 * time.  @look: at its owner, too. */
bool syc_arenas_is_over(struct syc_arenas *arenas, struct syc_ring *ring,
                        bool look);

/** @ring, a slot, is done with: free for others, but not if it was malformed. */
void syc_arenas_give_back(struct syc_arenas *arenas, struct syc_ring *ring);

/** Free slots whose owners died while they claimed them. */
void syc_arenas_free_claimed(struct syc_arenas *arenas);

/** Nobody that we know of may use @arena any more. */
bool syc_arenas_is_suspect(const struct syc_arenas *arenas,
                           const struct syc_arena_taken *arena);

/** Tell all clients that what they emit from now on is not read. */
void syc_arenas_close(struct syc_arenas *arenas);

/** Forget the arena @i, whose rings are over. */
void syc_arenas_forget(struct syc_arenas *arenas, size_t i);

#endif
