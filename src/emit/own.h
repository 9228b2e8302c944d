/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.h - recording by the process itself, as the rest of the library sees it.
 *
 * Emitting needs nothing of it: towards a recorder all that is linked is what
 * is below.  One pointer says what there is more, and the linker decides:
 * own_recording.c has it, unless the program defines it as NULL.
 */
#ifndef SYC_OWN_H
#define SYC_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/sink.h"

struct syc_ring_header;
struct syc_state;

/** What the drain thread is asked for, bits. */
enum {
	SYC_ASK_ROOM = 1,  /* a ring fills up */
	SYC_ASK_FLUSH = 2, /* syscap_drain() waits */
	SYC_ASK_STOP = 4,
	SYC_ASK_ENDED = 8, /* a thread is gone */
};

struct syc_own_recording {
	/* syc_plan_from_environment(), and what it found.  setup */
	enum syc_sink (*take_environment)(bool has_recorder,
	                                  const char **ret_why);
	const struct syc_destination *(*environment)(void);

	/* The rest: any-thread, signal-safe. */

	/* Claim a ring of @size bytes for @ts and call @begin with it; the
	 * session is made if this is its first event.  NULL, or why there is
	 * none: a sentence. */
	const char *(*connect)(struct syc_state *ts,
	                       void (*begin)(struct syc_state *ts,
	                                     struct syc_ring_header *ring,
	                                     uint32_t size));
	/* Get pages of a sparse ring: 0 or -errno. */
	int (*provide)(void *at, size_t n);
	/* syscap_drain() */
	int (*drain)(void);
	/* Ask the drain thread, if there is one. */
	void (*poke)(uint32_t ask);
	/* Somebody emits while the drain thread sleeps; false: nobody is to be
	 * woken, there is no session. */
	bool (*wake)(void);
	/* The bytes written, and where to. */
	uint64_t (*written)(char *path, size_t size);
	/* exit(), where there is a session. */
	void (*end)(void);
};

extern const struct syc_own_recording *const syc_own_recording;

static inline void syc_own_poke(uint32_t ask)
{
	if (syc_own_recording != NULL)
		syc_own_recording->poke(ask);
}

#endif
