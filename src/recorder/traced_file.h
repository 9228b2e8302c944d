/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traced_file.h - captures that the command writes itself, by another capture
 * writer, into a file of the recorder.
 *
 * Older writers omit the end time, leave a torn frame, or overwrite each
 * other's frames.  The command is not trusted.  The file is copied first,
 * because the command may cut it meanwhile, and then joined into the recording.
 */
#ifndef SYC_RECORDER_TRACED_FILE_H
#define SYC_RECORDER_TRACED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/writer.h"

struct syc_traced_file {
	const char *variable; /* in which the command gets the fd */
	const char *option;   /* by which the user requested it */
	int fd;               /* -1: none */
};

/** Create the file, beside @output if there is no memfd.  0 or -errno. */
int syc_traced_file_make(struct syc_traced_file *written, const char *output);

/**
 * Join the file into @writer, with ids behind *@last_counter_id.  Prints on
 * stderr what could not be joined; a file that is no capture is kept beside
 * @output.  Returns the number of frames; *@ret_lost: some of its content is
 * lost.
 */
uint64_t syc_traced_file_join(const struct syc_traced_file *written,
                              const char *output, uint32_t *last_counter_id,
                              struct syc_writer *writer, bool *ret_lost);

void syc_traced_file_close(struct syc_traced_file *written);

#endif
