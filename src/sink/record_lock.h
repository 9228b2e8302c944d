/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_lock.h - one writer at a time, among processes.
 *
 * A POSIX record lock on the first byte: its owner is the process' table of
 * descriptors, so relatives that share an open file exclude each other (a
 * lock of the open file would not), and it goes with a process that is
 * killed.  It also goes when the owner closes any descriptor of the file.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SC_RECORD_LOCK_H
#define SC_RECORD_LOCK_H

#include <stdint.h>

/**
 * Take the lock of @fd, waiting until @deadline (ns, CLOCK_MONOTONIC).  0, also
 * where the file system has no locks; -EAGAIN: not in time; or -errno.
 */
int sc_record_lock(int fd, int64_t deadline);
void sc_record_unlock(int fd);

#endif
