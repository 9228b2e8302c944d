/* SPDX-License-Identifier: BSD-2-Clause */
/* finish.h - the end of a recording. */
#ifndef SYC_RECORD_FINISH_H
#define SYC_RECORD_FINISH_H

#include "record/recording.h"

/**
 * The command is over, or we were told not to wait for it: end the capture,
 * and tell on stderr what was recorded and what is missing.  0 or -errno.
 */
int syc_finish_recording(struct syc_recording *recording);

#endif
