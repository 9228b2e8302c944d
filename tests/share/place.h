/* SPDX-License-Identifier: BSD-2-Clause */
/* place.h - put something where copies of the library meet, or forbid it. */
#ifndef SYSCAP_PLACE_H
#define SYSCAP_PLACE_H

#include <stdbool.h>

struct syc_block;

/**
 * Put something at PARTS_PLACE: "file" (readable, not ours), "zero",
 * "nothing" (PROT_NONE), "cut" (a file that was truncated since), "forged"
 * (as ours, with numbers that are no hashes).
 */
void place_take(const char *with_what);

/** A page as a copy makes it, that leads to @block; @is_right: with the right
 * check. */
void place_publish(const struct syc_block *block, bool is_right);

/**
 * Have these fail from here on: "mmap_einval" and "mmap_eopnotsupp" (with
 * MAP_FIXED_NOREPLACE), "memfd_create", "pipe2", "mincore"; "fsize", no file
 * may grow.
 */
void place_forbid(const char *what);

#endif
