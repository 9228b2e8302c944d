/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_status.h - what commands end with, but for `record`. */
#ifndef SYC_CLI_EXIT_STATUS_H
#define SYC_CLI_EXIT_STATUS_H

enum {
	SYC_EXIT_DONE = 0,
	SYC_EXIT_PROBLEM = 1, /* in the capture, or in reading or writing */
	SYC_EXIT_MISUSE = 2
};

#endif
