/* SPDX-License-Identifier: BSD-2-Clause */
/* about.h - what a capture says about how it was made. */
#ifndef SC_RECORD_ABOUT_H
#define SC_RECORD_ABOUT_H

#include <stdint.h>

#include "capture/writer.h"
#include "record/compose.h"
#include "record/options.h"

/** Write METADATA frames, ids "syscap.…". */
void sc_about_write(struct sc_writer *writer, union sc_frame_buffer *frame,
                    int64_t time, const struct sc_record_options *options);

/** The command line in one text, to be freed; NULL: out of memory. */
char *sc_about_command(char *const argv[]);

#endif
