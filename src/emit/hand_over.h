/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over.h - the arenas that a process makes for its recorder.
 *
 * Where the recorder is ours for certain and asks for that, the process makes its
 * rings itself, all in one memfd, and hands that over in one message, which nobody
 * answers: docs/protocol.md.  It is made with the first event.  If it can't be
 * sent just then, events go into it all the same, and it is sent later, ever more
 * rarely tried.  A child that is forked when it has been sent uses it too; any
 * other makes one of its own.  When all slots are taken another is made and handed
 * over, so that most processes have few addresses taken.
 */
#ifndef SYC_EMIT_HAND_OVER_H
#define SYC_EMIT_HAND_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/arena.h"

/** A first event makes an arena, and hands it over.  Context: any-thread,
 * signal-safe. */
bool syc_hand_over_is_wanted(void);

/**
 * Claim a slot for @pid in what there is, or in what is made and sent for it.
 * 0, or -errno: there is none, and rings are asked for.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
int syc_hand_over_claim(int32_t pid, struct syc_slot *ret_slot);

/** In a forked child that begins to emit: whether the parent's may be used.
 * Context: setup of the child, signal-safe. */
void syc_hand_over_begin_child(void);

#endif
