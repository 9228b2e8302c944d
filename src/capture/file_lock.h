/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_lock.h - locks of writers, and whether a file is in use.
 *
 * Each writer holds a record lock on a byte of its own behind the first byte.
 * Writers are processes that record themselves (selfrec/record_lock.h), and
 * commands.  The owner of the lock is the process, so that the kernel reports
 * its pid, and several processes hold theirs at once.
 *
 * The first byte is locked while a writer writes: by a self-recording process
 * for each batch, by a command until its end.  The owner of that lock is the
 * open file, because other descriptors of the file may be closed meanwhile.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_FILE_LOCK_H
#define SYC_CAPTURE_FILE_LOCK_H

#include <stdbool.h>

#include <syscap/capture.h>

/**
 * Take both locks on @fd.  0, also if the file system has no locks; or -EBUSY,
 * and @error names the holder.
 */
int syc_file_lock_take(int fd, struct syscap_error *error);

/** Whether any process holds a lock, and may be adding to the file. */
bool syc_file_lock_is_held(int fd);

/**
 * Whether another process has a lock on @fd, either behind the first byte or
 * anywhere.  0; or -EBUSY, and @error names the holder.
 */
int syc_file_lock_check_writers(int fd, struct syscap_error *error);
int syc_file_lock_check(int fd, struct syscap_error *error);

/** A process that has the file of @fd open for writing; 0: none is visible. */
int syc_file_lock_opener(int fd);

/*
 * Whether a process may still write to a file.
 *
 * Locks do not cover a file that is open and will be written later: by a shell
 * that has created it, by a process that has not emitted yet, by another kind
 * of writer.  Therefore the kernel is asked for a lease for reading, which it
 * grants only if no process has the file open for writing.
 *
 * Leases need the file's owner and a local file system.  Without leases and
 * locks, the answer is no.
 */

/**
 * Whether another process may still write to the file @path, because of its
 * locks or because it has the file open.  0, also if there is no file; or
 * -EBUSY.
 */
int syc_in_use_check(const char *path, struct syscap_error *error);

/**
 * The same, before @path is replaced or begun anew.  Unless @force, also
 * refuses, with -EEXIST, a capture whose killed process left frames in a ring
 * file.
 */
int syc_in_use_may_replace(const char *path, bool force,
                           struct syscap_error *error);

#endif
