/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * written.h - captures that the command writes by itself, through a capture
 * writer of its own, into a file that we gave it.
 *
 * Writers of old leave no end time, a torn frame, or a file that two of them
 * wrote over each other.  The command is not trusted: what it wrote is copied
 * first (it may cut the file while we read), then joined into the recording.
 */
#ifndef SYC_RECORD_WRITTEN_H
#define SYC_RECORD_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/writer.h"

struct syc_written {
	const char *variable; /* which tells the command the descriptor */
	const char *option;   /* by which the user asked for it */
	int fd;               /* -1: none */
};

/** Make the file, beside @output where there is no memfd.  0 or -errno. */
int syc_written_make(struct syc_written *written, const char *output);

/**
 * Join what was written into @writer, ids behind *@last_counter_id.  Says on
 * stderr what could not be taken; what is no capture is kept, as a file beside
 * @output.  Returns how many frames came; *@ret_lost: some of what was written
 * is nowhere now.
 */
uint64_t syc_written_join(const struct syc_written *written, const char *output,
                          uint32_t *last_counter_id, struct syc_writer *writer,
                          bool *ret_lost);

void syc_written_close(struct syc_written *written);

#endif
