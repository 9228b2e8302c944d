/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - the rings that a process makes for itself and for the children
 * that it forks.
 *
 * One shared mapping, of a ring file (ring/ring_file.h) or of no file, cut
 * into slots of one ring each.  A thread that claims a slot gets a mapping of
 * its own of it, with the body twice, which stays valid when the arena is
 * destroyed.  The drainer reads through the arena's mapping, the body once.
 *
 * Neither descriptors nor memfd_create() are needed after syc_arena_create():
 * a second mapping of shared pages is an mremap() with an old length of 0.
 * So a program that closes all descriptors or leaves its mount namespace
 * still gets rings.  Where that call is refused it takes the file's
 * descriptor to claim one.
 *
 * The mapping is large and sparse: memory comes page by page, and whoever
 * writes asks for the pages first (syc_arena_provide()), so that an emit
 * neither faults nor meets a full file system.  A forked child inherits the
 * mapping, but for what only the drainer uses, and claims slots in it.
 */
#ifndef SYC_RING_ARENA_H
#define SYC_RING_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/arena_head.h"
#include "ring/ring_file.h"

#define SYC_ARENA_BODY_MIN UINT32_C(65536) /* of those that are asked for */
#define SYC_ARENA_BODY_MAX UINT32_C(67108864)

/** Where it is: kept in memory of each process' own. */
struct syc_arena {
	unsigned char *base; /* the front; NULL: no arena */
	size_t size;
	uint32_t page, body, n_slots;
	bool populates; /* pages come when they are asked for; else all are there */
};

/** A slot that was claimed. */
struct syc_slot {
	struct syc_ring_header *ring; /* the caller's own mapping */
	uint32_t *word;               /* pid and state, in the arena's */
	uint32_t size;                /* of the body */
};

/**
 * Make an arena of rings of @body bytes (whole pages, SYC_ARENA_BODY_MIN to
 * _MAX), in the empty file @fd, or with -1 in memory.  Slot 0 is claimed for
 * @pid.  Where the size of files or of memory is limited there are fewer and
 * smaller ones.
 *
 * Returns 0 or -errno: -ENOSPC, there is no room for it; -EFBIG, nor within
 * the limits; -ENOTSUP, @fd is -1 and slots could not be claimed: make a memfd.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_create(struct syc_arena *arena, int fd, uint32_t body,
                     int32_t pid);

/**
 * The same in the empty memfd @fd, for another process to drain: nobody has a
 * slot, the head is all 0, and memory comes by touching it.  @fd is not needed
 * any more then.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_create_for_other(struct syc_arena *arena, int fd, uint32_t body);

static inline struct syc_arena_head *
syc_arena_head(const struct syc_arena *arena)
{
	return (struct syc_arena_head *)(void *)(arena->base +
	                                         syc_ring_file_head(
							 arena->page));
}

/** Of how many slots, from the first one, any was ever claimed, as the head
 * says.  Stored before a word says that its slot is LIVE. */
static inline uint32_t syc_arena_used(const struct syc_arena *arena)
{
	const uint32_t n = __atomic_load_n(&syc_arena_head(arena)->n_used,
	                                   __ATOMIC_SEQ_CST);

	return n < arena->n_slots ? n : arena->n_slots;
}

/**
 * Slots that a relative claimed can't be touched before this: what is not in
 * use has no access, so that mlockall() fetches no memory for it.  @n: as
 * syc_arena_used() said.  0 or -errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_open(const struct syc_arena *arena, uint32_t n);

/** The word of slot @i: pid and state. */
uint32_t *syc_arena_word(const struct syc_arena *arena, uint32_t i);

/** Slot @i, seen by the drainer: its header, with the body behind it.  To be
 * touched only while its word is not FREE, and it was opened. */
struct syc_ring_header *syc_arena_ring(const struct syc_arena *arena,
                                       uint32_t i);

static inline const unsigned char *
syc_arena_body(const struct syc_arena *arena,
               const struct syc_ring_header *ring)
{
	return (const unsigned char *)ring + arena->page;
}

/**
 * Claim a slot for @pid: its state is BUSY, head == tail, and @ret_slot->ring
 * is to be undone with syc_ring_unmap().  @fd: the arena's file; -1: do
 * without.  Its body has no pages yet.
 *
 * Returns 0; -EMFILE, all slots are taken; -ENOTSUP, it takes @fd; or -errno,
 * -ENOSPC: no room.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_claim(const struct syc_arena *arena, int fd, int32_t pid,
                    struct syc_slot *ret_slot);

/** Undo that, before anything was put into it.  Context: as syc_arena_claim(). */
void syc_arena_unclaim(const struct syc_slot *slot);

/**
 * See to it that @size bytes at @from, in any mapping of a slot, have their
 * pages.  0 or -errno, -ENOSPC: no room.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_provide(void *from, size_t size);

/**
 * In a forked child that may not use what it has inherited: it is not mapped any
 * more, and what an interrupted function may still store into the front is the
 * child's own.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_arena_forget(struct syc_arena *arena);

/** Context: any-thread, signal-safe; nobody may be using @arena. */
void syc_arena_destroy(struct syc_arena *arena);

#endif
