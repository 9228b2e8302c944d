/* SPDX-License-Identifier: BSD-2-Clause */
/* remote_memory.h - bytes of another process. */
#ifndef SYC_CODE_REMOTE_MEMORY_H
#define SYC_CODE_REMOTE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/**
 * Copy @size bytes at @addr of @pid.  0; -EFAULT, not all can be read; -EPERM
 * or -EACCES, not ours to look at; -ESRCH, gone.
 *
 * Context: offline.
 */
int syc_remote_memory_read(int32_t pid, uint64_t addr, void *to, size_t size);

#endif
