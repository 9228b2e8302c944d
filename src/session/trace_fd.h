/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_fd.h - writer of frames to the fd of SYSPROF_TRACE_FD.
 *
 * The fd is inherited and shared.  Copies of this library, relatives of the
 * process, and other processes that opened the same file may write to it, too.
 * We change none of its shared attributes (flags, offset).
 *
 *	regular files   opened anew through /proc if possible, so that neither
 *	and memfds      O_APPEND nor O_WRONLY of the shared description
 *	                matters.  Each batch is written at the end of the file,
 *	                under a record lock (record_lock.h); but beside another
 *	                library's writer at its position (trace_beside.h)
 *	pipes           opened anew, too, non-blocking, for any flags of the
 *	                shared description; frames go in writes of at most
 *	                PIPE_BUF if they fit, under a record lock
 *	sockets         only for the first process that writes, and in it for
 *	                the copies of one ABI number
 *
 * The header is written once.  A file that is neither empty nor a capture is
 * refused.  In a file a torn frame that a killed writer left behind is cut
 * off before frames are added.  If the file system has no record locks, no
 * frame is written: another writer could not be noticed.  While a file is open
 * here, a lock shows the commands that the file is in use.
 *
 * Only living writers of a named pipe know that it has a header.  A writer that
 * comes after the end of all other writers writes a header again.
 */
#ifndef SYC_SESSION_TRACE_FD_H
#define SYC_SESSION_TRACE_FD_H

#include <stdint.h>

#include "session/batch.h"
#include "session/trace.h"

/**
 * Get ready to write: check that the fd is still the adopted file, and open
 * the file anew.  Returns 0; or
 *	-ESTALE     the fd is another file now
 *	-EBUSY      another process, or a copy with another ABI number in this
 *	            process, writes to the socket
 *	-EPIPE      the pipe has no reader; or an earlier recording of this
 *	            process left the socket within a frame
 *	-ENOLCK     the file system has no record locks
 *	-EACCES     the file is not empty, and can't be read any more
 *	-errno      no fd is free
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
int syc_trace_open(struct syc_trace *trace,
                   const struct syc_trace_target *target);

/**
 * Write @batch, or nothing.  Waits for the lock and for the reader of a pipe,
 * until the batch's deadline (CLOCK_MONOTONIC); INT64_MAX: waits for a reader
 * without a limit.
 *
 * Returns 0; or, if no byte was written,
 *	-EAGAIN     the lock was not free, or the reader not ready, in time
 *	-ENOSPC, -EDQUOT, -EFBIG, -EIO   no space: may be tried again later.
 *	            A file had space for trace->fits bytes of the batch.
 *	-ENOLCK     the kernel is short of locks: may be tried again later
 *	-EPIPE      the reader is gone: do not try again
 *	-ESTALE     the program closed our fd: its number is another file now
 *	-EBUSY      another library writes to the file, which can't be shared
 *	-EBADMSG    the file is no capture any more
 *	-EACCES     others write to the file, too, and we can't read it
 *	-EINVAL     the batch has invalid frames (streams only)
 *	-ECANCELED  the gate was shut: the process is about to end without us
 * After the call a file's gate is BUSY, until syc_trace_leave().
 * For a pipe and a socket: @batch->done bytes, whole frames, may have been
 * written before the failure.  A frame that a deadline cut in two counts as
 * written: the trace keeps the frame's rest, and the lock.  The next call first
 * writes this rest.  syc_trace_has_rest() reports a rest; a call with a size of
 * 0 writes only the rest.
 *
 * Context: any-thread, signal-safe, errno is kept; one thread at a time per
 * trace, and while there is a rest, always from the same fd table.  Between
 * syc_write_nosignal_begin() and syc_write_nosignal_end().
 */
int syc_trace_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Take the lock that shows a file's writer to other processes, in the caller's
 * present fd table.  syc_trace_open() and each write do this, too.
 *
 * Context: any-thread, signal-safe.
 */
void syc_trace_hold(struct syc_trace *trace);

/**
 * Take the lock of syc_trace_hold(), on the program's own fd, for a process
 * whose frames another process writes.  The lock ends if the program closes any
 * fd of the file; then the process has no lock until it writes itself.
 *
 * Context: any-thread, signal-safe.
 */
void syc_trace_hold_target(const struct syc_trace_target *target);

/**
 * Close the fds that syc_trace_open() opened, unless the program has closed
 * them, and uses their numbers.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
void syc_trace_close(struct syc_trace *trace);

#endif
