/* SPDX-License-Identifier: BSD-2-Clause */
/* write_at.h - write all of several pieces at one place of a file. */
#ifndef SYC_WRITE_AT_H
#define SYC_WRITE_AT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/** Pieces that one call takes. */
#define SYC_WRITE_PIECES_MAX 2048u

/**
 * Write @n pieces at @offset of the regular file @fd.  It goes on after
 * short writes and EINTR.  Returns 0 or -errno; *@ret_done says how many bytes are
 * in the file, all of them or not.  A call that would write 0 bytes for ever
 * ends with -EIO.
 *
 * Context: any-thread, signal-safe, between syc_quiet_begin() and _end().
 */
int syc_write_at(int fd, const struct iovec *pieces, unsigned n,
                 uint64_t offset, uint64_t *ret_done);

#endif
