/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - record a command: from the socket pair to the summary.
 *
 * One thread, one loop: requests for rings, draining, signals, the ends of
 * processes.  See docs/ring.md for what goes on in the shared memory.
 */
#ifndef SYC_RECORD_RECORDER_H
#define SYC_RECORD_RECORDER_H

#include "record/exit_status.h"
#include "record/options.h"

/** Returns the exit status: the command's own, or one of the above. */
int syc_record_run(const struct syc_record_options *options);

#endif
