/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_status.h - how syscap record ends where the command's status is not it. */
#ifndef SYC_RECORD_EXIT_STATUS_H
#define SYC_RECORD_EXIT_STATUS_H

/** Exit status where the recording failed; others are as env(1) has them. */
#define SYC_RECORD_FAILED     125
#define SYC_RECORD_CANNOT_RUN 126
#define SYC_RECORD_NOT_FOUND  127

#endif
