/* SPDX-License-Identifier: BSD-2-Clause */
/* rest_owner.h - whether the process that a ring file belongs to still runs. */
#ifndef SC_CAPTURE_REST_OWNER_H
#define SC_CAPTURE_REST_OWNER_H

#include <stdbool.h>

#include "ring/ring_file.h"

/**
 * Somebody holds the lock on the ring file @fd; and it is not only a relative
 * that inherited the descriptor, of a process that is known to be gone.
 */
bool sc_rest_owner_lives(int fd, const struct sc_ring_file *facts);

/** Take the lock.  False: somebody was faster. */
bool sc_rest_owner_replace(int fd, const struct sc_ring_file *facts);

#endif
