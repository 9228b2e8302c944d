/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.h - names that a writer has given addresses to and that are in no
 * frame yet.
 *
 * Nobody needs them before the frames that use them are read.  So they wait
 * until the writer writes what is in its buffer, and go in front of that, all
 * in one frame: in one write(), so that no frame is ever there without its
 * names.
 *
 * *waiting is how many wait << 32 | bytes that they take in the frame.
 * Slots are taken by an exchange, then filled.  A handler that comes between
 * the two and uses the same name adds it once more; and since it came on top of
 * a call, nothing is written before all slots are filled.  exit() in a handler
 * may find one that is not: it holds nothing, or a name that was told before.
 */
#ifndef SYC_DROPIN_UNTOLD_H
#define SYC_DROPIN_UNTOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "dropin/buffer.h"
#include "dropin/names.h"

/** So many wait at most. */
#define SYC_UNTOLD_MAX 4096u

struct syc_untold {
	uint64_t *waiting; /* in memory that a forked child finds zeroed */
	struct syc_name **names; /* room for SYC_UNTOLD_MAX */
	uint32_t n_gathered;
};

/**
 * @name waits from here on, and is told by @told; false: there is no room for
 * it.  By a call that has entered the buffer.
 *
 * Context: signal-safe, one thread at a time.
 */
bool syc_untold_add(struct syc_untold *untold, struct syc_name *name,
                    uint32_t told);

/**
 * Put all that wait in front of the half of @buffer that waits, where nothing
 * is, as a frame with @time and @pid.  False: none waits.  By the outermost
 * call.
 *
 * Context: signal-safe, one thread at a time.
 */
bool syc_untold_gather(struct syc_untold *untold, struct syc_buffer *buffer,
                       int64_t time, int32_t pid);

#endif
