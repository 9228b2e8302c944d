/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming.h - names for the stacks of a recording, added at its end.
 *
 * The capture is read once more, as by `syscap symbolize`.  The recorder also
 * has the mapped files, even if they were deleted since, and the processes that
 * still live.
 */
#ifndef SYC_RECORDER_NAMING_H
#define SYC_RECORDER_NAMING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "recorder/console.h"
#include "recorder/maps.h"

struct syc_naming_options {
	const char *output;
	struct stat began; /* of output; its path may name another file */
	const struct syc_mapped_files *files;
	struct syc_code_names *code; /* all processes reported, not settled */
	struct syc_writer *writer;
	struct syc_console *report;
	int64_t end; /* of the recording, ns */
	bool has_lines;
};

/**
 * Addresses in stacks, counted each time: named ones, those without a file, and
 * unnamed ones in the file with most of them.
 */
struct syc_names_found {
	uint64_t addresses, named, unmapped, of_most;
	char most[64]; /* its file name; "": there is none */
};

/**
 * Append the names to the capture of @naming->writer.  Prints failures on
 * stderr; the capture stays valid then.
 */
void syc_naming_write(const struct syc_naming_options *naming,
                      struct syc_names_found *ret_found);

#endif
