/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink.h - sinks of a recording without a recorder, and the locks and headers of
 * a capture for every writer of this library.
 *
 * A sink is a capture file that the process makes (output.c), or the fd of
 * SYSPROF_TRACE_FD (trace_*.c).
 */
#ifndef SYC_SESSION_SINK_H
#define SYC_SESSION_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

#include "ring/arena.h"
#include "ring/ring_file.h"

/** Frames on their way from the rings into a sink. */
struct syc_batch {
	const unsigned char *frames; /* whole frames */
	uint64_t size;
	/* Positions of the frames in the rings, for the journal */
	const struct syc_ring_journal_part *parts;
	unsigned n_parts;
	/* Journal to fill in before the write to a file; NULL: none.  The first
	 * record_len bytes are a loss record, see ring/ring_file.h */
	struct syc_ring_journal *journal;
	uint32_t record_len, told_slot;
	const struct syc_ring_losses *told;
	int64_t time;     /* ns: start of the capture, for its header */
	int64_t now;      /* ns: end of the capture, for a file's header */
	int64_t deadline; /* ns: end of all waits */
	uint64_t done;    /* output: number of written bytes, whole frames */
};

/** The value of little_endian in captures of this machine. */
#define SYC_TRACE_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/**
 * Fill @header for a capture that begins at @time (ns, CLOCK_MONOTONIC).  Reads
 * the wall clock.
 *
 * Context: any-thread, signal-safe.
 */
void syc_file_header_fill(struct syscap_wire_file *header, int64_t time);

/** Owner of a lock. */
enum syc_record_owner {
	SYC_RECORD_TABLE, /* the thread's fd table */
	SYC_RECORD_FILE,  /* the open file, to which only this library's fds
	                   * refer */
};

/*
 * Record locks: each write locks the first byte (trace_fd.c).  The bytes after
 * the first byte are for facts.  A process that knows a fact locks any of these
 * bytes until its end.  For a pipe the fact is that the pipe has a header.  For
 * a file the fact is that the holder may still write to the file.  The commands
 * test these locks before they replace or append (capture/files.h).  If the
 * lock belongs to a table, fcntl() gives the commands the holder's pid.
 *
 * Context of these functions: any-thread, signal-safe.
 */

/** Return whether an owner other than @owner holds a fact. */
bool syc_record_fact_is_known(int fd, enum syc_record_owner owner);

/**
 * Hold a fact at *@at, or at another place if this place is taken.  *@at is 0
 * at first, and becomes the fact's place.  A repeated call takes a lost lock
 * again.  Returns 0 or -ENOLCK.
 */
int syc_record_fact_keep(int fd, enum syc_record_owner owner, int64_t *at);

/** Store in the journal that @batch is about to be written at @offset of a
 * file. */
static inline void syc_journal_begin(const struct syc_batch *batch,
                                     uint64_t offset)
{
	struct syc_ring_journal *const j = batch->journal;

	if (j == NULL)
		return;
	j->n = batch->n_parts;
	for (unsigned i = 0; i < batch->n_parts; i++)
		j->parts[i] = batch->parts[i];
	j->offset = offset;
	j->length = batch->size;
	j->record_len = batch->record_len;
	j->told_slot = batch->told_slot;
	if (batch->record_len != 0) {
		j->told = *batch->told;
		__builtin_memcpy(j->record, batch->frames, batch->record_len);
	}
	__atomic_store_n(&j->state, SYC_JOURNAL_UNDER_WAY, __ATOMIC_RELEASE);
}

/** Return whether frames of this library can follow this header. */
static inline bool syc_trace_is_capture(const struct syscap_wire_file *header)
{
	return header->magic == SYSCAP_MAGIC &&
	       (header->little_endian & 1) == SYC_TRACE_IS_LITTLE;
}

/* ---------------------------------------------- a capture file: output.c */

/*
 * This process and its forked children write the capture file, and use one ring
 * file.
 *
 * The library opens or truncates no existing file.  If a name is taken, the
 * capture gets the suffix ".PID", then ".PID.2" and so on.  If the pattern has
 * %p, the suffixes begin with ".2".  The ring file is in
 * $XDG_RUNTIME_DIR/syscap or /dev/shm, with mode 0600.  If neither is a tmpfs,
 * the ring file is next to the capture.  ring/ring_file.h has the protocol by
 * which each batch arrives exactly once.
 *
 * Only the holder of the arena's lock writes.  Context of all functions, unless
 * a comment states setup: any-thread, signal-safe, between
 * syc_write_nosignal_begin() and syc_write_nosignal_end().
 */

#define SYC_OUTPUT_PATH_MAX 4096u

/** The requested file, determined at start and inherited by forks. */
struct syc_output_target {
	char pattern[SYC_OUTPUT_PATH_MAX]; /* absolute */
	char runtime_dir[1024];            /* "": none */
	char program[64];
	uint64_t max_bytes; /* 0: no limit */
};

/**
 * Fill @target.  @pattern may be relative to the current directory.  %p is the
 * pid, %n the program's name, and %% is %.  Returns 0, -ENAMETOOLONG, -EINVAL
 * (empty pattern, or another %), or -errno.
 *
 * Context: setup.
 */
int syc_output_choose(struct syc_output_target *target, const char *pattern,
                      const char *runtime_dir, const char *program);

/** Places of a ring file, in the order of attempts. */
enum syc_ring_place {
	SYC_RING_PLACE_RUNTIME,
	SYC_RING_PLACE_SHM,
	SYC_RING_PLACE_BESIDE,
	SYC_RING_PLACES
};

struct syc_output {
	int fd;      /* fd of the capture; -1: none */
	int ring_fd; /* fd of the ring file; -1: none */
	dev_t dev, ring_dev;
	ino_t ino, ring_ino;
	uint64_t max_bytes;
	uint64_t known_end;      /* greatest batch end seen so far */
	uint64_t fits;           /* see syc_output_write() */
	bool is_journal_damaged; /* a related process has overwritten the
	                          * journal's end */
	bool is_on_disk; /* the ring file is on a disk: emits may wait */
	char path[SYC_OUTPUT_PATH_MAX + 32];
	char ring_path[SYC_OUTPUT_PATH_MAX + 64];
};

/** Make the empty capture.  ring_fd stays unchanged.  Returns 0 or -errno. */
int syc_output_create(struct syc_output *output,
                      const struct syc_output_target *target, int32_t pid);

/**
 * Make the ring file at @place, empty and locked, and set ring_fd.  Returns 0;
 * -ENODEV: the place does not exist, or is not a tmpfs; or -errno.
 */
int syc_output_create_rings(struct syc_output *output,
                            const struct syc_output_target *target, int32_t pid,
                            enum syc_ring_place place);

/** Remove the ring file. */
void syc_output_drop_rings(struct syc_output *output);

/**
 * Store the owner of the rings in @front, the mapped start of the ring file,
 * which contains @arena.  Begin the capture: the header, PROCESS, the frame that
 * names the ring file, and, if @is_flight, the mode.  The journal's `end` becomes the capture's size.
 * Other processes may read the ring file from then on.  @scratch has
 * SYC_OUTPUT_SCRATCH bytes.  Returns 0 or -errno.
 */
#define SYC_OUTPUT_SCRATCH 8192u
int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_arena *arena, int32_t pid, int64_t now,
                     unsigned char *scratch, bool is_flight);

/** Find the parent's capture in a forked child, by its fd or path.  Returns 0,
 * or -ESTALE if the capture's fd now refers to another file. */
int syc_output_join(struct syc_output *output);

/** Number of bytes that may still be written. */
static inline uint64_t syc_output_room(const struct syc_output *output,
                                       const struct syc_ring_journal *journal)
{
	if (output->max_bytes == 0)
		return UINT64_MAX;
	return output->max_bytes > journal->end
	               ? output->max_bytes - journal->end
	               : 0;
}

/**
 * Write @batch at the journal's end.  Returns 0 or -errno.  After 0 the caller
 * stores the rings' heads, and clears the journal.  After -errno no byte was
 * written, and output->fits bytes of the batch would have fit.
 */
int syc_output_write(struct syc_output *output, struct syc_batch *batch);

/** Repair a capture whose writer died during a batch.  *@ret_is_in: the batch
 * is in the capture. The function cuts off an incomplete batch.  Returns 0;
 * -EUCLEAN: a related process has overwritten the journal, which is usable
 * again; or -errno. */
int syc_output_repair(struct syc_output *output,
                      struct syc_ring_journal *journal, bool *ret_is_in);

/**
 * Close both files.  @is_whole: the rings are empty, so remove the ring file.
 */
void syc_output_close(struct syc_output *output, bool is_whole);

/* ------------------------------------- the fd of SYSPROF_TRACE_FD: trace_*.c */

/*
 * The fd is inherited and shared.  Copies of this library, related processes,
 * and other processes that opened the same file may write to the fd, too.  The
 * library changes none of the fd's shared attributes (flags, offset).
 *
 *	regular files   opened anew through /proc if possible, so that neither
 *	and memfds      O_APPEND nor O_WRONLY of the shared description
 *	                matters.  Each batch is written at the end of the file,
 *	                under a record lock.  If another library's writer
 *	                exists, batches are written at the shared position
 *	                (trace_file.c)
 *	pipes           opened anew, too, and non-blocking, whatever the flags
 *	                of the shared description are.  Frames that fit go in
 *	                writes of at most PIPE_BUF, under a record lock
 *	sockets         only for the first process that writes, and there only
 *	                for the copies with one ABI number
 *
 * The header is written once.  The library refuses a file that is neither empty
 * nor a capture.  If a killed writer left a torn frame in a file, the next
 * writer cuts the torn frame off.  If the file system has no record locks, no
 * frame is written, because the library could not detect another writer.  While
 * this process has a file open, a lock shows the commands that the file is in
 * use.
 *
 * Only living writers of a named pipe know that the pipe has a header.  A
 * writer that comes after the end of all other writers writes a header again.
 */

enum syc_trace_kind {
	SYC_TRACE_NONE = 0,
	SYC_TRACE_FILE,
	SYC_TRACE_PIPE,
	SYC_TRACE_SOCKET,
};

/** The fd of the trace, found at load time and inherited by forked children. */
struct syc_trace_target {
	int number;
	enum syc_trace_kind kind;
	dev_t dev;
	ino_t ino;
	int32_t pid; /* adopter of the fd; other processes use no socket */
};

/** One process' access to the trace.  Before syc_trace_open(), fd is -1, and
 * all other fields are zero. */
struct syc_trace {
	struct syc_trace_target target;
	int fd;     /* fd for writes */
	int shared; /* files: fd with the shared position; or -1 */
	enum syc_record_owner lock_owner; /* owner of the lock for each batch */

	/* Only trace_*.c uses the fields below. */
	bool can_read;      /* files: fd is readable */
	bool is_appending;  /* each write goes to the end of the file */
	bool is_unmarked;   /* the file's header has no space for the mark */
	bool never_blocks;  /* streams: a write to fd never blocks */
	bool can_mark_mode; /* a pipe's mode can mark its header */
	bool has_header;    /* the file or stream has a header */
	uint64_t end;       /* files: possible start of a frame; 0: unknown */
	int64_t began;      /* files: `time` in the header of the same file */
	/* files: end time in the header; 1: none yet; 0: none, and
	 * none will be written */
	int64_t end_time;
	int64_t fact_at;    /* see syc_record_fact_keep(); 0: none */
	uint64_t fits;      /* files: see syc_trace_write() */
	bool has_untold;    /* files: other writers left losses in the header */
	uint64_t n_emptied; /* unreported bytes of this writer that other
	                     * writers removed */
	uint32_t rest_at;   /* streams: [rest_at, rest_len) must still be
	                     * sent */
	uint32_t rest_len;
	unsigned char rest[65536];
};

/** Return whether part of a frame must still be written. */
static inline bool syc_trace_has_rest(const struct syc_trace *trace)
{
	return trace->rest_at < trace->rest_len;
}

/**
 * Check fd @number, which the environment names.  Returns NULL, and fills
 * @target; or the reason of a refusal (a static sentence).  The function
 * refuses fds that are not open or not writable, terminals and other devices,
 * and kernel interfaces.  The function also refuses sockets that are not
 * streams, or that another process writes to.  The function refuses non-empty
 * files that are not captures, or not readable.
 *
 * Context: setup.
 */
const char *syc_trace_adopt(int number, struct syc_trace_target *target);

/**
 * Prepare the trace: check that the fd is still the adopted file, and open the
 * file again.  Returns 0; or
 *	-ESTALE     the fd now refers to another file
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
 * until the batch's deadline (CLOCK_MONOTONIC).  INT64_MAX: waits for a reader
 * without a limit.
 *
 * Returns 0; or, if no byte was written,
 *	-EAGAIN     the lock was not free, or the reader not ready, in time
 *	-ENOSPC, -EDQUOT, -EFBIG, -EIO   no space: may be tried again later.
 *	            A file had space for trace->fits bytes of the batch.
 *	-ENOLCK     the kernel is short of locks: may be tried again later
 *	-EPIPE      the reader has ended: do not try again
 *	-ESTALE     the program closed the fd, whose number now refers to
 *	            another file
 *	-EBUSY      another library writes to the file, which can't be shared
 *	-EBADMSG    the file is not a capture any more
 *	-EACCES     other processes write to the file, which is unreadable
 *	-EINVAL     the batch has invalid frames (streams only)
 * For a pipe or a socket, @batch->done bytes, whole frames, may have been
 * written before the failure.  A frame that a deadline cut in two counts as
 * written: the trace keeps the frame's rest, and the lock.  The next call first
 * writes this rest.  syc_trace_has_rest() reports a rest.  A call with a size
 * of 0 writes only the rest.
 *
 * Context: any-thread, signal-safe, errno is kept; between
 * syc_write_nosignal_begin() and syc_write_nosignal_end().  Only one thread at
 * a time may write to a trace.  While there is a rest, all calls must use the
 * same fd table.
 */
int syc_trace_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Close the fds that syc_trace_open() opened, unless the program has closed
 * these fds and reused their numbers.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
void syc_trace_close(struct syc_trace *trace);

/** Return whether the header has the mark of this library's writers. */
bool syc_trace_file_has_mark(const struct syscap_wire_file *header);

/**
 * Like syc_trace_write(), for a file.  Writes all or nothing, unless another
 * library's writer exists.  @reader is a readable fd of the file, or -1.
 *
 * Context: signal-safe, inside the record lock.
 */
int syc_trace_file_write(struct syc_trace *trace, int reader,
                         struct syc_batch *batch);

/**
 * Like syc_trace_write(), for a pipe or a socket.
 *
 * Context: signal-safe, inside the record lock of a pipe; sockets have no lock.
 */
int syc_trace_stream_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Claim a socket.  Returns 0; -EBUSY: another process, or this process before
 * an exec, has claimed the socket; -EPIPE: an earlier recording stopped within
 * a frame; or -errno.
 *
 * Context: signal-safe.
 */
int syc_trace_stream_claim(struct syc_trace *trace);

#endif
