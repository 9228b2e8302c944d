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
 * life->untold is how many wait << 32 | bytes that they take in the frame.
 * Slots are taken by an exchange, then filled.  A handler that comes between
 * the two and uses the same name adds it once more; and since it came on top of
 * a call, nothing is written before all slots are filled.  exit() in a handler
 * may find one that is not: it holds nothing, or a name that was told before.
 */
#ifndef SC_DROPIN_UNTOLD_H
#define SC_DROPIN_UNTOLD_H

#include "dropin/writer.h"

/** So many wait at most. */
#define SC_UNTOLD_MAX 4096u

/**
 * @name waits from here on; false: there is no room for it.  By a call that
 * has entered the buffer.
 *
 * Context: signal-safe, one thread at a time.
 */
bool sc_untold_add(SysprofCaptureWriter *writer, struct sc_name *name);

/**
 * Put all that wait in front of the half of the buffer that waits, where
 * nothing is.  By the outermost call.
 *
 * Context: signal-safe, one thread at a time.
 */
void sc_untold_gather(SysprofCaptureWriter *writer);

#endif
