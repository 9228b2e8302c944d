/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.h - copy memory of this process that may not be readable.  The kernel
 * copies, through a pipe of ours, and says so where it can't: no fault, and
 * only system calls that every sandbox has.
 *
 * Context of everything here: any-thread, signal-safe.  Cancellation points.
 */
#ifndef SC_PEEK_H
#define SC_PEEK_H

#include <stddef.h>
#include <stdint.h>

/** At most this much at a time: a pipe takes it whole. */
#define SC_PEEK_MAX 4096u

struct sc_peek {
	int fds[2];
};

/** 0 or -errno. */
int sc_peek_open(struct sc_peek *peek);

/** 0; -EFAULT, not all of it can be read; or -EIO. */
int sc_peek_copy(const struct sc_peek *peek, void *to, uintptr_t from,
                 size_t n);

void sc_peek_close(const struct sc_peek *peek);

#endif
