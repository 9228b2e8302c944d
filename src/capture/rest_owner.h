/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest_owner.h - whether the process that a ring file belongs to still runs,
 * and who else may use the file now.
 *
 * A process holds an open file description lock on its file.  Forked
 * relatives inherit it, and may outlive the process with it.  So those who
 * use the file afterwards exclude each other by flock() locks, which the
 * process does not take; and whoever has one knows that the other lock is
 * the process', or its relatives'.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_REST_OWNER_H
#define SYC_CAPTURE_REST_OWNER_H

#include <stdbool.h>

#include "ring/ring_file.h"

/**
 * Keep those who recover from changing the ring file @fd, and with @all also
 * readers from reading it.  Waits a moment for those that are at it.  False:
 * they still are.
 */
bool syc_rest_owner_exclude(int fd, bool all);

/**
 * Somebody holds the process' lock; and it is not only a relative that
 * inherited the descriptor, of a process that is known to be gone.
 */
bool syc_rest_owner_lives(int fd, const struct syc_ring_file *facts);

/** Take the lock of the process, which is gone.  False: it is not. */
bool syc_rest_owner_replace(int fd, const struct syc_ring_file *facts);

#endif
