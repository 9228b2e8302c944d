/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_image.h - libraries in the memory of another process.
 *
 * For those without a file that can be opened: deleted, in a memfd, or moved to
 * anonymous memory.
 *
 * Only for the machine's own class and byte order.  Needs permission to read
 * the process' memory, as for own children.
 */
#ifndef SYC_RECORDER_MEMORY_IMAGE_H
#define SYC_RECORDER_MEMORY_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Make an ELF file of the library whose header is at @base in @pid.  It has the
 * read-only segments, and sections for dynamic symbols and .eh_frame.  Returns
 * a memfd or -1.
 */
int syc_memory_image_make(int32_t pid, uint64_t base);

/**
 * The file offset of [@start, @end), if it is code of the library whose header
 * is at @base.  False: it is not.
 */
bool syc_memory_image_offset(int32_t pid, uint64_t base, uint64_t start,
                             uint64_t end, uint64_t *ret_offset);

#endif
