/* SPDX-License-Identifier: BSD-2-Clause */
/* about.h - what a capture says about how it was made. */
#ifndef SYC_RECORD_ABOUT_H
#define SYC_RECORD_ABOUT_H

#include <stdint.h>

#include "capture/compose.h"
#include "capture/writer.h"
#include "record/options.h"

/** Write METADATA frames, ids "syscap.…". */
void syc_about_write(struct syc_writer *writer, union syc_frame_buffer *frame,
                     int64_t time, const struct syc_record_options *options);

/** The command line in one text, to be freed; NULL: out of memory. */
char *syc_about_command(char *const argv[]);

#endif
