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

#include <stddef.h>

#include "record/drain.h"
#include "record/processes.h"

/**
 * Count up unmapped_for of the rings that nobody maps and set it to 0 for
 * all others.  /proc is read only when the owner of a ring died or runs
 * another program.  Returns how many were found.
 */
size_t syc_orphans_mark(struct syc_ring **rings, size_t n,
                        const struct syc_processes *processes);

#endif
