/* SPDX-License-Identifier: BSD-2-Clause */
/* xz.h - decompress what a .gnu_debugdata section holds. */
#ifndef SYC_SYMBOLS_XZ_H
#define SYC_SYMBOLS_XZ_H

#include <stddef.h>

/**
 * Decompress the xz stream @data into memory from malloc().  0; -EILSEQ: it is
 * none; -EFBIG: it is larger than any symbol table; -ENOMEM; -ENOTSUP: built
 * without liblzma.  Context: offline.
 */
int syc_xz_decompress(const unsigned char *data, size_t size,
                      unsigned char **ret_data, size_t *ret_size);

#endif
