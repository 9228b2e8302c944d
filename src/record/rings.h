/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.h - all rings of a recording.
 *
 * A ring ends with its writer's end marker, with malformed content, with the
 * recording, or when no process has it mapped any more: its owner died or
 * runs another program, and no forked child goes on with it.  One that is a
 * slot of an arena ends when its thread leaves it, or its process.
 */
#ifndef SYC_RECORD_RINGS_H
#define SYC_RECORD_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"
#include "record/arenas.h"
#include "record/drain.h"
#include "record/intake.h"
#include "record/orphans.h"

/** A process that was gone, or another program, when it was met. */
struct syc_rings_past {
	int32_t pid;
	bool goes_on;
};

struct syc_rings {
	struct syc_intake *intake;
	uint32_t body; /* bytes of a new ring's */
	unsigned max;  /* live at once */
	bool limit_said;
	uint64_t refused; /* requests that we had no means for */
	SYC_ARRAY(struct syc_ring *) live; /* with those that are slots */
	struct syc_arenas arenas;
	bool is_looking;       /* for slots that came into use */
	int64_t crowded_until; /* somebody has too many: not looked at before */
	SYC_ARRAY(struct syc_orphan) suspects;
	SYC_ARRAY(struct syc_rings_past) past;
	size_t next_named;     /* which is looked at for its name next */
	unsigned char *buffer; /* for syc_drain() */
};

/** What a pass over the rings found. */
struct syc_rings_pass {
	bool any;   /* something was drained */
	bool brisk; /* ... a sixteenth of a ring or more */
	bool busy;  /* a ring was filled so fast that we should not wait */
};

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max);
void syc_rings_free(struct syc_rings *rings);

/**
 * A ring for @pid.  Returns a descriptor of its file, to be sent and closed;
 * -EAGAIN where the process hoards rings that it never uses; or -errno, which
 * is said and counted.  @may_retry: but -EMFILE is not, as the caller closes
 * descriptors and asks again.
 */
int syc_rings_create(struct syc_rings *rings, int32_t pid, bool may_retry);

/** @pid hands an arena over in @fd, which stays the caller's; -1: it got lost. */
void syc_rings_take(struct syc_rings *rings, int32_t pid, int fd);

/** Drain every ring once. */
void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass);

/** The same, and nothing that was there when it began is left out. */
void syc_rings_settle(struct syc_rings *rings);

/**
 * End the rings that no process maps.  @all_fetched: none is still on its
 * way to a process.  Looks into /proc only where there is reason to.
 */
void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched);

/** Tell the clients that can be told that nothing more is read; then read what
 * there is. */
void syc_rings_close(struct syc_rings *rings);

/** End all of them: the recording is over. */
void syc_rings_end_all(struct syc_rings *rings);

#endif
