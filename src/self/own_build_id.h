/* SPDX-License-Identifier: BSD-2-Clause */
/* own_build_id.h - the build-id of an object that this process has mapped. */
#ifndef SC_OWN_BUILD_ID_H
#define SC_OWN_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Hexadecimal digits of the longest one, and a NUL. */
#define SC_OWN_BUILD_ID_SIZE 129u

/**
 * Read it from the object whose first byte is mapped at @base, @size bytes of
 * it in a row.  The kernel copies them, so an address that is wrong by now
 * does no harm; false then, and where there is no build-id.
 *
 * Context: any-thread, signal-safe.
 */
bool sc_own_build_id_in_memory(uintptr_t base, size_t size, char *ret_hex);

/**
 * The same from the file that @path leads to, for who may not read his own
 * memory so.  False also where it is not the regular file of number @inode.
 *
 * Context: any-thread, signal-safe.
 */
bool sc_own_build_id_in_file(const char *path, uint64_t inode, char *ret_hex);

#endif
