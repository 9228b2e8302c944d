/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.h - a descriptor that frames are written into (trace_fd.h), and what is
 * known of it; not for others than trace_*.c to change. */
#ifndef SYC_SELFREC_TRACE_H
#define SYC_SELFREC_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

#include "selfrec/record_lock.h"

enum syc_trace_kind {
	SYC_TRACE_NONE = 0,
	SYC_TRACE_FILE,
	SYC_TRACE_PIPE,
	SYC_TRACE_SOCKET,
};

/** Who may write to it: while it is BUSY who drains does, from when it has the
 * lock until the rings know what is written; nobody any more when it is SHUT. */
enum {
	SYC_TRACE_OPEN = 0,
	SYC_TRACE_BUSY,
	SYC_TRACE_SHUT,
};

/** Which descriptor: found at load time, inherited by forks. */
struct syc_trace_target {
	int number;
	enum syc_trace_kind kind;
	dev_t dev;
	ino_t ino;
	int32_t pid; /* adopted it: sockets are for that process alone */
};

/** One process' way to it.  All zero but fd = -1 before syc_trace_open(). */
struct syc_trace {
	struct syc_trace_target target;
	int fd;     /* what is written to */
	int shared; /* files: as others have it, with its position; or -1 */
	enum syc_record_owner lock_owner; /* of the lock for each batch */

	/* The rest is of trace_*.c. */
	bool can_read;      /* fd, of a file */
	bool is_appending;  /* each write goes to the end of the file */
	bool is_unmarked;   /* the file's header has no room for our mark */
	bool never_blocks;  /* a write to fd, of a stream */
	bool can_mark_mode; /* a pipe's own mode says that it has a header */
	bool has_header;    /* the file's, or the stream's, is there */
	uint64_t end;       /* files: where a frame may begin; 0: unknown */
	int64_t began;      /* files: `time` of the header that end is of */
	int64_t end_time;   /* files: what the header says */
	int64_t fact_at;    /* see record_lock.h; 0: none */
	uint64_t fits;      /* files: see syc_trace_write() */
	uint32_t gate;      /* files: SYC_TRACE_OPEN, _BUSY, _SHUT */
	bool has_untold;    /* files: the header had losses that others left */
	uint64_t n_emptied; /* bytes of ours that others took away, untold */
	uint32_t rest_at;   /* streams: [rest_at, rest_len) is on its way */
	uint32_t rest_len;
	unsigned char rest[65536];
};

/** Whether part of a frame is still to be written. */
static inline bool syc_trace_has_rest(const struct syc_trace *trace)
{
	return trace->rest_at < trace->rest_len;
}

/** Who drains begins to write, or to lose what it can't, and is done.  False:
 * it is shut. */
static inline bool syc_trace_enter(struct syc_trace *trace)
{
	uint32_t is = SYC_TRACE_OPEN;

	return __atomic_compare_exchange_n(&trace->gate, &is, SYC_TRACE_BUSY,
	                                   false, __ATOMIC_ACQUIRE,
	                                   __ATOMIC_ACQUIRE) ||
	       is == SYC_TRACE_BUSY;
}

static inline void syc_trace_leave(struct syc_trace *trace)
{
	uint32_t is = SYC_TRACE_BUSY;

	__atomic_compare_exchange_n(&trace->gate, &is, SYC_TRACE_OPEN, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/** Nothing is written from here on.  SYC_TRACE_OPEN: it was until now; or what
 * it is. */
static inline uint32_t syc_trace_shut(struct syc_trace *trace)
{
	uint32_t is = SYC_TRACE_OPEN;

	__atomic_compare_exchange_n(&trace->gate, &is, SYC_TRACE_SHUT, false,
	                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return is;
}

/** Whether frames of ours can follow this header. */
static inline bool syc_trace_is_capture(const struct syscap_wire_file *header)
{
	return header->magic == SYSCAP_MAGIC && (header->little_endian & 1);
}

#endif
