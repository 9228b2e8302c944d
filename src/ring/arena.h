/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - the rings that a process makes for itself.
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
 * A slot gets all its pages when it is claimed, so that an emit neither faults
 * nor meets a full file system.  A sparse one gets its header's only, and
 * whoever writes into it asks syc_arena_provide() first: for forked children,
 * most of which have few events.
 *
 * The arena's mapping is not inherited by forked children; the threads' own
 * are (an emit that a fork interrupted goes on in the child).
 */
#ifndef SYC_ARENA_H
#define SYC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring_file.h"

#define SYC_ARENA_BODY_MIN UINT32_C(65536)
#define SYC_ARENA_BODY_MAX UINT32_C(67108864)

struct syc_arena {
	unsigned char *base; /* the front; NULL: no arena */
	size_t size;
	uint32_t page, body, n_slots;
	bool populates;      /* slots are given their pages when claimed */
	uint32_t high_water; /* slots [0, high_water) have been claimed */
};

/**
 * Make an arena of rings of @body bytes (whole pages, SYC_ARENA_BODY_MIN to
 * _MAX), in the empty file @fd, or with -1 in memory.  Slot 0 is claimed.
 *
 * Returns 0 or -errno: -ENOSPC, there is no room for it; -ENOTSUP, @fd is -1
 * and slots could not be claimed: make a memfd.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_create(struct syc_arena *arena, int fd, uint32_t body,
                     bool is_sparse);

/** Slot @i, seen by the drainer: its header, with the body behind it. */
struct syc_ring_header *syc_arena_ring(const struct syc_arena *arena,
                                       uint32_t i);

static inline const unsigned char *
syc_arena_body(const struct syc_arena *arena,
               const struct syc_ring_header *ring)
{
	return (const unsigned char *)ring + arena->page;
}

/**
 * Claim a slot: its state is BUSY, head == tail, and *@ret_ring is the
 * caller's own mapping, to be undone with syc_ring_unmap().  @fd: the arena's
 * file; -1: do without.
 *
 * Returns 0; -EMFILE, all slots are taken; -ENOTSUP, it takes @fd; or -errno,
 * -ENOSPC: no room.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_claim(struct syc_arena *arena, int fd, bool is_sparse,
                    struct syc_ring_header **ret_ring);

/**
 * See to it that @size bytes at @from, in any mapping of a sparse slot, have
 * their pages.  0 or -errno, -ENOSPC: no room.
 *
 * Context: any-thread, signal-safe.
 */
int syc_arena_provide(void *from, size_t size);

/** Context: any-thread, signal-safe; nobody may be using @arena. */
void syc_arena_destroy(struct syc_arena *arena);

#endif
