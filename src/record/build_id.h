/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build_id.h - the GNU build-id of an ELF file.
 *
 * Reads the file with pread() only: a file that is cut meanwhile is a short
 * read here and no SIGBUS.  Nothing in it is believed; at most a megabyte of
 * notes is looked at.
 */
#ifndef SC_RECORD_BUILD_ID_H
#define SC_RECORD_BUILD_ID_H

#include <stddef.h>

/** Longest build-id in hex, with its NUL: 64 bytes of id. */
#define SC_BUILD_ID_SIZE 129

/**
 * Store the build-id of the file open at @fd as lower-case hex.
 * Returns 0, -ENOENT (it has none) or another -errno (-ENOEXEC: no ELF file
 * of this machine's byte order).
 */
int sc_build_id_read(int fd, char ret_hex[SC_BUILD_ID_SIZE]);

/** The same for a file's content in memory. */
int sc_build_id_parse(const void *data, size_t size,
                      char ret_hex[SC_BUILD_ID_SIZE]);

#endif
