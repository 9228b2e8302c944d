/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_use.h - whether somebody may still write to a file.
 *
 * Who writes a capture of ours holds a lock on it (capture/file_lock.h).  Locks tell
 * nothing of those that have the file open and write later: a shell that has
 * made it for others, a process that has not emitted yet, a writer that is
 * not ours.  About them the kernel is asked: it grants no lease for reading
 * on a file that anybody has open for writing.
 *
 * Leases are for the file's owner, and for local file systems.  Where there
 * are neither leases nor locks, nothing is known, and the answer is no.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_IN_USE_H
#define SYC_CAPTURE_IN_USE_H

#include <stdbool.h>

#include <syscap/capture.h>

/**
 * Whether another process may still write to what is at @path: by locks, or
 * because it has the file open.  0, also where there is no file; or -EBUSY.
 */
int syc_in_use_check(const char *path, struct syscap_error *error);

/**
 * The same, asked before @path is replaced or begun anew.  Also refused, with
 * -EEXIST: what its process, that was killed, left in a ring file belongs
 * into it; unless @force.
 */
int syc_in_use_may_replace(const char *path, bool force,
                           struct syscap_error *error);

#endif
