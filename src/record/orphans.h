/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orphans.h - rings that no process has mapped any more.
 *
 * That a ring's owner died does not say that its ring is over: a forked
 * child of a stock client goes on writing to its parent's ring.  What does
 * say it is /proc/PID/maps of all processes that started after us; older
 * ones cannot have inherited a ring.
 */
#ifndef SYC_RECORD_ORPHANS_H
#define SYC_RECORD_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/drain.h"
#include "record/processes.h"

/** A ring, or an arena, whose owner died or runs another program. */
struct syc_orphan {
	ino_t inode;
	unsigned *unmapped_for; /* looks in a row that found nobody with it */
	bool is_mapped;
};

bool syc_orphans_is_suspect(const struct syc_ring *ring,
                            const struct syc_processes *processes);

/**
 * Count up unmapped_for of those of the @suspects that nobody maps and set it
 * to 0 for all others.  Returns how many were found.
 */
size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes);

#endif
