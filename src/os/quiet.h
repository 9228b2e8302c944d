/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quiet.h - write without being killed for it.
 *
 * A write into a pipe that nobody reads raises SIGPIPE, one over the file
 * size limit SIGXFSZ.  Both go to the thread that writes; between begin and
 * end they are blocked, and those that our writes raised are taken back.
 */
#ifndef SYC_OS_QUIET_H
#define SYC_OS_QUIET_H

#include <stdbool.h>
#include <stdint.h>

struct syc_quiet {
	uint64_t before; /* the thread's mask */
	bool had_pipe;   /* was pending before: not ours to take */
	bool had_file_size;
};

/** Context of all: any-thread, signal-safe; errno is kept. */
void syc_quiet_begin(struct syc_quiet *quiet);
void syc_quiet_end(const struct syc_quiet *quiet);

/** The same where no write failed: there is nothing to be taken back. */
void syc_quiet_end_well(const struct syc_quiet *quiet);

#endif
