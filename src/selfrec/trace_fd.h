/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_fd.h - write frames into the descriptor of SYSPROF_TRACE_FD.
 *
 * The descriptor is inherited and shared: several copies of this library,
 * relatives of the process, and whoever opened the same file may write there
 * too.  Nothing about it is changed that they would see (flags, offset).
 *
 *	regular files   opened anew through /proc where that can be done, so
 *	and memfds      that neither O_APPEND nor O_WRONLY of the shared
 *	                description matter.  Each batch is written at the end
 *	                of the file, under a record lock (record_lock.h); but
 *	                beside another library's writer (trace_beside.h) where
 *	                that writes
 *	pipes           opened anew too, not blocking, whatever the shared
 *	                description does; frames go in writes of at most
 *	                PIPE_BUF where they fit, under a record lock
 *	sockets         one process only, the first that writes, and of the
 *	                copies in it those of one number
 *
 * The header is written once.  A file that is neither empty nor a capture is
 * refused.  In a file a torn frame that a killed writer left behind is cut
 * off before anything is added.  Where the file system has no record locks
 * nothing is written: nobody could tell whether somebody else writes.  While
 * a file is open here, a lock tells the commands that it is in use.
 *
 * A named pipe has no place that tells of its header but the writers that
 * are alive: one that comes after all others have gone writes a header again.
 */
#ifndef SYC_SELFREC_TRACE_FD_H
#define SYC_SELFREC_TRACE_FD_H

#include <stdint.h>

#include "selfrec/batch.h"
#include "selfrec/trace.h"

/**
 * Get ready to write: check that the number is still the file that was
 * adopted, and open it anew.  0; or
 *	-ESTALE     it is another file now
 *	-EBUSY      a socket that another process, or a copy of another
 *	            number in this one, writes to
 *	-EPIPE      nobody reads the pipe; a socket that an earlier recording
 *	            of this process left within a frame
 *	-ENOLCK     the file system has no record locks
 *	-EACCES     not empty, and it can't be read any more
 *	-errno      no descriptor is free
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
int syc_trace_open(struct syc_trace *trace,
                   const struct syc_trace_target *target);

/**
 * Write @batch, or nothing.  Waits for the lock and for the reader of a pipe,
 * but not beyond its deadline (CLOCK_MONOTONIC); INT64_MAX: for a reader as
 * long as it takes.
 *
 * Returns 0; or nothing was written and
 *	-EAGAIN     the lock was not free, or the reader not ready, in time
 *	-ENOSPC, -EDQUOT, -EFBIG, -EIO   no room: may be tried again later.
 *	            In a file there was room for trace->fits bytes of it.
 *	-ENOLCK     the kernel is short of locks: may be tried again later
 *	-EPIPE      the reader is gone: never again
 *	-ESTALE     the descriptor is another file now: somebody closed ours
 *	-EBUSY      another library writes to it, and it can't be shared
 *	-EBADMSG    somebody made it something that is not a capture
 *	-EACCES     others write to it too, and we can't read what
 *	-EINVAL     those are no frames (streams only)
 *	-ECANCELED  it was shut: the process is about to end without us
 * A file's gate is BUSY behind it, until syc_trace_leave().
 * Of a pipe and a socket: @batch->done bytes, whole frames, may have been
 * written before the failure.  A frame that a deadline cut in two counts as
 * written: what is left of it is kept here, and goes by the next call before
 * anything else, holding the lock meanwhile.  syc_trace_has_rest() tells;
 * with a size of 0 a call does nothing but that.
 *
 * Context: any-thread, signal-safe, errno is kept; one thread at a time per
 * trace, and always one of the same table of descriptors while there is a
 * rest.  Between syc_write_nosignal_begin() and syc_write_nosignal_end().
 */
int syc_trace_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Have a file's lock that tells others who writes there, in the table of
 * descriptors that the caller has now.  Opening and each write do so.
 *
 * Context: any-thread, signal-safe.
 */
void syc_trace_hold(struct syc_trace *trace);

/**
 * The same for a process whose frames somebody else writes there: by a lock of
 * the program's own descriptor.  It goes if the program closes one of the file;
 * then the process has none until it writes itself.
 *
 * Context: any-thread, signal-safe.
 */
void syc_trace_hold_target(const struct syc_trace_target *target);

/**
 * Close what syc_trace_open() opened, unless somebody else did and uses its
 * number.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
void syc_trace_close(struct syc_trace *trace);

#endif
