/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_arena.h - the peer's half of handing over an arena: for peer.c alone. */
#ifndef SYSCAP_PEER_ARENA_H
#define SYSCAP_PEER_ARENA_H

#include "harness/peer.h"

/** @fd came: look at it as a recorder does that believes nobody, and keep it. */
void peer_arena_take(struct peer *peer, int fd);

/** Slots that were claimed since become rings of the peer. */
void peer_arena_find_rings(struct peer *peer);

/** Give ENDED ones back that were drained. */
void peer_arena_give_back(struct peer *peer);

void peer_arena_free(struct peer *peer);

/** peer.c */
struct peer_ring *peer_add_ring(struct peer *peer);

#endif
