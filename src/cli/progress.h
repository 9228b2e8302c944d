/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.h - the last line of a terminal, which says how far a command is. */
#ifndef SYC_CLI_PROGRESS_H
#define SYC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct syc_progress {
	bool is_wanted; /* stderr is a terminal, and we may speak */
	bool has_line;
	int64_t next_ns; /* when it may change; 0: not asked yet */
};

/**
 * Whether it is time to say something: four times a second.  What is over at
 * once needs no line.
 */
bool syc_progress_is_due(struct syc_progress *progress);

/** Replace the line. */
void syc_progress_print(struct syc_progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Take it away, before anything else goes to stderr. */
void syc_progress_erase(struct syc_progress *progress);

#endif
