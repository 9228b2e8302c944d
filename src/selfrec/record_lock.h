/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_lock.h - one writer at a time, among processes and within one.
 *
 * A lock on the first byte.  Relatives of a process, and copies of the library
 * in it that know nothing of each other, write to the same file or pipe: so it
 * belongs to the open file, where that is the caller's own.  Where the file
 * can't be opened anew, which takes /proc, it belongs to the thread's table of
 * descriptors: relatives exclude each other still, but not two who share the
 * table.  That kind also goes when any descriptor of the file in the table is
 * closed: a drain thread has a table of its own; without one the program's
 * close() of its own number ends the lock early.
 *
 * Either goes with a process that is killed; one of the open file when no child
 * that was forked while it was held is left, either.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SYC_SELFREC_RECORD_LOCK_H
#define SYC_SELFREC_RECORD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Whose a lock is. */
enum syc_record_owner {
	SYC_RECORD_TABLE, /* the thread's table of descriptors */
	SYC_RECORD_FILE, /* the open file: nobody else's descriptor leads there */
};

/** 0; or -ENOLCK: there are no such locks on @fd. */
int syc_record_lock_probe(int fd, enum syc_record_owner owner);

/**
 * Take the lock of @fd, waiting until @deadline (ns, CLOCK_MONOTONIC).  0;
 * -EAGAIN, not in time; or -ENOLCK.
 */
int syc_record_lock(int fd, enum syc_record_owner owner, int64_t deadline);
void syc_record_unlock(int fd, enum syc_record_owner owner);

/*
 * The bytes behind the first are for facts: whoever knows one holds any of
 * them for as long as it lives.  Of a pipe the fact is that it has a header.
 * Of a file it is that its holder may still write to it: the commands ask for
 * these locks before they replace or append (capture/files.h), and fcntl()
 * tells them who it is, if they are a table's.
 */

/** Whether anybody but @owner holds one. */
bool syc_record_fact_is_known(int fd, enum syc_record_owner owner);

/**
 * Hold one at *@at, or at another place if that is taken; *@at becomes where
 * it is held, and is 0 at first.  Done again it makes sure that it was not
 * lost.  0 or -ENOLCK.
 */
int syc_record_fact_keep(int fd, enum syc_record_owner owner, int64_t *at);

#endif
