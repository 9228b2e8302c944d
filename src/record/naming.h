/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming.h - names for the stacks of a recording, added at its end.
 *
 * The capture is read once more, as `syscap symbolize` would, but with what
 * only the recorder has: the files that were mapped, whatever became of them
 * since, and the processes that still live.
 */
#ifndef SYC_RECORD_NAMING_H
#define SYC_RECORD_NAMING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "record/mapped_file.h"
#include "record/report.h"

struct syc_naming_options {
	const char *output;
	struct stat began; /* of output; what has its path may be another */
	const struct syc_mapped_files *files;
	struct syc_code_names *code; /* all processes told, not settled */
	struct syc_writer *writer;
	struct syc_record_report *report;
	int64_t end; /* of the recording, ns */
	bool has_lines;
};

/** Addresses in stacks, counted each time: those that got a name, and of the
 * others those of no file, and those of the file that has most of them. */
struct syc_names_found {
	uint64_t addresses, named, unmapped, of_most;
	char most[64]; /* its last name; "": there is none */
};

/**
 * Append the names to what @naming->writer wrote.  Says on stderr what went
 * wrong; the capture is as good as it was then.
 */
void syc_naming_write(const struct syc_naming_options *naming,
                      struct syc_names_found *ret_found);

#endif
