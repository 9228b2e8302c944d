/* SPDX-License-Identifier: BSD-2-Clause */
/* launch.h - the command is started, and the capture begun. */
#ifndef SYC_RECORD_LAUNCH_H
#define SYC_RECORD_LAUNCH_H

#include "record/recording.h"

/**
 * Run the command and write the beginning of the capture.  0; or the exit
 * status of a recorder that could not, which was told.
 */
int syc_launch_command(struct syc_recording *recording);

#endif
