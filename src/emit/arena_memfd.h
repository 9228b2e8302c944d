/* SPDX-License-Identifier: BSD-2-Clause */
/* arena_memfd.h - an arena in a file that a recorder can be given. */
#ifndef SYC_EMIT_ARENA_MEMFD_H
#define SYC_EMIT_ARENA_MEMFD_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/block.h"
#include "ring/arena.h"

/**
 * Make @arena, of rings as the recorder wants them, for @pid, which @began at
 * that time (ns of the kernel's clock): sealed, and with our command line in its
 * facts.  The file is in *@noted before it is of use to anybody: a child may be
 * forked meanwhile.  0; or -errno, and *@noted is closed.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
int syc_arena_memfd_make(struct syc_arena *arena, int32_t pid, int64_t began,
                         struct syc_control_socket *noted);

/** False: it was closed, by us or by the program.  Context: any-thread,
 * signal-safe. */
bool syc_arena_memfd_is_there(const struct syc_control_socket *noted);

/** Close it if it is there.  Context: any-thread, signal-safe. */
void syc_arena_memfd_close(struct syc_control_socket *noted);

#endif
