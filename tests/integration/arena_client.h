/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_client.h - a client that hands its arena over, for tests of the
 * recorder.  The arena has the library's layout (ring/arena.h), and callers may
 * do anything with the arena.  A claimed slot is a ring like any other
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
	int fd; /* fd of the memfd; -1 after the handover */
};

#define ARENA_CLIENT_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/** Make an arena of @n_slots rings of @body bytes, with the command line @told,
 * and add @seals after setting the size. */
void arena_client_make(struct arena_client *client, uint32_t body,
                       uint32_t n_slots, int seals, const char *told);

/** Send @word with @fd (-1: without) over the inherited socket.  False: the
 * socket is full. */
bool arena_client_send(const char *word, int fd);
/** Send @word over a socket found by name, like arena_client_send(). */
bool arena_client_send_by_name(const char *word, int fd);

/** Sends the arena; tries again until the socket has space. */
void arena_client_hand_over(struct arena_client *client);

/** Makes and hands over an arena with this program's command line. */
void arena_client_open(struct arena_client *client);

/** Claim a slot and make the slot LIVE; false: all slots are taken. */
bool arena_client_claim(const struct arena_client *client,
                        struct ring_client *ret_ring,
                        struct syc_slot *ret_slot);

/** Writes the end marker, and makes the slot ENDED. */
void arena_client_leave(struct ring_client *ring, struct syc_slot *slot);

#endif
