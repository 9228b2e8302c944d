/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.h - the fd that frames are written to (trace_fd.h), and its state; only
 * trace_*.c changes it. */
#ifndef SYC_SESSION_TRACE_H
#define SYC_SESSION_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

#include "session/record_lock.h"

enum syc_trace_kind {
	SYC_TRACE_NONE = 0,
	SYC_TRACE_FILE,
	SYC_TRACE_PIPE,
	SYC_TRACE_SOCKET,
};

/** State of the gate to a file.  BUSY: the drainer writes, from the moment when
 * the drainer has the lock until the rings' positions include the written
 * bytes.  SHUT: no thread writes any more. */
enum {
	SYC_TRACE_OPEN = 0,
	SYC_TRACE_BUSY,
	SYC_TRACE_SHUT,
};

/** The fd of the trace, found at load time and inherited by forked children. */
struct syc_trace_target {
	int number;
	enum syc_trace_kind kind;
	dev_t dev;
	ino_t ino;
	int32_t pid; /* process that adopted the fd: only it may use a socket */
};

/** One process' access to the trace.  All zero but fd = -1 before
 * syc_trace_open(). */
struct syc_trace {
	struct syc_trace_target target;
	int fd;     /* fd for writes */
	int shared; /* files: fd with the shared position; or -1 */
	enum syc_record_owner lock_owner; /* owner of the lock for each batch */

	/* Only trace_*.c uses the fields below. */
	bool can_read;      /* files: fd is readable */
	bool is_appending;  /* each write goes to the end of the file */
	bool is_unmarked;   /* the file's header has no space for our mark */
	bool never_blocks;  /* streams: a write to fd never blocks */
	bool can_mark_mode; /* a pipe's mode can mark its header */
	bool has_header;    /* the file or stream has a header */
	uint64_t end;       /* files: possible begin of a frame; 0: unknown */
	int64_t began;      /* files: `time` in the header of the same file */
	int64_t end_time;   /* files: end time in the header */
	int64_t fact_at;    /* see record_lock.h; 0: none */
	uint64_t fits;      /* files: see syc_trace_write() */
	uint32_t gate;      /* files: SYC_TRACE_OPEN, _BUSY, _SHUT */
	bool has_untold;    /* files: other writers left losses in the header */
	uint64_t n_emptied; /* our bytes that other writers removed,
	                     * unreported */
	uint32_t rest_at;   /* streams: [rest_at, rest_len) is to be sent */
	uint32_t rest_len;
	unsigned char rest[65536];
};

/** Whether part of a frame is still to be written. */
static inline bool syc_trace_has_rest(const struct syc_trace *trace)
{
	return trace->rest_at < trace->rest_len;
}

/** The drainer begins to write, or to count losses; syc_trace_leave() ends
 * this.  False: the gate is shut. */
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

/** Shut the gate: no write begins any more.  Returns SYC_TRACE_OPEN if the gate
 * was open until now; else its state, which stays. */
static inline uint32_t syc_trace_shut(struct syc_trace *trace)
{
	uint32_t is = SYC_TRACE_OPEN;

	__atomic_compare_exchange_n(&trace->gate, &is, SYC_TRACE_SHUT, false,
	                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return is;
}

/** Whether frames of this library can follow this header. */
static inline bool syc_trace_is_capture(const struct syscap_wire_file *header)
{
	return header->magic == SYSCAP_MAGIC && (header->little_endian & 1);
}

#endif
