/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * share.h - the block of all copies of the library in the process: made and
 * published by the first that records, adopted by the others (copies/).
 */
#ifndef SYC_EMIT_SHARE_H
#define SYC_EMIT_SHARE_H

#include <stdbool.h>

#include "copies/block.h"
#include "emit/control.h"

/** What the C library is to call. */
struct syc_share_hooks {
	void (*on_thread_exit)(void *state);
	void (*on_fork)(void); /* before it */
	void (*on_child)(void);
	void (*on_quick_exit)(void);
};

/**
 * Act as one with the copy that has entered this one.  False: none has.  Again
 * and again: no harm.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_share_adopt(void);

/** Act as one with any copy that has a block.  False: there is none, or this
 * one works alone.  Context: setup. */
bool syc_share_find(void);

/**
 * The same, but make the block where there is none: of the ways to a recorder,
 * what it wants to have handed over, and of the environment's plan.  Whoever makes it has @hooks called for all copies.
 * 0 or -ENOMEM.
 *
 * Context: setup; one thread at a time.
 */
int syc_share_found(const struct syc_control_socket *control,
                    const struct sockaddr_un *recorder, uint32_t arena_body,
                    const struct syc_destination *environment,
                    const struct syc_share_hooks *hooks);

/** Other copies find this one's block, or may.  any-thread, signal-safe. */
bool syc_share_works(void);

/** A sentence, or "".  any-thread, signal-safe. */
const char *syc_share_why_alone(void);

#endif
