/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_lock.h - a lock that admits one writer at a time, among processes and
 * within a process.
 *
 * The lock is a record lock on the first byte.  Relatives of a process, and
 * independent copies of the library in it, write to the same file or pipe.  So
 * the lock belongs to the open file, if the caller has opened the file anew.
 * If the file can't be opened anew, which takes /proc, the lock belongs to the
 * thread's fd table.  With a lock of a table, relatives still exclude each
 * other, but two threads that share the table do not.  A lock of a table also
 * ends when any fd of the file in this table is closed.  A drain thread has a
 * table of its own; without a drain thread the program's close() of its own fd
 * ends the lock early.
 *
 * A killed process loses its locks.  A lock of the open file ends only when all
 * children that were forked while the lock was held have ended, too.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_SESSION_RECORD_LOCK_H
#define SYC_SESSION_RECORD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Owner of a lock. */
enum syc_record_owner {
	SYC_RECORD_TABLE, /* the thread's fd table */
	SYC_RECORD_FILE,  /* the open file: only our own fds refer to it */
};

/** Returns 0; or -ENOLCK: @fd does not support such locks. */
int syc_record_lock_probe(int fd, enum syc_record_owner owner);

/**
 * Take the lock of @fd, waiting until @deadline (ns, CLOCK_MONOTONIC).  Returns
 * 0; -EAGAIN: not in time; or -ENOLCK.
 */
int syc_record_lock(int fd, enum syc_record_owner owner, int64_t deadline);
void syc_record_unlock(int fd, enum syc_record_owner owner);

/*
 * The bytes after the first are for facts: a process that knows a fact locks
 * any of these bytes until its end.  For a pipe the fact is that the pipe has a
 * header.  For a file the fact is that the holder may still write to the file.
 * The commands test these locks before they replace or append
 * (capture/files.h); fcntl() gives the commands the holder's pid, if the lock
 * is a table's.
 */

/** Whether an owner other than @owner holds a fact. */
bool syc_record_fact_is_known(int fd, enum syc_record_owner owner);

/**
 * Hold a fact at *@at, or at another place if this place is taken; *@at is 0 at
 * first, and becomes the fact's place.  A repeated call takes a lost lock
 * again.  Returns 0 or -ENOLCK.
 */
int syc_record_fact_keep(int fd, enum syc_record_owner owner, int64_t *at);

#endif
