/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - record a command: from the socket pair to the summary.
 *
 * One thread, one loop: requests for rings, draining, signals, the ends of
 * processes.  See docs/ring.md for what goes on in the shared memory.
 */
#ifndef SC_RECORD_RECORDER_H
#define SC_RECORD_RECORDER_H

#include "record/options.h"

/** Exit status where the recording failed; others are as env(1) has them. */
#define SC_RECORD_FAILED     125
#define SC_RECORD_CANNOT_RUN 126
#define SC_RECORD_NOT_FOUND  127

/** Returns the exit status: the command's own, or one of the above. */
int sc_record_run(const struct sc_record_options *options);

#endif
