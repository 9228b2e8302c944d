/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.h - copy memory of this process that may not be readable.  The kernel
 * copies, through a pipe of ours, and says so where it can't: no fault, and
 * only system calls that every sandbox has.
 *
 * Context of everything here: any-thread, signal-safe.  Cancellation points.
 */
#ifndef SYC_PEEK_H
#define SYC_PEEK_H

#include <stddef.h>
#include <stdint.h>

/** The most that is copied at a time: a pipe takes it whole. */
#define SYC_PEEK_MAX 4096u

struct syc_peek {
	int fds[2];
};

/** 0 or -errno. */
int syc_peek_open(struct syc_peek *peek);

/** 0; -EFAULT, not all of it can be read; or -EIO. */
int syc_peek_copy(const struct syc_peek *peek, void *to, uintptr_t from,
                  size_t n);

void syc_peek_close(const struct syc_peek *peek);

#endif
