/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_status.h - what commands end with, but for `record`. */
#ifndef SC_CLI_EXIT_STATUS_H
#define SC_CLI_EXIT_STATUS_H

enum {
	SC_EXIT_DONE = 0,
	SC_EXIT_PROBLEM = 1, /* in the capture, or in reading or writing */
	SC_EXIT_MISUSE = 2
};

#endif
