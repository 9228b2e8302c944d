/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_arena.h - the peer's half of an arena's handover: only for peer.c. */
#ifndef SYSCAP_PEER_ARENA_H
#define SYSCAP_PEER_ARENA_H

#include "harness/peer.h"

/** Check the received @fd like a recorder that trusts no client, and keep the
 * fd. */
void peer_arena_take(struct peer *peer, int fd);

/** Make rings of newly claimed slots. */
void peer_arena_find_rings(struct peer *peer);

/** Give back drained ENDED slots. */
void peer_arena_give_back(struct peer *peer);

void peer_arena_free(struct peer *peer);

/** peer.c defines this function. */
struct peer_ring *peer_add_ring(struct peer *peer);

#endif
