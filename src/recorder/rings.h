/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.h - all rings of a recording, and the names of their threads.
 *
 * A ring ends with its writer's end marker, with malformed content, or with the
 * recording.  It also ends when no process has it mapped any more: its owner
 * died or exec'ed, and no forked child uses it.  A slot of an arena ends with
 * its thread or process.
 *
 * The writer of a ring names its thread when it gets the ring.  Later names are
 * from the kernel, /proc/PID/task/TID/comm.  The recorder reads it at the
 * begin, once a second, and at the end of the ring if the thread still lives.
 * In a pid namespace only the first name is known, because thread ids differ
 * there.
 */
#ifndef SYC_RECORDER_RINGS_H
#define SYC_RECORDER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "recorder/arenas.h"
#include "recorder/drain.h"
#include "recorder/intake.h"
#include "recorder/ring_owner.h"

/** A process that had ended or exec'ed when it was registered. */
struct syc_rings_past {
	int32_t pid;
	bool goes_on;
};

struct syc_rings {
	struct syc_intake *intake;
	uint32_t body; /* bytes of a new ring's body */
	unsigned max;  /* live at once */
	bool limit_said;
	uint64_t refused; /* requests without resources for a ring */
	SYC_ARRAY(struct syc_ring *) live; /* including slots */
	struct syc_arenas arenas;
	bool is_looking;       /* for slots that came into use */
	int64_t crowded_until; /* no examination before this time: one process
	                        * has too many */
	SYC_ARRAY(struct syc_orphan) suspects;
	SYC_ARRAY(struct syc_rings_past) past;
	size_t next_named;     /* the next one whose name is read */
	unsigned char *buffer; /* for syc_drain() */
};

/** Result of a pass over the rings. */
struct syc_rings_pass {
	bool any;   /* something was drained */
	bool brisk; /* ... a sixteenth of a ring or more */
	bool busy; /* a ring filled so fast that the recorder should not wait */
};

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max);
void syc_rings_free(struct syc_rings *rings);

/**
 * Create a ring for @pid.  Returns an fd of its file, to be sent and closed.
 * -EAGAIN: the process hoards rings that it never uses.  Another -errno is
 * printed and counted.  @may_retry: -EMFILE is not, because the caller closes
 * fds and calls again.
 */
int syc_rings_create(struct syc_rings *rings, int32_t pid, bool may_retry);

/**
 * @pid hands an arena over in @fd, which stays the caller's; -1: the fd was
 * lost.
 */
void syc_rings_take(struct syc_rings *rings, int32_t pid, int fd);

/** Drain every ring once. */
void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass);

/** The same, for all frames that were there at its begin. */
void syc_rings_settle(struct syc_rings *rings);

/**
 * End the rings that no process maps.  @all_fetched: none is still on its way
 * to a process.  Looks into /proc only if necessary.
 */
void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched);

/**
 * Notify the clients, if possible, that their events are not read any more;
 * then drain all rings.
 */
void syc_rings_close(struct syc_rings *rings);

/** End all of them: the recording is over. */
void syc_rings_end_all(struct syc_rings *rings);

#endif
