/* SPDX-License-Identifier: BSD-2-Clause */
/* copy_file.h - captures under another name. */
#ifndef SYC_COPY_FILE_H
#define SYC_COPY_FILE_H

/**
 * Copy file @from, all of it, to @filename, which is replaced only when the
 * copy is whole.  0 or -errno; -EINVAL: it is the same file.
 */
int syc_copy_file(int from, const char *filename);

#endif
