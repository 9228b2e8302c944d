/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - the rings of a process and of its forked children.
 *
 * An arena is one shared mapping, of a ring file (ring/ring_file.h) or of no
 * file, with slots of one ring each.  A thread that claims a slot gets its own
 * mapping of the slot, with the body twice.  This mapping stays valid after the
 * end of the arena.  The reader uses the arena's mapping, which has the
 * body once.
 *
 * After syc_arena_create() neither fds nor memfd_create() are needed, because
 * mremap() with an old length of 0 maps shared pages a second time.  So a
 * program that closes all fds, or leaves its mount namespace, still gets rings.
 * If this mremap() is refused, a claim needs the file's fd.
 *
 * The mapping is large and sparse, and gets memory page by page.  Each writer
 * requests pages before its writes (syc_pages_provide()).  So an emit neither
 * faults nor writes to a full file system.  A forked child inherits the
 * mapping, and claims slots there.
 */
#ifndef SYC_RING_ARENA_H
#define SYC_RING_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring_file.h"

#define SYC_ARENA_BODY_MIN UINT32_C(65536) /* limits of requested bodies */
#define SYC_ARENA_BODY_MAX UINT32_C(67108864)

/** Position and size of an arena, in each process' own memory. */
struct syc_arena {
	unsigned char *base; /* the front; NULL: no arena */
	struct syc_arena_head *head;
	size_t size;
	uint32_t page, body, n_slots;
	bool populates; /* each writer requests pages; else all pages exist */
};

/** A claimed slot. */
struct syc_slot {
	struct syc_ring_header *ring; /* the caller's own mapping */
	uint32_t *word;               /* pid and state, in the arena */
	uint32_t size;                /* size of the body */
};

/**
 * Make an arena of rings of @body bytes (whole pages, SYC_ARENA_BODY_MIN to
 * _MAX).  The arena is in the empty file @fd, or in memory if @fd is -1.  Slot
 * 0 is claimed for @pid.  Limits on the size of files or memory cause fewer and
 * smaller rings.
 *
 * Returns 0 or -errno.  -ENOSPC: no space; -EFBIG: no space within the limits.
 * -ENOTSUP: @fd is -1, and slots can't be claimed; the caller makes a memfd.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_create(struct syc_arena *arena, int fd, uint32_t body,
                     int32_t pid);

/**
 * Make an arena in the empty memfd @fd, which another process will read.  No
 * slot is claimed, the head is all 0, and memory comes at the first access.
 * Afterwards the arena does not need @fd any more.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_create_for_other(struct syc_arena *arena, int fd, uint32_t body);

static inline struct syc_arena_head *
syc_arena_head(const struct syc_arena *arena)
{
	return arena->head;
}

/** Number of slots from the first slot to the last slot that was ever claimed,
 * read from the head.  The number is stored before a slot's word becomes
 * LIVE. */
static inline uint32_t syc_arena_used(const struct syc_arena *arena)
{
	const uint32_t n = __atomic_load_n(&syc_arena_head(arena)->n_used,
	                                   __ATOMIC_SEQ_CST);

	return n < arena->n_slots ? n : arena->n_slots;
}

/**
 * Permit access to the first @n slots (syc_arena_used()).  A process calls this
 * function before its first access to a slot that a related process claimed.
 * Unused slots permit no access, so that mlockall() gets no memory for them.
 * Returns 0 or -errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_open(const struct syc_arena *arena, uint32_t n);

/** The word of slot @i: pid and state. */
uint32_t *syc_arena_word(const struct syc_arena *arena, uint32_t i);

/** Header of slot @i, followed by the body, in the arena's mapping.  Callers
 * access the header only while the slot's word is not FREE, and after
 * syc_arena_open(). */
struct syc_ring_header *syc_arena_ring(const struct syc_arena *arena,
                                       uint32_t i);

static inline const unsigned char *
syc_arena_body(const struct syc_arena *arena,
               const struct syc_ring_header *ring)
{
	return (const unsigned char *)ring + arena->page;
}

/**
 * Claim a slot for @pid.  The slot's state is BUSY, head == tail, and its body
 * has no pages yet.  The caller unmaps @ret_slot->ring with syc_ring_unmap().
 * @fd is the arena's file, or -1 for a claim without fd.
 *
 * Returns 0; -EMFILE: all slots are claimed; -ENOTSUP: a claim needs @fd;
 * -ENOSPC: no space; or another -errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_claim(const struct syc_arena *arena, int fd, int32_t pid,
                    struct syc_slot *ret_slot);

/** Release a slot without frames.  Context: any-thread, signal-safe. */
void syc_arena_unclaim(const struct syc_slot *slot);

/**
 * Unmap an inherited arena that a forked child must not use.  The arena's front
 * becomes private memory of the child, because an interrupted function may
 * still store to the front.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_arena_forget(struct syc_arena *arena);

/** Context: any-thread, signal-safe; no thread uses @arena. */
void syc_arena_destroy(struct syc_arena *arena);

#endif
