/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out.h - the descriptor that a writer's capture goes to.
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
	bool is_file;  /* its header can be written again */
	bool is_stuck; /* the last write waited for the reader in vain */
	int64_t begin; /* as the header says */
	int64_t end;   /* latest time that the header has to cover */
	int64_t place; /* of the descriptor, before the write under way */
	struct syc_trace *trace; /* not NULL: shared with others, see there */
};

/**
 * Take over @fd, empty it if it is a file, and write a header.  0 or -errno;
 * then it is closed.
 */
int syc_out_open(struct syc_out *out, int fd);

/** Share the fd in SYSPROF_TRACE_FD.  0 or -errno; -ENOENT: it names none. */
int syc_out_open_shared(struct syc_out *out);

/**
 * Write @n bytes, whole frames but for the rest of one that was begun before.
 * *@ret_done are written.  0, or -errno: not all of them; -EAGAIN: the reader
 * did not come within a second (and from then on is not waited for until it
 * does).
 */
int syc_out_write(struct syc_out *out, const unsigned char *bytes, size_t n,
                  size_t *ret_done);

/** Before a write: remember where in the file it begins. */
void syc_out_note_place(struct syc_out *out);

/**
 * After a write that was interrupted for ever: how many bytes of it are in
 * the file.  False: nobody knows.
 */
bool syc_out_look_how_far(const struct syc_out *out, size_t *ret_n);

/** Bring the header of a file up to date.  0 or -errno. */
int syc_out_update(struct syc_out *out);

/**
 * Write into a file's header where its last frame index is, unless somebody
 * else writes to the file: @place is where our last write ended.
 */
void syc_out_tell_index(const struct syc_out *out, uint64_t index,
                        uint64_t place);

/** Close; the last @n_torn bytes that were written are cut off a file. */
void syc_out_close(struct syc_out *out, size_t n_torn);

#endif
