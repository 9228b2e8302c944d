/* SPDX-License-Identifier: BSD-2-Clause */
/* loop.h - the recorder's loop: requests, rings, signals, ends of processes. */
#ifndef SYC_RECORD_LOOP_H
#define SYC_RECORD_LOOP_H

#include "record/recording.h"

/** Record until the command has ended, or we were asked twice to stop. */
void syc_loop_run(struct syc_recording *recording);

/** Take what is in the rings; the first failure to write is told. */
void syc_loop_drain(struct syc_recording *recording,
                    struct syc_rings_pass *pass);

/**
 * Wait up to @timeout ms for something to happen, and deal with it.  True: more
 * may have happened.
 */
bool syc_loop_take_events(struct syc_recording *recording, int timeout);

#endif
