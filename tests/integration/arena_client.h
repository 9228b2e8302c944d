/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_client.h - a client that hands its arena over, for tests of the
 * recorder: the layout is the library's (ring/arena.h), and what is done with
 * it the caller's.  A slot that was claimed is a ring as any other's
 * (ring_client.h).
 */
#ifndef SYSCAP_ARENA_CLIENT_H
#define SYSCAP_ARENA_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "integration/ring_client.h"
#include "ring/arena.h"

struct arena_client {
	struct syc_arena arena;
	int fd; /* of the memfd; -1 once it was handed over */
};

#define ARENA_CLIENT_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/** Make one with rings of @body bytes, of the command line @told; @seals, once
 * its size is that of @n_slots. */
void arena_client_make(struct arena_client *client, uint32_t body,
                       uint32_t n_slots, int seals, const char *told);

/** Send @word with @fd (-1: without) over the inherited socket.  False: there
 * is no room for it now. */
bool arena_client_send(const char *word, int fd);
/** The same by name. */
bool arena_client_send_by_name(const char *word, int fd);

/** Until it was sent. */
void arena_client_hand_over(struct arena_client *client);

/** All at once, as most do, with its own command line. */
void arena_client_open(struct arena_client *client);

/** Claim a slot, and have it LIVE; false: all are taken. */
bool arena_client_claim(const struct arena_client *client,
                        struct ring_client *ret_ring,
                        struct syc_slot *ret_slot);

/** The end marker; then the slot is ENDED. */
void arena_client_leave(struct ring_client *ring, struct syc_slot *slot);

#endif
