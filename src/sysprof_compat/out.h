/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out.h - the fd of a writer's capture.
 *
 * Context of everything but opening: signal-safe, one thread at a time.
 */
#ifndef SYC_SYSPROF_COMPAT_OUT_H
#define SYC_SYSPROF_COMPAT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_trace;

struct syc_out {
	int fd;
	bool is_file;  /* the header can be written again */
	bool is_stuck; /* the last write waited for the reader in vain */
	int64_t begin; /* begin time in the header */
	int64_t end;   /* latest time that the header has to cover */
	int64_t place; /* position of the fd before the current write */
	struct syc_trace *trace; /* trace shared with other processes, or
	                          * NULL */
};

/**
 * Take over @fd, truncate it if it is a file, and write a header.  Returns 0;
 * or -errno, and @fd is closed.
 */
int syc_out_open(struct syc_out *out, int fd);

/** Share the fd in SYSPROF_TRACE_FD.  Returns 0 or -errno; -ENOENT: the
 * variable names no fd. */
int syc_out_open_shared(struct syc_out *out);

/**
 * Write @n bytes, whole frames, after the rest of a frame that was begun
 * before. *@ret_done bytes are written.  Returns 0, or -errno if some bytes are
 * not written.  -EAGAIN: the reader did not read within a second.  Later writes
 * do not wait for the reader until it reads again.
 */
int syc_out_write(struct syc_out *out, const unsigned char *bytes, size_t n,
                  size_t *ret_done);

/** Remember the position in the file before a write. */
void syc_out_note_place(struct syc_out *out);

/**
 * Find the number of bytes in the file of a write that was interrupted for
 * ever.  False: unknown.
 */
bool syc_out_look_how_far(const struct syc_out *out, size_t *ret_n);

/** Update the header of a file.  Returns 0 or -errno. */
int syc_out_update(struct syc_out *out);

/**
 * Write the position of a file's last frame index into its header, unless
 * another process writes to the file.  @place is the end of our last write.
 */
void syc_out_tell_index(const struct syc_out *out, uint64_t index,
                        uint64_t place);

/** Close the fd.  A file is truncated by the last @n_torn bytes that were
 * written. */
void syc_out_close(struct syc_out *out, size_t n_torn);

#endif
