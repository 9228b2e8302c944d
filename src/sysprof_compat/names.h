/* SPDX-License-Identifier: BSD-2-Clause */
/* names.h - names that a writer has given to addresses. */
#ifndef SYC_SYSPROF_COMPAT_NAMES_H
#define SYC_SYSPROF_COMPAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sysprof_compat/buffer.h"

/** Longer names are cut. */
#define SYC_NAME_MAX 16383u

#define SYC_NAME_ROOTS 1024u

struct syc_name {
	struct syc_name *children[4];
	uint64_t hash;
	uint64_t address;
	uint32_t len;
	uint32_t reported; /* the owner's note whether the name is written */
	uint32_t gathered; /* the owner's number of the last frame with this
	                    * name */
	char text[];
};

struct syc_name_chunk;

/** Names of a writer.  A table is empty if all fields are zero except next, the
 * first address. */
struct syc_names {
	struct syc_name *roots[SYC_NAME_ROOTS];
	struct syc_name_chunk *chunk;
	uint64_t next;
};

/**
 * A first address for a file with several writers, scattered over the 32 bits
 * that readers use.  Two processes with a hundred names each rarely collide.
 */
uint64_t syc_names_scattered(void);

void syc_names_fini(struct syc_names *names);

/*
 * Names that are in no frame yet.
 *
 * Readers need a name before the frames that use it.  So the name waits until
 * the writer writes its buffer, and precedes the buffer in one frame and one
 * write().  Therefore no frame is ever visible without its names.
 *
 * *waiting is the number of waiting names << 32 | their bytes in the frame.
 * Slots are taken by an exchange, then filled.  A handler between these two
 * steps that uses the same name adds the name once more.  The handler runs on
 * top of a call, so all slots are filled before the write.
 *
 * exit() in a handler may find an unfilled slot: the slot is empty, or has a
 * name that was written before.
 */

/** Greatest number of waiting names. */
#define SYC_PENDING_NAMES_MAX 4096u

struct syc_pending_names {
	uint64_t *waiting;       /* zeroed in a forked child */
	struct syc_name **names; /* space for SYC_PENDING_NAMES_MAX */
	uint32_t n_gathered;
};

/**
 * Put all waiting names in front of the waiting half of @buffer, as a frame
 * with @time and @pid.  False: no name waits.  Called by the outermost call.
 * Context: signal-safe, one thread at a time.
 */
bool syc_pending_names_gather(struct syc_pending_names *pending,
                              struct syc_buffer *buffer, int64_t time,
                              int32_t pid);

#endif
