/* SPDX-License-Identifier: BSD-2-Clause */
/* write_at.h - write all of some bytes at one place of a file. */
#ifndef SYC_OS_WRITE_AT_H
#define SYC_OS_WRITE_AT_H

#include <stdint.h>

/**
 * Write @size bytes at @offset of the regular file @fd.  It goes on after
 * short writes and EINTR.  Returns 0 or -errno; *@ret_done says how many bytes are
 * in the file, all of them or not.  A call that would write 0 bytes for ever
 * ends with -EIO.
 *
 * Context: any-thread, signal-safe, between syc_quiet_begin() and _end().
 */
int syc_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset,
                 uint64_t *ret_done);

#endif
