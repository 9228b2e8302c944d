/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_lock.h - one writer at a time, among processes.
 *
 * A POSIX record lock on the first byte: its owner is the thread's table of
 * descriptors, so relatives that share an open file exclude each other (a
 * lock of the open file would not), and it goes with a process that is
 * killed.  It also goes when any descriptor of the file in that table is
 * closed: a drain thread has a table of its own; without one the program's
 * close() of its own number ends the lock early.  Two copies of the library
 * that share the program's table don't exclude each other at all.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SC_RECORD_LOCK_H
#define SC_RECORD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/** 0; or -ENOLCK, the file system of @fd has no record locks. */
int sc_record_lock_probe(int fd);

/**
 * Take the lock of @fd, waiting until @deadline (ns, CLOCK_MONOTONIC).  0;
 * -EAGAIN, not in time; or -ENOLCK.
 */
int sc_record_lock(int fd, int64_t deadline);
void sc_record_unlock(int fd);

/*
 * The bytes behind the first are for facts: whoever knows one holds any of
 * them for as long as it lives.  Of a pipe the fact is that it has a header.
 * Of a file it is that its holder may still write to it: the commands ask for
 * these locks before they replace or append (capture/in_use.h), and fcntl()
 * tells them who it is.
 */

/** Whether another table of descriptors holds one. */
bool sc_record_fact_is_known(int fd);

/**
 * Hold one at *@at, or at another place if that is taken; *@at becomes where
 * it is held, and is 0 at first.  Done again it makes sure that it was not
 * lost.  0 or -ENOLCK.
 */
int sc_record_fact_keep(int fd, int64_t *at);

#endif
